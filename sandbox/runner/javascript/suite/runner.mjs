/**
 * Runs suites of `node:test` inside the sandbox and writes the report of schemas/runner-report.ts (gate.md parts 4 and 5).
 *
 * Reads RunnerConfig as JSON on standard input. Each test file runs in a child of its own, which reports over a pipe and
 * knows neither the nonce nor the report. A child that ends early leaves the report without an `end` line: the host judges that.
 * Node has no collect mode: `collect` runs the files and tells only the ids.
 */
import { spawn } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plainFailure } from '../shared/failure.mjs';
import { openReport } from '../shared/report.mjs';
import { after, now } from '../shared/time.mjs';
import { isTyped } from '../shared/types.mjs';
import { LIMIT_MS } from '../evidence/through.mjs';
import { moveTree } from '../shared/vary.mjs';
import { readLines } from './lines.mjs';
import { writeReport } from './written.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
/** Joined with what it imports (adapters/runner-files/one-file.ts), it starts children that are, too. */
const IS_JOINED = import.meta.url.endsWith('.cjs');
const CHILD = join(HERE, IS_JOINED ? 'child.cjs' : 'child.mjs');
const REPORTER = join(HERE, IS_JOINED ? '../wall/suite_side/reporter.mjs' : 'reporter.mjs');
/** Import of a file, on top of the limit of a test. */
const START_MS = 5_000;
/** The same where types are erased first: the eraser is compiled in each child, and the machine may be busy. */
const TYPED_START_MS = 15_000;
/** A file is begun anew for each test that hangs, this often. */
const HANGS_MAX = 5;
/** Failed tests that are run once more for what a builder may be told of them. */
const ALONE_MAX = 12;
/** Node's exit code when a handler of uncaught errors throws. */
const HANDLER_FAILED = 7;

const config = JSON.parse(readFileSync(0, 'utf8'));
const workDir = moveTree(realpathSync(config.workDir ?? '/work'), config.moveTo);
const report = openReport(config.reportPath, config.nonce, 'node:test');
config.nonce = '';
if (config.variant?.through === true) config.testTimeoutMs = Math.min(config.testTimeoutMs, LIMIT_MS);

/** V8 gives up far below the room's limit, by an abort that proves nothing: let the room's own limit be the first to be hit. */
const HEAP =
  config.memoryBytes === undefined ? [] : [`--max-old-space-size=${Math.ceil(config.memoryBytes / 1048576)}`];
const wall = config.wall ?? null;
/** The pipes to the builder's side, and to its twin where something is built apart: from 4 on in the child. */
const sides = wall === null ? [] : config.apart === undefined ? [3, 4] : [3, 4, 5, 6];
/**
 * Any flag of V8 makes Node compile its own modules instead of taking the code that it carries: a third of a child's start. Where
 * nothing of the builder's is in the child, it is begun without, and again with the flag if V8 gave up.
 */
const isQuick = wall !== null || config.stub !== null;
/** When the budget of all files is over, by the room's clock: it begins with the first file that is loaded. */
let ends = Number.POSITIVE_INFINITY;

/** Other conditions may turn round the order of files; for that within a file see turned.mjs. */
const order = config.reversed === true ? [...config.testFiles].reverse() : config.testFiles;
const results = new Map();
/** Told to runs that lock a suite: with more tests than this it is not judged. */
const testsMax = config.testsMax ?? Number.POSITIVE_INFINITY;
let isTooMany = false;
for (const file of order) {
  results.set(file, { file, ...(await (config.each === undefined ? runFile(file) : runEach(file))) });
  if (isTooMany) refuseSize();
}
const tellsAlone = config.mode === 'run' && config.apart === undefined && config.alone !== false;
if (wall !== null && tellsAlone) await runAlone();
writeReport(
  report,
  config.mode === 'run',
  config.testFiles.map((file) => results.get(file)),
);

/** Ends the program with a report of nothing else: `node:test` does not tell how many tests are still to come. */
function refuseSize() {
  const text = `the suite has more than ${testsMax} tests, at most ${testsMax} are judged; check rows of values in a loop inside one test, or split the contract`;
  report.emit({ kind: 'collected', ids: [] });
  report.emit({ kind: 'late_error', reason: 'refused', failure: plainFailure('TooManyTests', text) });
  report.finish(0, 0);
  process.exit(1);
}

function begunBefore() {
  return [...results.values()].reduce((sum, { begun }) => sum + begun, 0);
}

/**
 * What a failed test had the code answer is told only as a process says it that has run this test alone: code that keeps what it was
 * asked could tell all inputs of a suite by one wrong answer. Where it does not fail alone, nothing is told.
 */
async function runAlone() {
  let left = ALONE_MAX;
  for (const file of order) {
    const failed = testsOf([[file, results.get(file)]]).filter((test) => test.counterexample !== undefined);
    for (const test of failed) {
      delete test.counterexample;
      if (left === 0 || now() >= ends) continue;
      // The session of the last file is still open.
      if (left === ALONE_MAX) await endSession();
      left -= 1;
      const run = await runChild(file, [], HEAP, test.at);
      if (run.hungAt !== null) await endSession();
      const again = testsOf([[file, run]]).find(({ at, name }) => at === test.at && name === test.name);
      if (again?.counterexample !== undefined) test.counterexample = again.counterexample;
    }
  }
}

function testsOf(runs) {
  return [...new Map(runs).values()].flatMap(({ messages }) =>
    messages.filter((message) => message.kind === 'test').map(({ test }) => test),
  );
}

/** Messages of one file's child; begun anew with the hanging test blocked when a test does not end in time. */
async function runFile(file) {
  const blocked = [];
  let heap = isQuick ? [] : HEAP;
  for (;;) {
    const run = await runChild(file, blocked, heap);
    const hasGivenUp = run.isAborted && heap !== HEAP;
    if ((run.hungAt !== null || hasGivenUp) && wall !== null) await endSession();
    if (hasGivenUp) {
      heap = HEAP;
      continue;
    }
    if (isTooMany || run.hungAt === null || blocked.length >= HANGS_MAX || now() >= ends) return run;
    blocked.push(run.hungAt);
  }
}

/** Tests one by one, each in a child that runs no other one: what a failed test leaves, no other test finds. A child that ends early says nothing. */
async function runEach(file) {
  const names = new Map(
    config.each
      .filter((id) => id.file === file)
      .map(({ nesting, name }) => [JSON.stringify([nesting, name]), name]),
  );
  const messages = [];
  for (const [key, name] of names) {
    const run = await runChild(file, [], HEAP, null, name);
    const isClean = run.isDone && !run.isBroken && run.messages.every(({ kind }) => kind === 'test');
    const isOwn = ({ test }) => JSON.stringify([test.nesting, test.name]) === key;
    if (isClean) messages.push(...run.messages.filter(isOwn));
  }
  return { messages, hungAt: null, isBroken: false, isDone: true, isAborted: false, begun: 0 };
}

function runChild(file, blocked, heap, only = null, named = null) {
  const settings = {
    workDir,
    file,
    suiteFiles: [...config.testFiles, ...(config.suiteFiles ?? [])],
    isLast: only === null && file === order.at(-1),
    only,
    named,
    isStub: config.stub !== null,
    isReversed: config.reversed === true,
    variant: config.variant,
    pure: config.pure ?? null,
    blocked,
    wall,
    apart: config.apart?.[file] ?? [],
    testTimeoutMs: config.testTimeoutMs,
  };
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const child = spawn(
    process.execPath,
    ['--no-warnings', ...heap, `--test-reporter=${REPORTER}`, '--test-reporter-destination=stdout', CHILD],
    { cwd: workDir, env, stdio: ['pipe', 'inherit', 'inherit', 'pipe', ...sides] },
  );
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(settings));
  return collect(child, isTyped(file) ? TYPED_START_MS : START_MS);
}

/** Reads the child's messages until it has ended. `hungAt` is the number of the test that did not end in time. */
function collect(child, startMs) {
  return new Promise((resolve) => {
    const run = { messages: [], hungAt: null, isBroken: false, isDone: false, isAborted: false, begun: 0 };
    const beforeTests = [];
    let current = null;
    let callOff = () => {};
    let isKilled = false;
    const watch = (limitMs) => {
      callOff();
      callOff = after(Math.max(0, Math.min(limitMs, ends - now())), giveUp);
    };
    const begin = (at) => {
      current = at;
      run.begun = at + 1;
      if (begunBefore() + run.begun <= testsMax) return;
      isTooMany = true;
      child.kill('SIGKILL');
    };
    const giveUp = () => {
      run.hungAt = current;
      isKilled = true;
      child.kill('SIGKILL');
      if (current !== null) return;
      // The file itself does not come to an end: loading it, a group or a hook.
      run.messages.push({
        kind: 'collect_error',
        failure: plainFailure('A7TestTimeout', 'the file took longer than a test may'),
      });
      run.isDone = true;
    };
    // Until it loads the file, a child only starts: whether that takes long for want of a processor, the room's keeper tells.
    readLines(child.stdio[3], (message) => {
      if (message === null) run.isBroken = true;
      else if (message.kind === 'begin') begin(message.at);
      else if (message.kind === 'progress') current = message.at === current ? null : current;
      else if (message.kind === 'loading') ends = Math.min(ends, now() + (wall?.budgetMs ?? ends));
      else if (message.kind === 'apart') run.apart = message.places;
      else if (message.kind === 'done') run.isDone = true;
      else if (message.kind === 'hung') return giveUp();
      else if (message.kind === 'before_tests') beforeTests.push(message.failure);
      else run.messages.push(message);
      watch(config.testTimeoutMs + (current === null ? startMs : 0));
    });
    child.once('close', (code, signal) => {
      callOff();
      run.isAborted = signal === 'SIGABRT';
      if (!run.isDone && code === HANDLER_FAILED && beforeTests.length > 0) {
        // `node:test` gives up at an error before its first test: the file could not be loaded.
        run.messages.push(...beforeTests.map((failure) => ({ kind: 'collect_error', failure })));
        run.isDone = true;
      } else if (run.isDone && !isKilled) run.messages.push(...exitMessages(run.messages, code));
      resolve(run);
    });
  });
}

/** Tells the builder's side that a session whose child was killed is over. It may not read: then the next one says so. */
function endSession() {
  return new Promise((resolve) => {
    const bye = spawn('sh', ['-c', `printf '\\000\\000\\000\\007["bye"]' >&3`], {
      stdio: ['ignore', 'ignore', 'ignore', 4],
    });
    const timer = setTimeout(() => bye.kill('SIGKILL'), 1_000);
    bye.once('close', () => resolve(clearTimeout(timer)));
  });
}

/** A file without any failure ends with code 0, another one may end with 1: all else was done behind the report's back. */
function exitMessages(messages, code) {
  const isGreen = messages.every(
    ({ kind, test }) =>
      kind === 'impure' || (kind === 'test' && ['passed', 'skipped', 'todo'].includes(test.outcome)),
  );
  if (code === 0 || (code === 1 && !isGreen)) return [];
  const end = code === null ? 'was ended by a signal' : `ended with exit code ${code}`;
  return [{ kind: 'late', failure: plainFailure('ExitCode', `The process ${end} after its tests`) }];
}
