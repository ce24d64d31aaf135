/**
 * Starts a test runner of the plan's packages as itself: `tool.mjs mocha --reporter tap test`. No folder of programs is
 * needed: a package's own `bin` says what to start. Afterwards the files that ran are noted in /out/loaded.json.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { matcher } from './globs.mjs';
import { loadedLines, watchLoaded } from './loaded.mjs';

const OUT = '/out/loaded.json';
const [name, ...given] = process.argv.slice(2);
const workDir = process.cwd();

watchLoaded();
if (name === 'vitest') {
  const ended = new URL('ended.mjs', import.meta.url).href;
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, `--import=${ended}`].filter(Boolean).join(' ');
}
process.exitCode =
  name === 'tap' ? runFiles(given) : run(binOf(name), name === 'tape' ? given.flatMap(named) : given);
writeFileSync(OUT, JSON.stringify(loadedLines(workDir, fileURLToPath(new URL('../..', import.meta.url)))));

/** Scripts that print TAP by themselves, one after the other. */
function runFiles(patterns) {
  const files = patterns.flatMap((pattern) => expanded(pattern));
  if (files.length === 0) throw new Error(`Cannot run tests: no file matches ${patterns.join(' ')}`);
  return files.map((file) => run(file, [])).find((code) => code !== 0) ?? 0;
}

/** Scripts of packages are lines of a shell, which puts names in the place of patterns; old runners rely on it. */
function named(word) {
  const files = word.startsWith('-') ? [] : expanded(word);
  return files.length === 0 ? [word] : files;
}

function run(file, words) {
  const { status, signal, error } = spawnSync(process.execPath, [file, ...words], { stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (signal !== null) process.stderr.write(`${file} was ended by ${signal}\n`);
  return status ?? 1;
}

/** The program that a package names; the tree's own copy goes first, as it does for Node. */
function binOf(packageName) {
  const places = createRequire(join(workDir, 'package.json')).resolve.paths(packageName) ?? [];
  const folder = places
    .map((place) => join(place, packageName))
    .find((place) => existsSync(join(place, 'package.json')));
  if (folder === undefined) {
    process.stderr.write(`Error: Cannot find package '${packageName}' imported from ${workDir}\n`);
    process.exit(127);
  }
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = typeof bin === 'string' ? bin : (bin?.[packageName] ?? Object.values(bin ?? {})[0]);
  return join(folder, file);
}

/** `test/*.js`, `test/**` and plain names; a folder stands for the scripts in it. */
function expanded(pattern) {
  const plain = pattern.replace(/\/+$/u, '');
  if (!/[*?{]/u.test(plain)) {
    const isFolder = existsSync(plain) && !/\.[cm]?js$/u.test(plain);
    return isFolder ? expanded(`${plain}/*.js`) : existsSync(plain) ? [plain] : [];
  }
  const matches = matcher(plain);
  return below('')
    .filter((path) => matches(path))
    .sort();
}

function below(folder) {
  return readdirSync(join(workDir, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === '.git' ? [] : below(path);
    return entry.isFile() ? [path] : [];
  });
}
