// npm packages and the build of a checkout. An installed package has neither lock file nor sources: nothing to do.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGAIN } from './again.mjs';
import { keepCompiled } from './compiled.mjs';
import { SetupError } from './setup-error.mjs';
import { npmErrorLine, runNpm } from './run-program.mjs';

const NPM_TIMEOUT_MS = 10 * 60_000;

/** True if node_modules holds what package-lock.json asks for, as npm itself recorded it. */
export function packagesMatch(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const present = readPackages(join(root, 'node_modules/.package-lock.json'));
  if (!wanted || !present) return false;
  return lockMatches(wanted, present);
}

/** Compares the `packages` tables of two lock files: same versions and contents; only optional ones may come or go. */
export function lockMatches(wanted, present) {
  const differs = Object.entries(wanted).some(([path, entry]) => {
    if (path === '') return false;
    const other = present[path];
    if (!other) return !(entry.optional || entry.devOptional || entry.peer);
    return other.version !== entry.version || other.integrity !== entry.integrity;
  });
  return !differs && Object.entries(present).every(([path, entry]) => path in wanted || entry.optional);
}

/**
 * Installs what package-lock.json pins, without install scripts: every package that is used works without them.
 * @throws {SetupError}
 */
export async function installNpmPackages({ root }) {
  if (!existsSync(join(root, 'package-lock.json'))) return { did: false, text: 'installed with the program' };
  if (packagesMatch(root)) return { did: false, text: 'up to date' };
  const result = await run(root, ['ci']);
  if (result.ok) return { did: true, text: 'installed by npm ci' };
  // npm ci refuses a lock file that lacks the builds of optional packages for other platforms, as one does that was
  // made where the registry holds only some platforms. Such a lock pins all that is installed here: npm install keeps
  // to it, and the comparison afterwards proves that it did.
  const isIncomplete = /^npm error Missing: .* from lock file/m.test(result.stderr);
  const second = isIncomplete ? await run(root, ['install', '--no-save']) : result;
  if (!second.ok) throw npmFails(npmErrorLine(second.stderr));
  if (!packagesMatch(root)) throw npmFails('package-lock.json is not in step with package.json');
  return { did: true, text: 'installed as package-lock.json pins them' };
}

function run(root, args) {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
  return runNpm([...args, ...options], { cwd: root, timeoutMs: NPM_TIMEOUT_MS });
}

function npmFails(reason) {
  return new SetupError(
    `the packages cannot be installed: ${reason}`,
    `run "npm install --ignore-scripts" to see why, then "${AGAIN}"`,
  );
}

/** Brings dist/ up to date; an installed package gets what fits this Node. @throws {SetupError} if the sources do not compile */
export async function buildSources({ root, check }, say) {
  if (!existsSync(join(root, 'tsconfig.json'))) return await keepCompiled(root, check);
  const { build, isStale } = await import('../build.mjs');
  if (!(await isStale())) return { did: false, text: 'up to date' };
  if (check) throw new SetupError('dist/ is older than its sources', 'run "npm run build"');
  if (!(await build({ log: (text) => say(text.replace(/^build: /, '')) }))) {
    throw new SetupError('the sources do not compile', `fix the type errors above, then run "${AGAIN}"`);
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
