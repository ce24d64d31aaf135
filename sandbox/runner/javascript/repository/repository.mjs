/**
 * Runs a repository's own `node:test` suite and writes the report of schemas/runner-report.ts.
 *
 * Reads {nonce, reportPath, testTimeoutMs, args, paths, watch} as JSON on standard input. Each test file runs in a process of its own,
 * started by `node:test`; the events are counted here, outside of them. A file that ends its own process early fails
 * (repo_node_exit.mjs), and a test file that registers no test is told.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bounded, failureMaker, plainFailure } from '../shared/failure.mjs';
import { openReport } from '../shared/report.mjs';
import { matcher } from './globs.mjs';
import { loadedLines, watchLoaded } from './loaded.mjs';

const TEST_NAME = /(^|[.\-_])(test|spec)\.[cm]?js$|^test-.*\.[cm]?js$/;
const LEFT_OUT = new Set(['node_modules', '.git', '.a7']);
const FILES_MAX = 5000;
const PRINTED_MAX = 4000;

const config = JSON.parse(readFileSync(0, 'utf8'));
const workDir = process.cwd();
const report = openReport(config.reportPath, config.nonce, 'node:test');
config.nonce = '';

const files = testFiles(config.paths).map((path) => join(workDir, path));
const failure = failureMaker(workDir, []);
const state = {
  tests: [],
  ordinals: new Map(),
  withTests: new Set(),
  late: [],
  stacks: new Map(),
  started: new Map(),
  printed: new Map(),
};
if (files.length > 0) {
  const guard = fileURLToPath(new URL('./exit.mjs', import.meta.url));
  process.env.NODE_OPTIONS = [`--import=${guard}`, ...config.args].join(' ');
  if (config.watch) watchLoaded();
  for await (const event of run({ files, timeout: config.testTimeoutMs, concurrency: 1 })) take(event);
}
finish();

function take({ type, data }) {
  if (type === 'test:start') began(data);
  else if (type === 'test:pass' || type === 'test:fail') ended(type, data);
  else if (type === 'test:stderr' || type === 'test:stdout') printed(data);
}

/** What a file printed last says why it ended. */
function printed(data) {
  process.stderr.write(data.message);
  const file = fileOf(data);
  state.printed.set(file, `${state.printed.get(file) ?? ''}${data.message}`.slice(-PRINTED_MAX));
}

function began(data) {
  if (isFileItself(data)) return;
  const file = fileOf(data);
  const stack = state.stacks.get(file) ?? [];
  stack.length = data.nesting;
  stack.push(bounded(data.name, 500));
  state.stacks.set(file, stack);
  state.started.set(file, (state.started.get(file) ?? 0) + 1);
}

function ended(type, data) {
  const isSkipped = data.skip !== undefined && data.skip !== false;
  const isOpen = data.todo !== undefined && data.todo !== false;
  if (isFileItself(data)) return fileEnded(type, data);
  const file = fileOf(data);
  state.started.set(file, (state.started.get(file) ?? 0) - 1);
  state.withTests.add(file);
  const isGroup = data.details.type === 'suite';
  const error = data.details.error;
  if (isGroup && (type === 'test:pass' || error?.failureType === 'subtestsFailed') && !isSkipped) return;
  const nesting = (state.stacks.get(file) ?? []).slice(0, data.nesting);
  const name = bounded(data.name, 1000);
  const outcome = isSkipped ? 'skipped' : isOpen ? 'todo' : type === 'test:pass' ? 'passed' : 'failed';
  state.tests.push({
    kind: 'test',
    id: { file, nesting, name, ordinal: ordinalOf(file, nesting, name) },
    outcome,
    phase: 'call',
    failure: outcome === 'failed' ? failure(causeOf(error)) : null,
    reached: [],
    durationMs: Math.max(0, Number(data.details.duration_ms) || 0),
  });
}

/** `node:test` tells of a file as of a test where it failed as a whole, or registered nothing. */
function fileEnded(type, data) {
  const file = pathOf(data.name);
  if (type === 'test:pass') return;
  state.withTests.add(file);
  const error = data.details.error;
  const cause = causeOf(error);
  const code = error?.exitCode ?? cause?.exitCode;
  const text =
    code === undefined || code === null
      ? bounded(cause?.message ?? cause, 1000)
      : bounded(`the file ended with exit code ${code}${errorOf(file)}`, 1000);
  state.late.push({
    kind: 'collect_error',
    file,
    failure: plainFailure('FileFailed', text, [{ file, line: 0 }]),
  });
}

/** The line of the error that ended a file, and what it says of it, as Node prints them. */
function errorOf(file) {
  const lines = (state.printed.get(file) ?? '').split('\n');
  const at = lines.findIndex((line) => /^(?:\w*Error|Uncaught)\b.*:/u.test(line));
  return at < 0 ? '' : `: ${lines[at]}`;
}

function finish() {
  report.emit({ kind: 'collected', ids: state.tests.map((test) => test.id) });
  for (const line of state.late) report.emit(line);
  for (const test of state.tests) report.emit(test);
  const told = new Set(state.late.map((line) => line.file));
  for (const path of files.map((file) => pathOf(file))) {
    const open = state.started.get(path) ?? 0;
    if (told.has(path)) continue;
    if (open > 0) tell('EarlyExit', `${path}: ${open} tests began and never ended`, path);
    else if (!state.withTests.has(path))
      tell('FileWithoutTests', `Test file ${path} registered no test`, path);
  }
  if (files.length > 0 && config.watch)
    for (const line of loadedLines(workDir, fileURLToPath(new URL('../..', import.meta.url))))
      report.emit(line);
  report.finish(state.tests.length, state.tests.length);
  const isGreen = state.late.length === 0 && state.tests.every((test) => test.outcome !== 'failed');
  process.exitCode = isGreen ? 0 : 1;
}

function tell(type, text, file) {
  state.late.push({ file });
  report.emit({
    kind: 'late_error',
    reason: 'refused',
    failure: plainFailure(type, text, [{ file, line: 0 }]),
  });
}

/** Named files and folders, or every file of the usual names below the work folder; helpers are not run. */
function testFiles(paths) {
  const found = paths.length === 0 ? below('', isTestFile) : paths.flatMap((path) => named(path));
  return [...new Set(found)].sort().slice(0, FILES_MAX);
}

function named(path) {
  const plain = relative('', path);
  const stats = statSync(join(workDir, plain), { throwIfNoEntry: false });
  const fitting = stats === undefined && /[*?{]/u.test(plain) ? below('', matcher(plain)) : [];
  if (fitting.length > 0) return fitting.filter((each) => /\.[cm]?js$/u.test(each));
  if (stats === undefined) throw new Error(`Cannot run tests: there is no "${path}"`);
  return stats.isDirectory() ? below(plain, isTestFile) : [plain];
}

function below(folder, keep) {
  const entries = readdirSync(join(workDir, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : below(path, keep);
    return entry.isFile() && keep(path) ? [path] : [];
  });
}

/** The names that node looks for, and `.spec`; in a folder `test` only files of such names, so that helpers lie beside them. */
function isTestFile(path) {
  return TEST_NAME.test(basename(path)) || /^test\.[cm]?js$/.test(basename(path));
}

function isFileItself(data) {
  return data.nesting === 0 && files.includes(join(workDir, pathOf(data.name)));
}

function pathOf(name) {
  const path = name.startsWith(workDir + sep) ? name.slice(workDir.length + 1) : name;
  return bounded(path, 500);
}

function fileOf(data) {
  return typeof data.file === 'string' ? pathOf(data.file) : '';
}

function ordinalOf(file, nesting, name) {
  const key = JSON.stringify([file, nesting, name]);
  const ordinal = state.ordinals.get(key) ?? 0;
  state.ordinals.set(key, ordinal + 1);
  return ordinal;
}

/** The error that the test's code threw, out of the wrapper of `node:test`. */
function causeOf(error) {
  const isWrapped = error?.code === 'ERR_TEST_FAILURE' && error.cause !== undefined && error.cause !== null;
  return isWrapped ? error.cause : (error ?? new Error('failed'));
}
