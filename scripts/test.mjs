// `npm test`: every test; a file that failed beside others runs once more, alone. The crash and sandbox tests start servers,
// workers and rooms of their own, and two cores can starve one of them. Only a green second run counts, and it is said aloud:
// a test that is red alone is red, and so is a run with more failures than chance explains.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** More failed files than this are no chance. */
const AGAIN_MAX = 2;
const SIGNAL_EXIT = 128;

const folder = mkdtempSync(join(tmpdir(), 'a7-tests-'));
try {
  process.exitCode = main(process.argv.slice(2), join(folder, 'failed.json'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function main(args, failedPath) {
  const exitCode = jest(args, failedPath);
  if (exitCode === 0) return 0;
  const failed = failedFiles(failedPath);
  if (failed.length === 0 || failed.length > AGAIN_MAX) return exitCode;
  say(`Failed beside other tests; once more alone: ${failed.join(' ')}`);
  if (jest(['--runInBand', '--runTestsByPath', ...failed], failedPath) !== 0) return exitCode;
  say(`UNSTABLE: failed beside other tests and passed alone: ${failed.join(' ')}. Please mend it.`);
  return 0;
}

function jest(args, failedPath) {
  rmSync(failedPath, { force: true });
  const node = [
    '--experimental-vm-modules',
    '--no-warnings=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
  ];
  const env = { ...process.env, A7_TEST_FAILED_FILES: failedPath };
  const { status } = spawnSync(process.execPath, [...node, ...args], { stdio: 'inherit', env });
  return status ?? SIGNAL_EXIT;
}

/** Nothing where jest itself broke: then no second run can tell more. */
function failedFiles(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return [];
  }
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
