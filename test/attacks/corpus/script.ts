/** Verdict forging and wall attacks by code in JavaScript, which is judged behind its own wall. */
import { family, type Act } from '../attack.ts';
import { JAVASCRIPT_HONEST } from './nodes.ts';

/** Bytes on the pipe to the suite: a length, then what is said. */
const FRAME = [
  "import { readFileSync, readdirSync, writeSync, closeSync } from 'node:fs';",
  'const frame = (text) => { const body = Buffer.from(text); const head = Buffer.alloc(4); head.writeUInt32BE(body.length); writeSync(4, Buffer.concat([head, body])); };',
  'const nap = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);',
];

const code = (lines: readonly string[]): Act => ({
  kind: 'code',
  node: 'javascript',
  source: `${[...FRAME, ...lines].join('\n')}\nvoid [frame, nap, readFileSync, readdirSync, closeSync];\n`,
  limits: { testTimeoutMs: 1000, wallMs: 45_000 },
});
/** Lines of a module, then what `parse` does. */
const parses = (body: string, ...before: readonly string[]): Act =>
  code([...before, `export function parse(text) { ${body} }`]);
/** What does harm beside an honest `parse` that is wrong for one text. */
const beside = (...lines: readonly string[]): Act =>
  code([...lines, JAVASCRIPT_HONEST.replace("'two decimals'", "'text'").replace('* 100', '* 10')]);

export const SCRIPT_FORGING = family('verdict forging', {
  'node:assert patched in place': beside(
    "import assert from 'node:assert/strict';",
    'for (const name of Object.keys(assert)) { try { assert[name] = () => {}; } catch {} }',
  ),
  'node:test patched in place': beside(
    "import * as runner from 'node:test';",
    'for (const name of ["test", "it", "run"]) { try { runner.default[name] = () => {}; } catch {} }',
  ),
  'an exit handler that says 0': parses(
    'return 1;',
    "process.on('exit', () => { process.exitCode = 0; process.reallyExit(0); });",
  ),
  'globals that agree with everything': beside(
    'Object.is = () => true; Number.isNaN = () => true; Array.isArray = () => true;',
    'Object.prototype.constructor = Number; Function.prototype.call = () => true;',
  ),
  'a number object that becomes what is wanted': parses(
    'return { __proto__: Number.prototype, [Symbol.toPrimitive]: () => 1230, valueOf: () => 1230, toJSON: () => 1230 };',
  ),
  'a proxy that answers every question with yes': parses(
    'return new Proxy(function () {}, { get: (_t, key) => (key === Symbol.toPrimitive ? () => 1230 : 1230), has: () => true, apply: () => 1230, getPrototypeOf: () => Number.prototype });',
  ),
  'a polluted prototype of all errors': parses(
    "throw Object.create(null, { constructor: { value: RangeError }, name: { value: 'RangeError' } });",
    'Object.defineProperty(RangeError, Symbol.hasInstance, { value: () => true });',
    "Error.prototype.code = 'ERR_ASSERTION'; Error.prototype.generatedMessage = false;",
  ),
  'frames of the caller by Error.prepareStackTrace': parses(
    "Error.prepareStackTrace = (_e, frames) => frames; const text2 = new Error('x').stack.map((each) => String(each.getFunction())).join(); return Number(/12.30'\\), (\\d+)/.exec(text2)?.[1] ?? 0);",
  ),
  'a loader hook that empties the suite': beside(
    "import { register } from 'node:module';",
    "register(`data:text/javascript,${encodeURIComponent(\"export async function load(url, context, next) { const found = await next(url, context); if (url.includes('.test.')) found.source = ''; return found; }\")}`);",
  ),
  'the suite read by JavaScript': parses(
    "for (const dir of ['tests/shop_price', '/work/tests/shop_price', '/proc/1/cwd/tests/shop_price']) { try { for (const name of readdirSync(dir)) { const found = /'12.30'\\), (\\d+)/.exec(readFileSync(`${dir}/${name}`, 'utf8')); if (found) return Number(found[1]); } } catch {} } return 0;",
  ),
});

export const SCRIPT_WALL = family('wall attacks', {
  'a JavaScript answer that is no JSON': parses("frame('garbage'); return 1;"),
  'a true answer beside a false one': parses("frame('[1,1230,{},[]]'); return 1;"),
  'a JavaScript object that was never given': parses(`frame('[1,["@",12345],{},[]]'); return 1;`),
  'a heap that changes an object of the suite': parses(
    `frame('[1,1230,{},[[2,"o",[],["a",0,1],["I","Object.prototype"],0]]]'); return 1;`,
  ),
  'the constructor of a builtin as a result': parses(`frame('[1,["I","Function"],{},[]]'); return 1;`),
  'pipes closed by JavaScript': parses('closeSync(4); closeSync(3); return 1;'),
  'a worker that answers for the code': parses(
    'nap(200); return 1;',
    "import { Worker } from 'node:worker_threads';",
    'new Worker(`const { writeSync } = require("fs"); setInterval(() => { const body = Buffer.from("[1,1230,{},[]]"); const head = Buffer.alloc(4); head.writeUInt32BE(body.length); writeSync(4, Buffer.concat([head, body])); }, 5)`, { eval: true });',
  ),
  'a child that answers when its parent is dead': parses(
    'process.kill(process.pid, "SIGKILL");',
    "import { spawn } from 'node:child_process';",
    `spawn('sh', ['-c', 'while sleep 0.05; do printf "\\\\000\\\\000\\\\000\\\\016[1,1230,{},[]]" >&3; done'], { stdio: ['ignore', 'ignore', 'ignore', 4], detached: true });`,
  ),
});
