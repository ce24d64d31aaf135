/**
 * The builder's side of the glass wall: runs the code under test in a process of its own and serves one call at a time. It
 * sees the code, its dependencies and the scaffold, never the suite; nothing that it says is believed beyond the answer to a
 * call. It serves one session, from `hello` to `bye`; the shell around it then starts the next. Descriptors 3 and 4 are the pipes,
 * 5 is where that shell reads which call is under way.
 */
import { builtin } from './a7_builtin.mjs';
import { framesOf } from './a7_node_failure.mjs';
import { acceptTypes } from './a7_types.mjs';
import { shiftByEnvironment } from './a7_vary.mjs';
import { Beat } from './wall_js_beat.mjs';
import { Session } from './wall_js_session.mjs';
import { Wire } from './wall_js_wire.mjs';

const { createRequire } = builtin('node:module');
const { join } = builtin('node:path');
const { pathToFileURL } = builtin('node:url');

const READ_FD = 3;
const WRITE_FD = 4;
const BEAT_FD = 5;
const STRAYS_MAX = 20;
/** What keeps no loop alive that code waits for: the process's own streams and ports. */
const IDLE = new Set(['PipeWrap', 'TTYWrap', 'FileHandle', 'MessagePort', 'CloseReq']);
const root = process.cwd();
const exit = process.reallyExit.bind(process);
const turn = setImmediate;
const busyWith = process.getActiveResourcesInfo.bind(process);

class BuilderSession extends Session {
  strays = [];
  beat = new Beat(BEAT_FD);

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
    const { isOn } = this.beat;
    this.beat.end();
    try {
      return super.ask(...request);
    } finally {
      if (isOn) this.beat.begin();
    }
  }

  answer(message) {
    if (this.depth === 0) return super.answer(message);
    this.beat.begin();
    try {
      return super.answer(message);
    } finally {
      this.beat.end();
    }
  }

  /** Serves requests that come while none of ours is under way. */
  async run() {
    for (;;) {
      const message = this.wire.receive();
      if (message[0] !== 0) continue;
      this.beat.begin(message.at(-2)?.l);
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
    session.beat.end();
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
  try {
    await session.run();
  } catch {
    exit(9);
  }
}

await main();
