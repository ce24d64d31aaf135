/** Verdict forging and wall attacks by code in JavaScript, which is judged behind its own wall. */
import { family, type Act } from '../attack.ts';
import { JAVASCRIPT_HONEST, TYPED_HONEST } from './nodes.ts';

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

/** Honest but for one export, whose result acts like what is declared. */
const acts = (name: string, source: string): Act => ({
  kind: 'code',
  node: 'typed',
  source: `${Object.values({ ...TYPED_HONEST, [name]: source }).join('\n')}\n`,
});

/** Objects that act like a plain value, and say yes to whatever the suite holds against them. */
export const STAND_INS = family('verdict forging', {
  'an object that includes everything for an array': acts(
    'words',
    "export function words(text) { return { length: 2, includes: () => true, 0: 'a' }; }",
  ),
  'an object that starts with everything, in an array': acts(
    'words',
    "export function words(text) { return [{ startsWith: () => true }, 'b']; }",
  ),
  'a proxy of an array that includes everything': acts(
    'words',
    "export function words(text) { return new Proxy(['a', 'z'], { get: (list, key) => (key === 'includes' ? () => true : list[key]) }); }",
  ),
  'an object that has everything for a set': acts(
    'tags',
    'export function tags(text) { return { size: 2, has: () => true }; }',
  ),
  'a proxy of a set that has everything': acts(
    'tags',
    "export function tags(text) { return new Proxy(new Set(), { get: (_set, key) => (key === 'size' ? 2 : () => true) }); }",
  ),
  'a promise of what starts with everything': acts(
    'load',
    'export async function load(n) { return { startsWith: () => true, endsWith: () => true }; }',
  ),
  'a thenable of what starts with everything': acts(
    'load',
    'export function load(n) { return { then: (done) => done({ startsWith: () => true, endsWith: () => true }) }; }',
  ),
  'a number made when it is asked for': acts(
    'cart',
    'export function cart(xs) { let n = 0; return { total: { [Symbol.toPrimitive]: () => (n += 3) }, names: xs.map((x) => `n${x}`) }; }',
  ),
  'a field that includes everything': acts(
    'cart',
    'export function cart(xs) { return { total: 3, names: { includes: () => true } }; }',
  ),
  'a getter whose result includes everything': acts(
    'cart',
    'export function cart(xs) { return { total: 3, get names() { return { includes: () => true }; } }; }',
  ),
  'a callback called with what starts with everything': acts(
    'each',
    'export function each(xs, f) { f({ startsWith: () => true }); }',
  ),
  'an iterator of what starts with everything': acts(
    'spell',
    'export function* spell(text) { yield { startsWith: () => true }; yield text; }',
  ),
  'a method whose result includes everything': acts(
    'Box',
    "export class Box { put(name) {} names() { return { includes: () => true }; } get label() { return 'x'; } }",
  ),
  'a getter of a class that starts with everything': acts(
    'Box',
    "export class Box { put(name) {} names() { return ['x']; } get label() { return { startsWith: () => true }; } }",
  ),
});

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
  'a true answer beside a false one': parses("frame('[1,1230]'); return 1;"),
  'a JavaScript object that was never given': parses(`frame('[1,["@",12345]]'); return 1;`),
  'a heap that changes an object of the suite': parses(
    `frame('[1,1230,{"h":[[2,"o",[],["a",0,1],["I","Object.prototype"],0]]}]'); return 1;`,
  ),
  'the constructor of a builtin as a result': parses(`frame('[1,["I","Function"]]'); return 1;`),
  'pipes closed by JavaScript': parses('closeSync(4); closeSync(3); return 1;'),
  'a worker that answers for the code': parses(
    'nap(200); return 1;',
    "import { Worker } from 'node:worker_threads';",
    'new Worker(`const { writeSync } = require("fs"); setInterval(() => { const body = Buffer.from("[1,1230]"); const head = Buffer.alloc(4); head.writeUInt32BE(body.length); writeSync(4, Buffer.concat([head, body])); }, 5)`, { eval: true });',
  ),
  'a child that answers when its parent is dead': parses(
    'process.kill(process.pid, "SIGKILL");',
    "import { spawn } from 'node:child_process';",
    `spawn('sh', ['-c', 'while sleep 0.05; do printf "\\\\000\\\\000\\\\000\\\\010[1,1230]" >&3; done'], { stdio: ['ignore', 'ignore', 'ignore', 4], detached: true });`,
  ),
});
