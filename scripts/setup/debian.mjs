// Debian packages: installed only as root on Debian or a relative of it, and after one question at a terminal.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { AGAIN } from './again.mjs';
import { SetupError } from './setup-error.mjs';
import { lastLine, runProgram } from './run-program.mjs';

const APT_TIMEOUT_MS = 10 * 60_000;

/** True on Debian and its relatives, by /etc/os-release. */
export function isDebian(osRelease = readOsRelease()) {
  return /^ID(_LIKE)?=.*\bdebian\b/m.test(osRelease);
}

/**
 * Asks once a run whether packages may be installed and services started; the first answer holds for all that follows.
 * Without a terminal, or in CI, the answer is yes.
 */
export function createConsent({ env = process.env, input = process.stdin, output = process.stderr } = {}) {
  let answer = null;
  return async (what) => {
    if (answer !== null) return answer;
    const asks = input.isTTY && output.isTTY && !env.CI;
    answer = asks ? await ask(`${what}. Install what is missing with apt-get? [Y/n] `, input, output) : true;
    return answer;
  };
}

/** Installs packages; tried twice, because lists may be old and downloads fail. @throws {SetupError} */
export async function installPackages(packages, say) {
  say(`installing ${packages.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) =>
    runProgram('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
      env,
      timeoutMs: APT_TIMEOUT_MS,
    });
  let result = { ok: false, output: '' };
  for (let attempt = 0; attempt < 2 && !result.ok; attempt += 1) {
    await apt('update');
    result = await apt('install', '-y', '--no-install-recommends', ...packages);
  }
  if (!result.ok) {
    throw new SetupError(
      `apt-get could not install ${packages.join(', ')}: ${lastLine(result.output)}`,
      `run "apt-get install ${packages.join(' ')}" by hand, then "${AGAIN}"`,
    );
  }
}

function readOsRelease() {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}

async function ask(question, input, output) {
  const terminal = createInterface({ input, output });
  try {
    return !/^n/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
