// Builds dist/: TypeScript by tsc, assets as they are, the workflow bundle, the programs. Nothing is done when nothing changed.
// `isStale()` and `build()` are used by scripts/setup.mjs too; this file needs Node builtins alone until it builds.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withBuildLock } from './build-lock.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.build-stamp.json');
const BUNDLE = join(DIST, 'workflow-bundle.js');
const BUNDLE_ENTRY = join(ROOT, 'workflows/index.ts');

const CODE_FOLDERS = ['schemas', 'core', 'roles', 'workflows', 'activities', 'adapters', 'workers', 'client'];
const BUNDLE_FOLDERS = ['schemas', 'core', 'workflows'];
/** Copied to the same place under dist/: compiled code finds them by its own address. */
const ASSET_FOLDERS = ['sandbox', 'examples/templates'];
const SETTINGS = [
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/build.mjs',
  'scripts/build/program.mjs',
  'scripts/build/code-cache.mjs',
  'bin/load-program.cjs',
];

/** True if dist/ is missing or older than its sources. Reads files only; about 50 ms. */
export async function isStale() {
  const stamp = readStamp();
  return stamp.inputs !== digest([...CODE_FOLDERS, ...ASSET_FOLDERS]);
}

/**
 * Brings dist/ up to date; one build at a time in a checkout, others wait for it.
 * Returns false after printing the compiler's messages if a file has a type error.
 */
export async function build({ log = console.log } = {}) {
  if (!(await isStale())) {
    log('build: up to date');
    return true;
  }
  mkdirSync(DIST, { recursive: true });
  return await withBuildLock(join(DIST, '.build-lock'), async () => {
    if (!(await isStale())) return true;
    return await buildAll(log);
  });
}

async function buildAll(log) {
  const inputs = digest([...CODE_FOLDERS, ...ASSET_FOLDERS]);
  const previous = readStamp();
  rmSync(STAMP, { force: true });
  const compiled = timed(log, 'compile', compile);
  timed(log, 'assets', copyAssets);
  const bundle = digest(BUNDLE_FOLDERS);
  const isBundled = previous.bundle === bundle && existsSync(BUNDLE);
  const complete =
    compiled &&
    (isBundled || !existsSync(BUNDLE_ENTRY) || (await bundleWorkflows(log))) &&
    (await bundlePrograms(log));
  if (complete) writeFileSync(STAMP, JSON.stringify({ inputs, bundle }));
  return complete;
}

function compile() {
  removeOrphans();
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const args = [tsc, '-p', join(ROOT, 'tsconfig.build.json'), '--pretty', 'false'];
  const result = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  if (result.status === 0) return true;
  process.stderr.write(`${result.stdout}${result.stderr}`);
  process.stderr.write('Cannot build: fix the type errors above, then run "npm run build"\n');
  return false;
}

/** Removes compiled files whose source is gone, so that a deleted module cannot be imported by its old name. */
function removeOrphans() {
  for (const folder of CODE_FOLDERS) {
    for (const path of filesBelow(join(DIST, folder))) {
      const source = join(ROOT, relative(DIST, path)).replace(/\.js$/, '.ts');
      if (existsSync(source)) continue;
      rmSync(path);
      rmSync(join(DIST, '.tsbuildinfo'), { force: true });
    }
  }
}

function copyAssets() {
  for (const folder of CODE_FOLDERS) {
    for (const path of filesBelow(join(ROOT, folder))) {
      if (extname(path) !== '.ts') copyFile(path);
    }
  }
  for (const folder of ASSET_FOLDERS) {
    rmSync(join(DIST, folder), { recursive: true, force: true });
    for (const path of filesBelow(join(ROOT, folder))) copyFile(path);
  }
  return true;
}

function copyFile(path) {
  const target = join(DIST, relative(ROOT, path));
  mkdirSync(dirname(target), { recursive: true });
  cpSync(path, target);
}

/** Written beside and renamed: a worker that starts meanwhile reads the old bundle or the new one, never half of it. */
async function bundleWorkflows(log) {
  const startMs = performance.now();
  const messages = [];
  const logger = {
    trace() {},
    debug() {},
    info() {},
    log() {},
    warn: (message) => messages.push(message),
    error: (message) => messages.push(message),
  };
  try {
    const { bundleWorkflowCode } = await import('@temporalio/worker');
    const { code } = await bundleWorkflowCode({ workflowsPath: BUNDLE_ENTRY, logger });
    writeFileSync(`${BUNDLE}.new`, withoutSources(code));
    renameSync(`${BUNDLE}.new`, BUNDLE);
  } catch (error) {
    process.stderr.write(`${[...messages, error.message].join('\n')}\n`);
    process.stderr.write('Cannot bundle the workflows: they may import core, schemas and Temporal only\n');
    return false;
  }
  log(`build: workflow bundle, ${seconds(startMs)}`);
  return true;
}

/** The bundle's map keeps places, not the sources' texts: every worker would parse them and send them to its thread. */
function withoutSources(code) {
  const mark = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';
  const at = code.lastIndexOf(mark);
  if (at < 0) throw new Error('The workflow bundle has no map at its end: see scripts/build.mjs');
  const { sourcesContent: _texts, ...map } = JSON.parse(Buffer.from(code.slice(at + mark.length), 'base64'));
  return `${code.slice(0, at)}${mark}${Buffer.from(JSON.stringify(map)).toString('base64')}`;
}

/** One file a program, and its code cache: see scripts/build/program.mjs. */
async function bundlePrograms(log) {
  const startMs = performance.now();
  try {
    const { bundleProduct } = await import('./build/program.mjs');
    await bundleProduct();
  } catch (error) {
    process.stderr.write(`Cannot bundle the programs: ${error.message}\n`);
    return false;
  }
  const program = join(ROOT, 'scripts/build/code-cache.mjs');
  const result = spawnSync(process.execPath, [program], { cwd: ROOT, encoding: 'utf8' });
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout}${result.stderr}Cannot build: the programs do not start\n`);
    return false;
  }
  log(`build: programs, ${seconds(startMs)}`);
  return true;
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'));
  } catch {
    return {};
  }
}

/** Hash of names and bytes of all files below the folders, and of the settings that shape the result. */
function digest(folders) {
  const hash = createHash('sha256');
  const paths = [
    ...folders.flatMap((folder) => filesBelow(join(ROOT, folder))),
    ...SETTINGS.map((name) => join(ROOT, name)),
  ];
  for (const path of paths) {
    hash
      .update(`${relative(ROOT, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function timed(log, name, work) {
  const startMs = performance.now();
  const result = work();
  log(`build: ${name}, ${seconds(startMs)}`);
  return result;
}

function seconds(startMs) {
  return `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = (await build()) ? 0 : 1;
}
