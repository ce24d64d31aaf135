/**
 * What code of a pure stage asks of the world, seen where it asks: files, network, processes, clock, chance, output (design part 8).
 * Nothing is forbidden: the functions of Node that do such things are replaced by ones that note the call and go on. What counts is who
 * asks: the nearest file of the project on the stack.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { relativeFile } from '../shared/failure.mjs';
import { send, settings } from './channel.mjs';

const TOLD_MAX = 50;
const FRAMES_MAX = 80;
const NAME_MAX = 100;
/** What an import looks for by itself is not asked by the code. */
const IMPORTS = 'node:internal/modules/';
const SELF = import.meta.url;
const OURS = new URL('../../', SELF).href;

/** Modules whose functions all do what the word says. */
const MODULES = {
  file: ['fs', 'fs/promises', 'readline', 'sqlite'],
  network: ['net', 'tls', 'dgram', 'dns', 'dns/promises', 'http', 'https', 'http2'],
  process: ['child_process', 'cluster', 'worker_threads', 'os', 'inspector', 'repl'],
  clock: ['timers', 'timers/promises'],
};
const CHANCE = /^(?:random|generateKey|generatePrime|getRandomValues)/u;
/** Of `process`: what only computes or belongs to the language is left alone. */
const PROCESS =
  'abort chdir cpuUsage cwd dlopen exit getegid geteuid getgid getgroups getuid kill memoryUsage reallyExit resourceUsage umask'.split(
    ' ',
  );
const GLOBALS = {
  network: ['fetch', 'WebSocket', 'EventSource', 'BroadcastChannel'],
  clock: ['setTimeout', 'setInterval'],
};
/** Looked up, not called: constants, and classes that only hold what was read. */
const HOLDERS =
  /^(?:Stats|Dirent|Dir|F_OK|R_OK|W_OK|X_OK|setImmediate|clear\w*|isMarkedAsUntransferable|isIP\w*)$/u;

const { captureStackTrace } = Error;
const { apply, construct } = Reflect;
const require = createRequire(import.meta.url);
const state = { own: new Set(), told: new Set(), isBusy: false };

/** Begins to watch; `own` are the builder's files, relative to the work folder. */
export function watchPurity(own) {
  for (const file of own) state.own.add(file);
  for (const [what, names] of Object.entries(MODULES)) for (const name of names) replaceModule(what, name);
  replaceCrypto();
  replaceProcess();
  for (const [what, names] of Object.entries(GLOBALS))
    for (const name of names) replace(globalThis, name, what, name);
  for (const name of Object.keys(console)) replace(console, name, 'output', `console.${name}`);
  replaceClock();
  replace(Math, 'random', 'randomness', 'Math.random');
  syncBuiltinESMExports();
}

function replaceModule(what, name) {
  let module;
  try {
    module = require(`node:${name}`);
  } catch {
    return;
  }
  for (const key of Object.keys(module)) if (!HOLDERS.test(key)) replace(module, key, what, `${name}.${key}`);
}

function replaceCrypto() {
  const crypto = require('node:crypto');
  for (const key of Object.keys(crypto))
    if (CHANCE.test(key)) replace(crypto, key, 'randomness', `crypto.${key}`);
  for (const name of ['getRandomValues', 'randomUUID'])
    replace(Object.getPrototypeOf(crypto.webcrypto), name, 'randomness', `crypto.${name}`);
  replace(
    Object.getPrototypeOf(crypto.webcrypto.subtle),
    'generateKey',
    'randomness',
    'crypto.subtle.generateKey',
  );
}

function replaceProcess() {
  for (const name of PROCESS) replace(process, name, 'process', `process.${name}`);
  for (const name of ['hrtime', 'uptime']) {
    const { bigint } = process[name];
    replace(process, name, 'clock', `process.${name}`);
    if (bigint !== undefined) replace(process[name], 'bigint', 'clock', `process.${name}.bigint`);
  }
  for (const name of ['stdout', 'stderr']) replace(process[name], 'write', 'output', `process.${name}.write`);
  const environment = process.env;
  const look =
    (act) =>
    (target, ...rest) => {
      ask('process', 'process.env');
      return Reflect[act](target, ...rest);
    };
  const traps = Object.fromEntries(
    ['get', 'set', 'has', 'deleteProperty', 'ownKeys'].map((act) => [act, look(act)]),
  );
  Object.defineProperty(process, 'env', {
    value: new Proxy(environment, traps),
    writable: true,
    enumerable: true,
  });
}

/** `new Date(5)` computes; without arguments it asks. */
function replaceClock() {
  replace(Date, 'now', 'clock', 'Date.now');
  for (const name of ['now', 'mark', 'measure']) replace(performance, name, 'clock', `performance.${name}`);
  replace(AbortSignal, 'timeout', 'clock', 'AbortSignal.timeout');
  const real = Date;
  const told = new Proxy(real, {
    construct(target, args, newTarget) {
      if (args.length === 0) ask('clock', 'new Date()');
      return construct(target, args, newTarget === told ? target : newTarget);
    },
    apply(target, self, args) {
      ask('clock', 'Date()');
      return apply(target, self, args);
    },
  });
  Object.defineProperty(real.prototype, 'constructor', { value: told, writable: true, configurable: true });
  Object.defineProperty(globalThis, 'Date', { value: told, writable: true, configurable: true });
}

/** A proxy keeps what hangs on the function: `fs.realpath.native`, the promise form of `setTimeout`. */
function replace(owner, key, what, name) {
  const found = Object.getOwnPropertyDescriptor(owner, key) ?? inherited(owner, key);
  if (typeof found?.value !== 'function' || (found.configurable === false && !found.writable)) return;
  const told = new Proxy(found.value, {
    apply(target, self, args) {
      ask(what, name);
      return apply(target, self, args);
    },
    construct(target, args, newTarget) {
      ask(what, name);
      return construct(target, args, newTarget === told ? target : newTarget);
    },
  });
  Object.defineProperty(owner, key, { ...found, value: told });
}

function inherited(owner, key) {
  const value = owner[key];
  return value === undefined ? undefined : { value, writable: true, configurable: true, enumerable: false };
}

/** Notes a call if the nearest file of the project on the stack is one of the builder's. */
function ask(what, name) {
  if (state.isBusy || state.told.size >= TOLD_MAX) return;
  state.isBusy = true;
  try {
    const found = asker(sitesAbove());
    if (found === null) return;
    const place = `${found.file}:${found.line}`;
    if (state.told.has(place)) return;
    state.told.add(place);
    send({
      kind: 'impure',
      what,
      name: name.slice(0, NAME_MAX),
      by: found.by,
      file: found.file,
      line: found.line,
    });
  } finally {
    state.isBusy = false;
  }
}

function asker(sites) {
  let by = null;
  for (const site of sites) {
    const file = site.getFileName() ?? '';
    if (file === SELF) continue;
    if (file.startsWith(IMPORTS) || file.startsWith(OURS)) return null;
    const inside = file === '' || file.startsWith('node:') ? null : relativeFile(file, settings.workDir);
    if (inside !== null) {
      if (!state.own.has(inside)) return null;
      return { file: inside, line: site.getLineNumber() ?? 0, by };
    }
    by = (site.getFunctionName() ?? '').slice(0, NAME_MAX) || by;
  }
  return null;
}

function sitesAbove() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder = {};
  try {
    Error.stackTraceLimit = FRAMES_MAX;
    Error.prepareStackTrace = (_error, sites) => sites;
    captureStackTrace(holder);
    return Array.isArray(holder.stack) ? holder.stack : [];
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}
