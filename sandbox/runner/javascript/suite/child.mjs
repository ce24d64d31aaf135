/** Runs one test file of `node:test` and tells the parent over a pipe what happened. Knows neither nonce nor report. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import { pathToFileURL } from 'node:url';
import { begun, parts, reporterIsSet, send, settings } from './channel.mjs';
import { failureOf } from '../shared/failure.mjs';
import { holdVerdictFunctions } from './integrity.mjs';
import { reachRecorder } from '../evidence/reach.mjs';
import { watchReads } from '../evidence/reads.mjs';
import { playThrough } from '../evidence/through.mjs';
import { watchAnswers } from '../mutants/answers.mjs';
import { watchStrays } from './strays.mjs';
import { acceptTypes } from '../shared/types.mjs';
import { shiftByEnvironment, withTurned } from '../shared/vary.mjs';

class A7TestTimeout extends Error {}

const path = join(settings.workDir, settings.file);
const failure = failureOf(settings);
const recorder = reachRecorder(settings.variant ?? {});
if (settings.isStub) {
  recorder.install();
  watchReads(settings.workDir, settings.suiteFiles);
  if (settings.variant?.through === true) playThrough();
}

let source = '';
try {
  source = readFileSync(path, 'utf8');
} catch {
  // The import below says it better.
}

/** Registers what the file has registered, from the last to the first; null where the file keeps its order. */
const turnRound = settings.isReversed ? await turned() : null;

watchStrays();
// Behind the wall no code is near them.
if (settings.wall === null) holdVerdictFunctions();
shiftByEnvironment();
acceptTypes(settings.file);
if (settings.answers) watchAnswers(settings.answers);
const wall = settings.wall === null ? null : await openWallOf(settings);

/** Full names of the tests that have begun and not ended. */
const open = new Set();
const isPart = ({ fullName }) => [...open].some((name) => fullName.startsWith(`${name} > `));

beforeEach((context) => {
  // A test inside of a test belongs to that one: its calls, its time and how it ends.
  if (isPart(context)) return void parts.add(context.fullName);
  open.add(context.fullName);
  const at = begun.length;
  begun.push({ name: context.name, reached: recorder.begin() });
  send({ kind: 'begin', at, name: context.name });
  wall?.beginTest(settings.testTimeoutMs);
  // An earlier run of this file hung here: the test has had its time.
  const isOther = (settings.only ?? at) !== at || (settings.named ?? context.name) !== context.name;
  if (isOther) throw new Error('another test runs alone');
  if (settings.blocked.includes(at)) throw new A7TestTimeout('the test ran longer than its limit');
});
afterEach((context) => {
  if (isPart(context)) return;
  open.delete(context.fullName);
  const calls = recorder.finish();
  if (settings.isStub) begun.at(-1).calls = calls;
  wall?.endTest();
  send({ kind: 'progress', at: begun.length - 1 });
});

if (settings.pure) (await import('./pure.mjs')).watchPurity(settings.pure);

// Until its reporter is loaded, `node:test` ends the process at a stray error, and how long that takes is the disk's affair.
await reporterIsSet.promise;
send({ kind: 'loading' });

try {
  await import(pathToFileURL(path).href);
} catch (error) {
  send({ kind: 'collect_error', failure: failure(error) });
}
turnRound?.();
recorder.imported();
send({ kind: 'progress', at: null });

/** Has the file take its functions from a module that turns them round: by another name in the same line. */
async function turned() {
  const module = new URL('./turned.mjs', import.meta.url).href;
  // A child that was killed at a test that hangs has changed it before.
  const isChanged = source.includes('/suite/turned.mjs');
  const changed = isChanged ? source : withTurned(source, module);
  if (changed === null) return null;
  if (!isChanged) writeFileSync(path, changed);
  return (await import(module)).turnRound;
}

/** The suite's end of the wall (wall/suite_side/open.mjs): the code lives in another process. */
async function openWallOf(config) {
  const { openWallFor } = await import('../wall/suite_side/child.mjs');
  try {
    return openWallFor(config, failure);
  } catch (error) {
    send({ kind: 'collect_error', failure: failure(error) });
    send({ kind: 'done' });
    process.exit(1);
  }
}
