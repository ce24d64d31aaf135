/** Opens the suite's end of the wall: session, loader hook and `require`, before anything of the suite is loaded. */
import { builtin } from '../../shared/builtin.mjs';
import { compareMembers } from './deep_equal.mjs';
import { isObject } from '../crossing/members.mjs';
import { SuiteSession } from './suite.mjs';
import { spelled } from '../crossing/spelling.mjs';
import { layStandIns, WAY } from './stand_ins.mjs';
import { Twin } from './twin.mjs';
import { Wire, WireError } from '../crossing/wire.mjs';

const { closeSync, openSync, readSync } = builtin('node:fs');
const Module = builtin('node:module');
const { dirname, relative, resolve } = builtin('node:path');

let open = null;

/**
 * `wall` is {modules: [{module, names, shapes}], types, callTimeoutMs}; `file` is what imports them, null where nothing does.
 * @throws {WireError} when the other side does not answer.
 */
export function openWall({ wall, workDir, file, readFd, writeFd, apart = [] }) {
  const wire = new Wire(readFd, writeFd, { readsAhead: true });
  const isTyped = wall.modules.some(({ module }) => /\.m?ts$/u.test(module));
  greet(wire, isTyped);
  const session = new SuiteSession(wire, wall.callTimeoutMs);
  session.results.types = wall.types ?? {};
  session.kept.isOpen = wall.asserts ?? false;
  open = { session, modules: wall.modules, brought: new Map() };
  if (apart.length > 0) session.twin = new LateTwin(wall, apart, [readFd + 2, writeFd + 2], isTyped);
  const modules = wall.modules.map(({ module, names }) => ({ module, names }));
  if (file === null) return session;
  if (wall.modules.some(({ shapes }) => Object.values(shapes).some(isClass))) compareMembers(session.results);
  Object.defineProperty(globalThis, Symbol.for(WAY), { value: (index) => wallModule(index) });
  const told = { modules, workDir };
  // Hooks have a thread of their own, whose start takes longer than that of the rest together.
  if (!layStandIns(file, told)) Module.register('./hooks.mjs', import.meta.url, { data: told });
  openRequire(wall.modules, workDir);
  return session;
}

/** Its process starts when something is first built there: by then the suite has what the code exports. */
class LateTwin {
  #open;
  #twin = null;
  #wire = null;

  constructor(wall, apart, [readFd, writeFd], isTyped) {
    this.#open = () => {
      const { session, modules, brought } = open;
      this.#wire = new Wire(readFd, writeFd, { readsAhead: true });
      greet(this.#wire, isTyped);
      const other = new SuiteSession(this.#wire, wall.callTimeoutMs);
      other.onFault = (error) => session.onFault(error);
      // Nothing that is built here is a result.
      other.results.check = () => {};
      const pairs = [...brought].map(([key, found]) => {
        const [how, index] = key.split(' ');
        return [found, other.bring(modules[Number(index)].module, how)];
      });
      return new Twin(session.membrane, other, apart, pairs);
    };
  }

  /** Its session is over, if it had one. */
  bye() {
    if (this.#twin !== null) this.#wire.send(['bye']);
  }

  answer(at, ...use) {
    if (at >= 0) this.#twin ??= this.#open();
    return this.#twin?.answer(at, ...use);
  }
}

function greet(wire, isTyped) {
  const name = unguessable();
  wire.send(['hello', name, isTyped]);
  for (;;) {
    const message = wire.receive();
    if (Array.isArray(message) && message[0] === 'hello' && message[1] === name) return;
    if (message === null) throw new WireError('no message');
  }
}

/** Not of `node:crypto`, which takes longer to load than all else here. */
function unguessable() {
  const bytes = Buffer.alloc(16);
  const fd = openSync('/dev/urandom');
  if (readSync(fd, bytes) !== bytes.length) throw new WireError('no random bytes');
  closeSync(fd);
  return bytes.toString('hex');
}

/** The exports of a module of the code. `how` is import or require. */
export function wallModule(index, how = 'import') {
  const key = `${how} ${index}`;
  if (!open.brought.has(key)) {
    const found = open.session.bring(open.modules[index].module, how);
    open.brought.set(key, found);
    learn(found, index);
    if (how === 'import') {
      learn(found.default, index);
      // What a module exports stays: the stand-in has taken it.
      open.session.membrane.cool(found);
    }
  }
  return open.brought.get(key);
}

/** Holds a module against its contract: what is a function, a class, a value. Only of the node's own is told what tests call. */
function learn(found, index) {
  if (!isObject(found)) return;
  const { session } = open;
  const { names, defaultName, shapes } = open.modules[index];
  for (const name of names) {
    const value = Object.getOwnPropertyDescriptor(found, name)?.value;
    const shape = shapes[name];
    if (index === 0 && isObject(value))
      session.called.learn(name === 'default' ? (defaultName ?? name) : name, value, membersOf(shape));
    if (typeof value !== 'function') {
      if (value !== undefined) session.results.require(value, shape);
      continue;
    }
    if (isObject(value.prototype)) session.declared.add(value.prototype);
    const record = session.membrane.record(value);
    if (record === undefined) continue;
    session.exported.add(record.number);
    session.results.learn(record, value, shape);
  }
}

const isClass = (shape) => shape?.kind === 'object';

const membersOf = (shape) => (shape?.kind === 'object' ? Object.keys(shape.members) : []);

function openRequire(modules, workDir) {
  const load = Module._load;
  Module._load = function (request, parent, ...rest) {
    const from = parent?.filename ?? null;
    if (from !== null && /^\.{1,2}\//u.test(request)) {
      const index = spelled(modules, relative(workDir, resolve(dirname(from), request)));
      if (index >= 0) return wallModule(index, 'require');
    }
    return load.call(this, request, parent, ...rest);
  };
}
