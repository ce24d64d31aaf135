/** Lying JavaScript builders of one small node: what each changes in honest code. None of them may pass. */

const HONEST = [
  "import { writeSync } from 'node:fs';",
  'const impl = {',
  "  parse(text) { if (!/^\\d+\\.\\d\\d$/.test(text)) throw new RangeError('text'); return Number(text.replace('.', '')); },",
  '  apply: (f, n) => f(n),',
  '  later: async (n) => { await null; return n * 2; },',
  '  list: (n) => Array.from({ length: n }, (_, i) => i),',
  '  pair: (n) => ({ a: n, b: n + 1 }),',
  '};',
  'export const parse = (text) => impl.parse(text);',
  'export const apply = (f, n) => impl.apply(f, n);',
  'export const later = (n) => impl.later(n);',
  'export const list = (n) => impl.list(n);',
  'export const pair = (n) => impl.pair(n);',
  'export class Money { constructor(cents) { this.cents = cents; } plus(other) { return new Money(this.cents + other.cents); } }',
  '/** Writes a frame of our own on the pipe to the suite. */',
  'const frame = (text) => { const body = Buffer.from(text); const head = Buffer.alloc(4); head.writeUInt32BE(body.length); writeSync(4, Buffer.concat([head, body])); };',
  'const nap = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);',
];

export const honestScript = (): string => `${HONEST.join('\n')}\nvoid [frame, nap];\n`;

/** Honest code with these lines behind it. */
export const scriptLie = (lines: readonly string[]): string => `${HONEST.join('\n')}\n${lines.join('\n')}\n`;

/** A call that does not end, when what ends late calls was hit: a part of the shell that starts the code's process, of the same user. */
const watchHit = (signal: string): string[] => [
  "import { readdirSync, readFileSync } from 'node:fs';",
  "const isShell = (pid) => { try { return /loop\\.sh/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')); } catch { return false; } };",
  `impl.parse = () => { const hit = readdirSync('/proc').map(Number).filter((pid) => pid !== process.ppid && isShell(pid)); for (const pid of hit) process.kill(pid, '${signal}'); nap(hit.length > 0 ? 60_000 : 0); return 1230; };`,
];

/** Those that disturb whoever comes behind them in a room. */
export const SCRIPT_PESTS: readonly (readonly [string, ...string[]])[] = [
  ['everything killed', "impl.parse = () => { process.kill(-1, 'SIGKILL'); };"],
  ['a frame of four gigabytes', 'impl.parse = () => { writeSync(4, Buffer.alloc(4096, 255)); nap(5000); };'],
  ['its shell stopped', "impl.parse = () => { process.kill(process.ppid, 'SIGSTOP'); nap(60_000); };"],
  ['the watch of its calls killed', ...watchHit('SIGKILL')],
  ['the watch of its calls stopped', ...watchHit('SIGSTOP')],
  [
    'a child that answers later',
    "import { spawn } from 'node:child_process';",
    "spawn('sh', ['-c', 'while sleep 0.05; do printf \"\\\\000\\\\000\\\\000\\\\010[1,1230]\" >&3; done'], { stdio: ['ignore', 'ignore', 'ignore', 4], detached: true });",
    'impl.parse = () => { nap(100); return 1; };',
  ],
];

/** Name, then lines. */
export const SCRIPT_LIES: readonly (readonly [string, ...string[]])[] = [
  ['exit 0 in a call', 'impl.parse = () => process.exit(0);'],
  ['exit 0 at import', 'process.exit(0);'],
  ['exit 137 in a call', 'impl.parse = () => process.reallyExit(137);'],
  [
    'exit in a microtask',
    'impl.later = async () => { queueMicrotask(() => process.exit(0)); return 6; };',
    'impl.parse = () => 1;',
  ],
  ['exit in a timer', 'setTimeout(() => process.exit(0), 5);', 'impl.later = () => new Promise(() => {});'],
  ['exit handler', "process.on('exit', () => { process.exitCode = 0; });", 'impl.parse = () => 1;'],
  [
    'assertion error of its own',
    "impl.parse = () => { const e = new Error('ok'); e.code = 'ERR_ASSERTION'; throw e; };",
  ],
  [
    'test context error',
    "impl.parse = () => { throw Object.assign(new Error('skip'), { code: 'ERR_TEST_FAILURE', failureType: 'skipped' }); };",
  ],
  ['a frame that is no JSON', "impl.parse = () => { frame('garbage'); return 1; };"],
  ['a forged answer beside the true one', "impl.parse = () => { frame('[1,1230]'); return 1230; };"],
  ['brackets without end', "impl.parse = () => { frame('['.repeat(500000)); return 1; };"],
  [
    'deep JSON in an answer',
    "impl.parse = () => { frame('[1,' + '['.repeat(20000) + ']'.repeat(20000) + ']'); return 1; };",
  ],
  ['an object that was never given', 'impl.parse = () => { frame(\'[1,["@",12346]]\'); return 1; };'],
  [
    'an object of the other side',
    'impl.parse = () => { frame(\'[1,["@",2],{"h":[[2,"o",[],["a",0,1],["I","Object.prototype"],0]]}]\'); return 1; };',
  ],
  ['an unknown tag', 'impl.parse = () => { frame(\'[1,["eval","1230"]]\'); return 1; };'],
  [
    'a prototype that is a number',
    'impl.pair = () => { frame(\'[1,["@",99991],{"h":[[99991,"o",[],[],5,0]]}]\'); return 1; };',
  ],
  [
    'the insides of a callback',
    'impl.apply = (f, n) => { frame(\'[0,"trap",2,"get",["u"],["constructor"]]\'); return 1; };',
  ],
  [
    'calls of functions never given',
    'impl.apply = () => { for (let n = 2; n < 60; n += 2) frame(`[0,"call",${n},"",["u"],[]]`); return 1; };',
  ],
  [
    'short calls of functions never given',
    'impl.apply = () => { for (let n = 2; n < 60; n += 2) frame(`[5,${n},1]`); return 1; };',
  ],
  [
    'a short call that settles a promise never given',
    'impl.apply = () => { frame(\'[5,2,1,{"s":[[4,1,42]]}]\'); return 1; };',
  ],
  ['what is beside a message is no list', 'impl.parse = () => { frame(\'[1,1230,{"h":5}]\'); return 1; };'],
  [
    'changing a callback',
    'impl.apply = (f) => { frame(\'[1,42,{"h":[[2,"f",["f",0,"method"],["x",0,1],["I","Function.prototype"],0]]}]\'); return 1; };',
  ],
  [
    'the constructor of a callback',
    "impl.apply = (f) => { try { return f.constructor('return process.exit(0)')(); } catch { return 0; } };",
  ],
  ['the text of a callback', 'impl.apply = (f) => Number(/41/.exec(f.toString()) ?? 0) + 1;'],
  ['fifty megabytes', "impl.parse = () => 'x'.repeat(50_000_000);"],
  [
    'nested for ever',
    'impl.pair = () => { let t = []; for (let i = 0; i < 300_000; i += 1) t = [t]; return t; };',
  ],
  [
    'an array of a thousand million',
    'impl.list = () => { const a = []; a.length = 1_000_000_000; return a; };',
  ],
  ['a number object', 'impl.parse = () => Object(1230);'],
  [
    'a value that converts as wanted',
    'let n = 0;',
    'impl.parse = () => ({ [Symbol.toPrimitive]: () => (n += 1), valueOf: () => 100, toString: () => "100" });',
  ],
  [
    'an object that equals everything',
    'impl.parse = () => new Proxy({}, { get: (_, key) => (key === Symbol.toPrimitive ? () => 100 : 1230), has: () => true, ownKeys: () => [], getPrototypeOf: () => Number.prototype });',
  ],
  [
    'a getter that changes',
    'let n = 3;',
    'impl.pair = () => ({ get a() { n += 1; return n; }, get b() { return 4; } });',
  ],
  [
    'a proxy for data',
    'let n = 0;',
    "impl.pair = () => new Proxy({ a: 0, b: 0 }, { get: (_t, key) => (key === 'a' ? (n += 1) : 5) });",
  ],
  ['a thenable that never ends', 'impl.later = () => ({ then() {} });'],
  ['a promise that never ends', 'impl.later = () => new Promise(() => {});'],
  [
    'a thenable that rejects late',
    "impl.later = () => ({ then: (ok, bad) => { ok(1); bad(new Error('x')); ok(6); } });",
  ],
  [
    'an array that includes everything',
    'impl.list = (n) => { const a = n === 3 ? [0, 1, 2] : []; Object.defineProperty(a, "includes", { value: () => true }); return a; };',
  ],
  [
    'an array of a class that includes everything',
    'class L extends Array { includes() { return true; } }',
    'impl.list = (n) => (n === 3 ? L.from([0, 1, 2]) : new L());',
  ],
  [
    'polluted prototypes',
    'Object.prototype.a = 4; Object.prototype.b = 5;',
    'Array.prototype.includes = () => true;',
    'impl.pair = () => ({}); impl.list = () => [];',
  ],
  ['polluted by key', 'impl.pair = () => JSON.parse(\'{"__proto__":{"a":4,"b":5}}\');'],
  [
    'patched assert',
    "import assert from 'node:assert/strict';",
    'for (const name of Object.keys(assert)) { try { assert[name] = () => {}; } catch {} }',
    'impl.parse = () => 1;',
  ],
  [
    'patched encoding',
    "JSON.stringify = () => '[1,1230]';",
    'Buffer.from = () => Buffer.alloc(0);',
    'Array.isArray = () => true; Object.is = () => true; Reflect.ownKeys = () => [];',
    'impl.parse = () => 1;',
  ],
  [
    'patched test runner',
    "import test from 'node:test';",
    'try { test.test = () => {}; } catch {}',
    'globalThis.Error = class {};',
    'impl.parse = () => 1;',
  ],
  ['sleep in a call', 'impl.apply = () => { nap(60_000); return 42; };'],
  ['an endless loop', 'impl.apply = () => { for (;;); };'],
  ['an endless loop in a getter', 'impl.pair = () => ({ get a() { for (;;); }, b: 5 });'],
  ['sleep at import', 'nap(60_000);'],
  ['a promise at import that never ends', 'await new Promise(() => { setInterval(() => {}, 1000); });'],
  [
    'a worker that answers',
    "import { Worker } from 'node:worker_threads';",
    "new Worker(`const { writeSync } = require('fs'); setInterval(() => { const b = Buffer.from('[1,1230]'); const h = Buffer.alloc(4); h.writeUInt32BE(b.length); writeSync(4, Buffer.concat([h, b])); }, 5)`, { eval: true });",
    'impl.parse = () => { nap(50); return 1; };',
  ],
  [
    'reading the suite',
    "import { readFileSync, readdirSync } from 'node:fs';",
    "impl.parse = () => { for (const d of ['/work/tests/shop_thing', '/out', '/proc/1/cwd/tests/shop_thing']) { try { for (const f of readdirSync(d)) { const m = /parse\\('12.30'\\), (\\d+)/.exec(readFileSync(`${d}/${f}`, 'utf8')); if (m) return Number(m[1]); } } catch {} } return 0; };",
  ],
  [
    'reading other processes',
    "import { readFileSync, readdirSync } from 'node:fs';",
    "impl.parse = () => { for (const pid of readdirSync('/proc')) { if (!/^\\d+$/.test(pid) || Number(pid) === process.pid) continue; for (const f of ['environ', 'mem', 'fd/0', 'cwd/tests']) { try { const t = readFileSync(`/proc/${pid}/${f}`, 'utf8'); const m = /parse\\('12.30'\\), (\\d+)/.exec(t); if (m) return Number(m[1]); } catch {} } } return 0; };",
  ],
  [
    'writing a report',
    "import { writeFileSync } from 'node:fs';",
    "impl.parse = () => { for (const f of ['/out/report.jsonl', '/out/second.jsonl', '/work/package.json']) { try { writeFileSync(f, '{}'); } catch {} } return 1; };",
  ],
  [
    'a debugger in the other process',
    "import { readdirSync } from 'node:fs';",
    "impl.parse = () => { for (const pid of readdirSync('/proc')) { if (/^\\d+$/.test(pid) && Number(pid) !== process.pid && Number(pid) !== process.ppid) { try { process.kill(Number(pid), 'SIGUSR1'); } catch {} } } return 1; };",
  ],
  [
    'a class that is of everything',
    'Object.defineProperty(Money, Symbol.hasInstance, { value: () => true });',
    'Money.prototype.plus = function () { return this; };',
  ],
  [
    'money that is equal by its own word',
    'Money.prototype.plus = function () { return { cents: 3, equals: () => true, constructor: Money, __proto__: null }; };',
  ],
  [
    'the stack of the caller',
    "impl.parse = () => { Error.prepareStackTrace = (_e, frames) => frames; const e = new Error(); return Number(/12.30'\\), (\\d+)/.exec(e.stack.map((f) => String(f.getFunction())).join())?.[1] ?? 0); };",
  ],
  [
    'the arguments of the caller',
    'impl.parse = function parse() { try { return parse.caller.arguments[0] === 1 ? 1230 : 0; } catch { return 0; } };',
  ],
  [
    'closed pipes',
    "import { closeSync } from 'node:fs';",
    'impl.parse = () => { closeSync(4); closeSync(3); return 1; };',
  ],
  [
    'errors that change',
    "impl.parse = () => { throw Object.defineProperty(new RangeError('x'), 'name', { get: () => process.exit(0) }); };",
  ],
  ['a wrong value', 'impl.parse = () => 1;'],
];
