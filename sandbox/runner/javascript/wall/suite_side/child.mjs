/** The wall of one test file's child: its session, and what its faults do to the test that is running. */
import { begun, send } from '../../suite/channel.mjs';
import { openWall } from './open.mjs';
import { counterexample } from './notes.mjs';

/** Where suite/runner.mjs lays the pipes. */
const READ_FD = 4;
const WRITE_FD = 5;
/** A call ends before its test does, so that the call is named. */
const MARGIN_MS = 100;
/** Turns that what the code has begun is given at the end. */
const LAST_TURNS = 3;

const forever = new Int32Array(new SharedArrayBuffer(4));

/** The session, with `beginTest` and `endTest` for the hooks of the child. */
export function openWallFor(settings, failure) {
  const { wall, workDir, file } = settings;
  const session = openWall({
    ...{ wall, workDir, file, readFd: READ_FD, writeFd: WRITE_FD },
    apart: settings.apart,
  });
  let isIn = false;
  session.onFault = (error) => {
    const at = begun.length - 1;
    const told = { ...failure(error), assertion: false };
    if (!isIn) send({ kind: 'late', failure: told });
    else begun[at].fault ??= told;
    if (!isIn || error.constructor.name !== 'A7TestTimeout') return;
    // The builder's process is gone with this call: the runner begins anew without the test.
    send({ kind: 'hung' });
    Atomics.wait(forever, 0, 0);
  };
  session.onStray = (error) => send({ kind: 'late', failure: failure(error) });
  // After the last one no process of the builder's is started: the room ends.
  if (!settings.isLast) process.once('exit', () => sayBye(session));
  begun.settle = async () => {
    await settle(session);
    send({ kind: 'apart', places: session.apart.list() });
  };
  return {
    beginTest: (limitMs) => {
      isIn = true;
      session.beginTest(Math.max(1, limitMs - MARGIN_MS));
    },
    endTest: () => {
      isIn = false;
      begun.at(-1).example = counterexample(session);
      begun.at(-1).called = session.called.take();
      const kept = session.kept.take();
      if (kept !== undefined) begun.at(-1).fault ??= failure(kept);
      session.endTest();
    },
  };
}

function sayBye(session) {
  try {
    session.wire.send(['bye']);
    session.twin?.bye();
  } catch {
    // Nobody is there to hear it.
  }
}

async function settle(session) {
  for (let turn = 0; turn < LAST_TURNS && session.dead === null; turn += 1) if (!session.step()) return;
}
