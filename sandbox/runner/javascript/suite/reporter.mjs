/** The reporter that `node:test` loads in the child: turns its events into test records with ids of our own. */
import { toldAnswers } from '../mutants/answers.mjs';
import { begun, parts, reporterIsSet, send, settings } from './channel.mjs';
import { bounded, failureOf, plainFailure, relativeFile } from '../shared/failure.mjs';
import { claimStray, flushStrays } from './strays.mjs';

const TEAR_DOWN = /^failed running after/u;
const ONLY = /^'only' and 'runOnly' require the --test-only/u;

const failure = failureOf(settings);

/** No plain function: `node:test` would call it with `new`. It is called when the reporters are set up. */
export default (source) => {
  reporterIsSet.resolve();
  return report(source);
};

/** Consumes all events, then tells the parent everything, `done` last; what reaches the process after that is told too. */
async function* report(source) {
  const run = { stack: [], tests: [], claimed: new Set() };
  for await (const event of source) take(run, event);
  for (const test of run.tests) send({ kind: 'test', test });
  await begun.settle?.();
  flushStrays();
  // A hard-coded export tells that it ran (adapters/symbols/hard-coded.ts).
  send({ kind: 'done', ran: globalThis[Symbol.for('a7.ran')] === true, answers: toldAnswers() });
  yield '';
}

function take(run, { type, data }) {
  if (type === 'test:start') {
    run.stack.length = data.nesting;
    const place = { name: bounded(data.name, 500), whole: data.name, first: run.tests.length };
    run.stack.push({ ...place, line: data.line, failed: 0 });
  } else if (type === 'test:pass' || type === 'test:fail') {
    finish(run, type, data);
  } else if (type === 'test:diagnostic') {
    diagnose(data);
  }
}

function finish(run, type, data) {
  const error = data.details.error;
  if (type === 'test:fail') claimStray(causeOf(error));
  // A hook of the whole file that fails at its end is told as a test with the file's name.
  if (error?.failureType === 'hookFailed' && data.nesting === 0 && data.name === data.file)
    return send({ kind: 'late', failure: failure(causeOf(error)) });
  const own = run.stack[data.nesting] ?? { first: run.tests.length, failed: 0 };
  const isSuite = data.details.type === 'suite';
  if (isSuite) suiteFailure(own, type, data);
  else run.tests.push(joined(record(run, type, data), run.tests.splice(own.first), error));
  if (type === 'test:fail') for (const group of run.stack.slice(0, data.nesting)) group.failed += 1;
}

/** A test with those that ran inside of it: one that did not run leaves it without an outcome, and what failed there is why it fails. */
function joined(test, inside, error) {
  const left = inside.find(({ outcome }) => outcome === 'skipped' || outcome === 'todo');
  if (left !== undefined) return { ...test, outcome: left.outcome, failure: null };
  const failed = inside.find(({ failure: found }) => found !== null);
  const isTheirs = error?.failureType === 'subtestsFailed' && begun[test.at]?.fault === undefined;
  return isTheirs && failed !== undefined ? { ...test, failure: failed.failure } : test;
}

function record(run, type, data) {
  const above = run.stack.slice(0, data.nesting);
  const isPart = parts.has([...above.map(({ whole }) => whole), data.name].join(' > '));
  const at = isPart
    ? -1
    : begun.findIndex((entry, index) => entry.name === data.name && !run.claimed.has(index));
  const isSkipped = data.skip !== undefined && data.skip !== false;
  if (at >= 0 && !isSkipped) run.claimed.add(at);
  const error = data.details.error;
  const isHook = error?.failureType === 'hookFailed';
  const fault = begun[at]?.fault ?? null;
  const outcome =
    fault !== null
      ? 'failed'
      : isSkipped
        ? 'skipped'
        : data.todo !== undefined && data.todo !== false
          ? 'todo'
          : type === 'test:pass'
            ? 'passed'
            : isHook
              ? 'error'
              : 'failed';
  return {
    at,
    nesting: above.map((group) => group.name),
    name: bounded(data.name, 1000),
    outcome,
    phase: !isHook ? 'call' : TEAR_DOWN.test(error.message) ? 'teardown' : 'setup',
    failure: fault ?? (outcome === 'failed' || outcome === 'error' ? failure(causeOf(error)) : null),
    ...(outcome === 'failed' && begun[at]?.example ? { counterexample: begun[at].example } : {}),
    ...(settings.wall === null ? {} : { called: begun[at]?.called ?? [] }),
    ...(begun[at]?.calls === undefined ? {} : { calls: begun[at].calls }),
    reached: at >= 0 && !isSkipped ? [...begun[at].reached] : [],
    durationMs: Math.max(0, Number(data.details.duration_ms) || 0),
  };
}

/** A group that fails by itself: its body did not register its tests, or a hook failed without failing one of them. */
function suiteFailure(own, type, data) {
  const error = data.details.error;
  if (type !== 'test:fail' || error?.failureType === 'subtestsFailed' || own.failed > 0) return;
  const kind = error?.failureType === 'hookFailed' ? 'late' : 'collect_error';
  send({ kind, failure: failure(causeOf(error)) });
}

function diagnose(data) {
  if (ONLY.test(String(data.message))) refuse("'only' leaves out other tests", data);
}

function refuse(message, data) {
  const frames = isFile(data) ? [{ file: settings.file, line: data.line }] : [];
  send({ kind: 'refused', failure: plainFailure('Refused', `${settings.file}: ${message}`, frames) });
}

function isFile(data) {
  return typeof data.file === 'string' && relativeFile(data.file, settings.workDir) === settings.file;
}

/** The error that the test's code threw, out of the wrapper of `node:test`. */
function causeOf(error) {
  const isWrapped =
    error?.code === 'ERR_TEST_FAILURE' && typeof error.cause === 'object' && error.cause !== null;
  return isWrapped ? error.cause : (error ?? new Error('failed'));
}
