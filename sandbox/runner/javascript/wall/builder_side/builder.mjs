/**
 * The builder's side of the glass wall: runs the code under test in a process of its own and serves one call at a time. It
 * sees the code, its dependencies and the scaffold, never the suite; nothing that it says is believed beyond the answer to a
 * call. It serves one session, from `hello` to `bye`; the shell around it then starts the next. Descriptors 3 and 4 are the pipes,
 * 5 is where that shell reads which call is under way; the name of that file is the argument.
 */
import { builtin } from '../../shared/builtin.mjs';
import { framesOf } from '../../shared/failure.mjs';
import { acceptTypes, isTyped } from '../../shared/types.mjs';
import { shiftByEnvironment } from '../../shared/vary.mjs';
import { Beat } from './beat.mjs';
import { CodeGlobals } from '../crossing/globals.mjs';
import { beside, Session } from '../crossing/session.mjs';
import { Wire } from '../crossing/wire.mjs';

const { rmSync } = builtin('node:fs');
const { createRequire } = builtin('node:module');
const { join } = builtin('node:path');
const { pathToFileURL } = builtin('node:url');
const { types } = builtin('node:util');

const READ_FD = 3;
const WRITE_FD = 4;
const BEAT_FD = 5;
const STRAYS_MAX = 20;
/** What keeps no loop alive that code waits for: the process's own streams. A port does: what a worker will say comes over it. */
const IDLE = new Set(['PipeWrap', 'TTYWrap', 'FileHandle', 'CloseReq']);
const root = process.cwd();
const exit = process.reallyExit.bind(process);
const turn = setImmediate;
const busyWith = process.getActiveResourcesInfo.bind(process);

class BuilderSession extends Session {
  strays = [];
  beat = new Beat(BEAT_FD);
  globals = new CodeGlobals();

  isQuiet() {
    return this.strays.length === 0 && super.isQuiet();
  }

  taken(message) {
    super.taken(message);
    const replaced = beside(message)?.g;
    if (replaced !== undefined) this.globals.take(replaced, this.membrane.dec);
    return message;
  }

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
      if (message[0] !== 0 && message[0] !== 5) continue;
      this.beat.begin(beside(message)?.l);
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

  /** What is exported, by a module of either system. */
  #attend(found) {
    this.membrane.attend(found);
    if ((typeof found !== 'object' && typeof found !== 'function') || found === null || types.isProxy(found))
      return;
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(found)))
      if (typeof value === 'function') this.membrane.attend(value);
  }

  async #import(message) {
    this.taken(message);
    const [, , , name] = message;
    let found;
    let failure;
    try {
      found = await load(join(root, name), message[5][0] === 'require');
    } catch (error) {
      failure = { error };
    }
    this.send(() => {
      if (failure !== undefined) throw failure.error;
      return found;
    });
    this.#attend(found);
  }
}

const require = createRequire(import.meta.url);
/** What `require` says of an ES module that it cannot bring in, before anything of the module has run. */
const NOT_AT_ONCE = new Set(['ERR_REQUIRE_ASYNC_MODULE', 'ERR_REQUIRE_ESM']);

/** A module of the code. ES modules are required, too, where they can be: the loader of `import` takes longer to start than all else here. */
async function load(path, isRequired) {
  if (isRequired) return require(path);
  const url = pathToFileURL(path).href;
  // Types are erased by hooks of that loader.
  if (isTyped(path)) return import(url);
  try {
    const found = require(path);
    if (types.isModuleNamespaceObject(found)) return found;
  } catch (error) {
    // What cannot be parsed or linked has not run either, and `import` names the place.
    if (!(error instanceof SyntaxError) && !NOT_AT_ONCE.has(error?.code)) throw error;
  }
  return import(url);
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
  rmSync(process.argv[2], { force: true });
  const wire = new Wire(READ_FD, WRITE_FD);
  const [, , hasTypes] = greet(wire);
  shiftByEnvironment();
  if (hasTypes) acceptTypes('code.ts');
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
