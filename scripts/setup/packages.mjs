// npm packages and the build of a checkout. An installed package has neither lock file nor sources: nothing to do.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './setup-error.mjs';
import { lastLine, runProgram } from './run-program.mjs';

const NPM_TIMEOUT_MS = 10 * 60_000;

/** True if node_modules holds what package-lock.json asks for, as npm itself recorded it. */
export function packagesMatch(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const present = readPackages(join(root, 'node_modules/.package-lock.json'));
  if (!wanted || !present) return false;
  return lockMatches(wanted, present);
}

/** Compares the `packages` tables of two lock files: same versions, nothing missing but optional ones, nothing more. */
export function lockMatches(wanted, present) {
  const missing = Object.entries(wanted).some(([path, entry]) => {
    if (path === '') return false;
    const other = present[path];
    if (!other) return !(entry.optional || entry.devOptional || entry.peer);
    return other.version !== entry.version || other.integrity !== entry.integrity;
  });
  return !missing && Object.keys(present).every((path) => path in wanted);
}

/** `npm ci`, without install scripts: every package that is used works without them. @throws {SetupError} */
export async function installNpmPackages({ root }) {
  if (!existsSync(join(root, 'package-lock.json'))) return { did: false, text: 'installed with the program' };
  if (packagesMatch(root)) return { did: false, text: 'up to date' };
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const result = await runProgram('npm', args, { cwd: root, timeoutMs: NPM_TIMEOUT_MS });
  if (!result.ok) {
    throw new SetupError(
      `npm ci failed: ${lastLine(result.output)}`,
      'run "npm ci --ignore-scripts", mend what it reports, then "npm run setup"',
    );
  }
  return { did: true, text: 'installed from package-lock.json' };
}

/** Brings dist/ up to date. @throws {SetupError} if the sources do not compile */
export async function buildSources({ root, check }, say) {
  if (!existsSync(join(root, 'tsconfig.json'))) return { did: false, text: 'installed with the program' };
  const { build, isStale } = await import('../build.mjs');
  if (!(await isStale())) return { did: false, text: 'up to date' };
  if (check) throw new SetupError('dist/ is older than its sources', 'run "npm run build"');
  if (!(await build({ log: (text) => say(text.replace(/^build: /, '')) }))) {
    throw new SetupError('the sources do not compile', 'fix the type errors above, then run "npm run setup"');
  }
  return { did: true, text: 'built dist/' };
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return null;
  }
}
