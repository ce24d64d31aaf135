/**
 * The builder's side of the glass wall: runs the code under test in a process of its own and serves one call at a time. It
 * sees the code, its dependencies and the scaffold, never the suite; nothing that it says is believed beyond the answer to a
 * call. It serves one session, from `hello` to `bye`; the shell around it then starts the next. Descriptors 3 and 4 are the pipes.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { framesOf } from './a7_node_failure.mjs';
import { acceptTypes } from './a7_types.mjs';
import { shiftByEnvironment } from './a7_vary.mjs';
import { Session } from './wall_js_session.mjs';
import { Wire } from './wall_js_wire.mjs';

const READ_FD = 3;
const WRITE_FD = 4;
const STRAYS_MAX = 20;
/** What keeps no loop alive that code waits for: the process's own streams and ports. */
const IDLE = new Set(['PipeWrap', 'TTYWrap', 'FileHandle', 'MessagePort', 'CloseReq']);
const root = process.cwd();
const exit = process.reallyExit.bind(process);
const turn = setImmediate;
const busyWith = process.getActiveResourcesInfo.bind(process);

class BuilderSession extends Session {
  strays = [];
  // Int32: the call that is under way, or 0, and its limit in milliseconds.
  watched = new Int32Array(new SharedArrayBuffer(8));
  calls = 0;

  more(settled) {
    const more = super.more(settled);
    if (this.strays.length > 0) {
      more.e = this.strays.splice(0).map((error) => [this.membrane.enc(error), framesOf(error, root)]);
    }
    return more;
  }

  thrown(error) {
    const make = super.thrown(error);
    return () => {
      const parts = make();
      return parts[0] === 2 ? [...parts, framesOf(error, root)] : parts;
    };
  }

  ask(...request) {
    const [call] = this.watched;
    this.watched[0] = 0;
    try {
      return super.ask(...request);
    } finally {
      if (call !== 0) this.watched[0] = this.calls += 1;
    }
  }

  answer(message) {
    if (this.depth === 0) return super.answer(message);
    this.watched[0] = this.calls += 1;
    try {
      return super.answer(message);
    } finally {
      this.watched[0] = 0;
    }
  }

  /** Serves requests that come while none of ours is under way. */
  async run() {
    for (;;) {
      const message = this.wire.receive();
      if (message[0] !== 0) continue;
      const limitMs = message.at(-2)?.l;
      this.watched[1] = typeof limitMs === 'number' ? limitMs : 0;
      this.watched[0] = this.calls += 1;
      if (message[1] === 'step') await this.#step(message);
      else if (message[1] === 'import') await this.#import(message);
      else this.serve(message);
    }
  }

  /** Lets what the code has begun go on for one turn; tells whether there is more. */
  async #step(message) {
    this.taken(message);
    await new Promise((resolve) => turn(resolve));
    this.send(() => busyWith().some((name) => !IDLE.has(name)));
  }

  async #import(message) {
    this.taken(message);
    const [, , , name] = message;
    let found;
    let failure;
    try {
      const path = join(root, name);
      found =
        message[5][0] === 'require' ? createRequire(path)(path) : await import(pathToFileURL(path).href);
    } catch (error) {
      failure = { error };
    }
    this.send(() => {
      if (failure !== undefined) throw failure.error;
      return found;
    });
  }
}

/** Ends a call at its limit from a thread of its own: the code may never let go of the other one. */
const WATCH = `
const { workerData: { watched, fd } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const nap = new Int32Array(new SharedArrayBuffer(4));
let seen = 0, since = 0;
for (;;) {
  Atomics.wait(nap, 0, 0, 20);
  const [call, limitMs] = [Atomics.load(watched, 0), Atomics.load(watched, 1)];
  if (call !== seen) [seen, since] = [call, performance.now()];
  else if (call !== 0 && limitMs > 0 && performance.now() - since >= limitMs) {
    writeSync(fd, Buffer.from([0, 0, 0, 3, 91, 52, 93]));
    process.kill(process.pid, 'SIGKILL');
  }
}`;

/** The first message names the session; what an earlier one has left behind is passed over. */
function greet(wire) {
  for (;;) {
    const message = wire.receive();
    if (message[0] === 'hello') {
      wire.send(['hello', message[1]]);
      return message;
    }
  }
}

async function main() {
  const wire = new Wire(READ_FD, WRITE_FD);
  const [, , isTyped] = greet(wire);
  shiftByEnvironment();
  if (isTyped) acceptTypes('code.ts');
  const session = new BuilderSession(wire, { parity: 1, isWeak: false });
  const receive = wire.receive.bind(wire);
  const send = wire.send.bind(wire);
  // A call lasts until its answer is encoded; what is being written is not to be cut off.
  wire.send = (message) => {
    session.watched[0] = 0;
    send(message);
  };
  wire.receive = () => {
    const message = receive();
    if (message[0] === 'bye') exit(0);
    return message;
  };
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error) => {
      if (session.strays.length < STRAYS_MAX) session.strays.push(error);
    });
  new Worker(WATCH, { eval: true, workerData: { watched: session.watched, fd: WRITE_FD } }).unref();
  try {
    await session.run();
  } catch {
    exit(9);
  }
}

await main();
