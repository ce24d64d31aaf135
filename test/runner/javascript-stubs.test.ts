/** JavaScript stubs: declarations that seed accepts and refuses, and which tests are red on which stub (gate.md parts 2 and 3). */
import { describe, expect, test } from '@jest/globals';
import { buildStubs } from '../../adapters/stubs/build-stubs.ts';
import { contractOf, runLocally } from './run-locally.ts';
import { colours, onStubs, reachedOf } from './on-stubs.ts';

const ACCEPTED: readonly (readonly [string, readonly string[]])[] = [
  ['export function parse(text: string): number;', ['parse:function']],
  ['declare function parse(text: string, ...rest: any[]): number;', ['parse:function']],
  ['function parse(text: string): number', ['parse:function']],
  ['export async function load(url: string): Promise<string>;', ['load:function']],
  ['export default function (x: number): void;', ['default:function']],
  ['export function* numbers(): Generator<number>;', ['numbers:function']],
  ['export const double: (x: number) => number;', ['double:function']],
  ['export const MAX: number;', ['MAX:constant']],
  ["export const NAMES = ['a', 'b'] as const;", ['NAMES:constant']],
  ['export interface Options { a?: number }', ['Options:alias']],
  ["export type Mode = 'a' | 'b';", ['Mode:alias']],
  ['export enum Color { Red = 1, Blue }', ['Color:enum']],
  [
    'export declare class Cache<T> {\n  readonly size: number;\n  constructor(size: number);\n  get(key: string): T | undefined;\n  get hits(): number;\n  static of(): Cache<number>;\n}',
    ['Cache:class', 'Cache.get:method', 'Cache.hits:method', 'Cache.of:method'],
  ],
  ['export class PriceError extends RangeError { code: number }', ['PriceError:exception']],
  ['export function f(x: number): number;\nexport function f(x: string): string;', ['f:function']],
];

const REFUSED: readonly (readonly [string, RegExp, string | RegExp])[] = [
  ['parse(text: string): number', /does not parse/, 'export function parse(text: string): number;'],
  ['def parse(text: str) -> int: ...', /does not parse/, 'export function parse(text: string): number;'],
  [
    'export function parse(text: string) -> number;',
    /does not parse/,
    'export function parse(text: string): number;',
  ],
  ['MAX', /not a declaration/, 'export const MAX: number;'],
  ['parse', /not a declaration/, 'export function parse(): void;'],
  ['class Cache', /does not parse/, 'class Cache {}'],
  ['parse(text)', /not a declaration/, 'export function parse(text): void;'],
  [
    'export function f(x: number): number { return x; }',
    /not a declaration/,
    'export function f(x: number): number;',
  ],
  ["import { a } from './b.js';", /not an export/, /Move it to 'imports'/],
  ['export const a: number, b: number;', /declares a, b/, /./],
  ['export class C extends Missing {}', /'Missing' is not defined/, /import line/],
  ['export const MAX = LIMIT;', /does not import: ReferenceError/, /leave a value out/],
];

const PACKAGE = { 'package.json': '{"type":"module"}' };

describe('buildStubs() for JavaScript', () => {
  test.each(ACCEPTED)('accepts %s', async (statement, names) => {
    const built = await buildStubs(
      contractOf('javascript', 'shop/thing.js', { exports: [statement] }),
      runLocally,
    );
    expect(built.ok ? built.exports.map((item) => `${item.name}:${item.kind}`) : built).toEqual(names);
  });

  test.each(REFUSED)('refuses %s', async (statement, reason, suggestion) => {
    const built = await buildStubs(
      contractOf('javascript', 'shop/thing.js', { exports: [statement] }),
      runLocally,
    );
    if (built.ok) throw new Error('accepted');
    const [problem] = built.problems;
    expect(problem?.reason).toMatch(reason);
    if (typeof suggestion === 'string') expect(problem?.suggestion).toBe(suggestion);
    else expect(problem?.suggestion).toMatch(suggestion);
  });

  test('imports a base class of the node below once, also where the contract has the line', async () => {
    const contract = contractOf('typescript', 'shop/thing.ts', {
      imports: ["import { Shape, type Point } from './shape.ts';"],
      exports: ['export class Circle extends Shape { at(): Point; }'],
    });
    const shape = new TextEncoder().encode('export class Shape {}\n');
    const below = [
      { module: './shape.ts', names: ['Shape', 'Point'], files: [{ path: 'shop/shape.ts', bytes: shape }] },
    ];
    const built = await buildStubs(contract, runLocally, below);
    if (!built.ok) throw new Error(JSON.stringify(built.problems));
    const source = new TextDecoder().decode(built.stubs.raise[0]?.bytes);
    expect(source.match(/\bShape\b.* from /gu)).toHaveLength(1);
  });

  test('writes CommonJS for a .cjs file', async () => {
    const contract = contractOf('javascript', 'thing.cjs', {
      exports: ['export function f(): number;'],
      raises: ['OddError(TypeError)'],
    });
    const suite =
      "const { f, OddError } = require('./thing.cjs');\nrequire('node:test')('a', () => { if (f() !== 1 || !(new OddError() instanceof TypeError)) throw new Error(); });";
    expect(colours(await onStubs(contract, { 'a.test.cjs': suite }))).toEqual({ a: 'rrr' });
  });
});

interface Row {
  readonly title: string;
  readonly exports: readonly string[];
  readonly raises?: readonly string[];
  readonly suite: string;
  readonly colours: Readonly<Record<string, string>>;
  readonly reached?: Readonly<Record<string, readonly string[]>>;
}

const HEAD =
  "import { describe, it, test, before } from 'node:test';\nimport assert from 'node:assert/strict';\n";
const FROM = " from '../../shop/thing.js';\n";
const ROWS: readonly Row[] = [
  {
    title: 'an import and a truth prove nothing',
    exports: ['export function f(x: number): number;'],
    suite: `import '../../shop/thing.js';\ntest('a', () => assert(true));`,
    colours: { a: 'ggg' },
    reached: { a: [] },
  },
  {
    title: 'values, any exception, missing gives undefined',
    exports: [
      'export function f(x: number): number;',
      'export function get(key: string): string | undefined;',
    ],
    suite: `import { f, get }${FROM}test('value', () => assert.equal(f(2), 4));\ntest('any', () => assert.throws(() => f(2)));\ntest('kind', () => assert.throws(() => f(2), RangeError));\ntest('missing', () => assert.equal(get('x'), undefined));`,
    colours: { value: 'rrr', any: 'grr', kind: 'rrr', missing: 'rgr' },
    reached: { value: ['f'], any: ['f'], missing: ['get'] },
  },
  {
    title: 'an interface has what it extends',
    exports: [
      'export interface Rule<T> { parse(x: unknown): T }',
      'export interface TextRule extends Rule<string>, Iterable<string> { min(n: number): TextRule }',
      'export function text(): TextRule;',
    ],
    suite: `import { text }${FROM}test('own', () => assert.equal(typeof text().min, 'function'));\ntest('parent', () => assert.equal(typeof text().min(1).parse, 'function'));`,
    colours: { own: 'rrg', parent: 'rrg' },
  },
  {
    title: 'promises and async iterators',
    exports: [
      'export function load(url: string): Promise<number>;',
      'export function stream(): AsyncIterable<number>;',
    ],
    suite: `import { load, stream }${FROM}test('a', async () => assert.equal(await load('x'), 1));\ntest('b', async () => { for await (const x of stream()) assert.equal(x, 1); });\ntest('c', () => assert.rejects(load('x'), RangeError));`,
    colours: { a: 'rrr', b: 'rrr', c: 'rrr' },
    reached: { a: ['load'], b: ['stream'] },
  },
  {
    title: 'constants, enums and errors are their own stubs',
    exports: ['export const MAX = 5;', "export enum Color { Red = 'red' }"],
    raises: ['PriceError(RangeError)'],
    suite: `import { MAX as LIMIT, Color, PriceError }${FROM}test('max', () => assert.equal(LIMIT, 5));\ntest('color', () => assert.deepEqual(Object.keys(Color), ['Red']));\ntest('parent', () => assert(new PriceError('x') instanceof RangeError));\ntest('message', () => assert.equal(new PriceError('x').message, 'x'));`,
    colours: { max: 'ggr', color: 'ggr', parent: 'ggr', message: 'ggr' },
    reached: { max: ['MAX'], color: ['Color'], parent: ['PriceError'] },
  },
  {
    title: 'classes and hooks',
    exports: [
      'export class Cache {\n  constructor(size: number);\n  put(key: string, value: number): void;\n  get(key: string): number | undefined;\n  get size(): number;\n  static of(): Cache;\n}',
    ],
    suite: `import { Cache }${FROM}describe('g', () => { let c; before(() => { c = new Cache(3); });\n it('get', () => { c.put('a', 1); assert.equal(c.get('a'), 1); });\n it('size', () => assert.equal(c.size, 3)); });\ntest('of', () => assert(Cache.of() instanceof Cache));`,
    colours: { 'g > get': 'rrr', 'g > size': 'rrr', of: 'rrg' },
    reached: { get: ['Cache', 'Cache.get', 'Cache.put'], size: ['Cache.size'] },
  },
  {
    title: 'what is set on a wrong object is lost',
    exports: ['export class Cell { value: number; constructor(value: number); }'],
    suite: `import { Cell }${FROM}test('set', () => { const c = new Cell(1); c.value = 2; assert.equal(c.value, 2); });`,
    colours: { set: 'ggr' },
  },
  {
    title:
      'what can only be read can be assigned on a wrong object, and methods that nobody names are reached',
    exports: ['export class Cell { constructor(value: number); get value(): number; toJSON(): number; }'],
    suite: `import { Cell }${FROM}test('set', () => assert.throws(() => { new Cell(1).value = 2; }, TypeError));\ntest('json', () => assert.equal(JSON.stringify([new Cell(1)]), '[1]'));`,
    colours: { set: 'ggr', json: 'rrr' },
    reached: { json: ['Cell', 'Cell.toJSON'] },
  },
  {
    title: 'a literal type tells its value: a wrong object has another one',
    exports: ["export const LEVELS: readonly ['debug', 3, true];"],
    suite: `import { LEVELS }${FROM}LEVELS.length;\nfor (const at of [0, 1, 2]) test('at ' + at, () => assert.equal(LEVELS[at], ['debug', 3, true][at]));`,
    colours: { 'at 0': 'rrr', 'at 1': 'rrr', 'at 2': 'rrr' },
  },
  {
    title: 'constants and static members of classes that come later',
    exports: [
      'export const FIRST: Cache;',
      'export class Index { static main: Cache; items(): Cache[]; }',
      'export class Cache { size: number }',
    ],
    suite: `import { FIRST, Index }${FROM}test('first', () => assert.equal(FIRST.size, 1));\ntest('main', () => assert.equal(Index.main.size, 1));\ntest('items', () => assert.equal(new Index().items().length, 0));`,
    colours: { first: 'rrr', main: 'rrr', items: 'rrr' },
    reached: { first: ['FIRST'], items: ['Cache', 'Index', 'Index.items'] },
  },
  {
    title: 'a function that is given back gives wrong objects',
    exports: ['export function counter(): () => { count: number; next: number };'],
    suite: `import { counter }${FROM}test('value', () => assert.equal(counter()().count, 1));\ntest('shape', () => assert.equal(typeof counter()().next, 'number'));`,
    colours: { value: 'rrr', shape: 'rrg' },
  },
  {
    title: 'members of an enum may be made of earlier ones',
    exports: ["export enum May { Read = 1 << 0, Write = 1 << 1, All = Read | May.Write, Text = 'Read' }"],
    suite: `import { May }${FROM}test('all', () => assert.equal(May.All, 3));\ntest('text', () => assert.equal(May.Text, 'Read'));`,
    colours: { all: 'ggr', text: 'ggr' },
  },
  {
    title:
      'what is said of a type alone is green on wrong: functions with members, numbers that are at least nothing',
    exports: [
      'export function later(f: () => void): ((ms: number) => void) & { cancel(): void };',
      'export function count(): number;',
    ],
    suite: `import { count, later }${FROM}test('type', () => { assert.equal(typeof later(() => {}), 'function'); assert.equal(typeof later(() => {}).cancel, 'function'); });\ntest('at least', () => assert.ok(count() >= 0));`,
    colours: { type: 'rrg', 'at least': 'rrg' },
  },
  {
    title: 'an object that a group makes for its tests is data',
    exports: ['export class Stack { get length(): number; }'],
    suite: `import { Stack }${FROM}describe('stack', () => { const stack = new Stack(); test('length', () => assert.equal(stack.length, 0)); });`,
    colours: { 'stack > length': 'rrr' },
  },
  {
    title: 'a call while the suite is loaded gives a wrong value on every stub, and counts for all tests',
    exports: ['export function f(x: number): number[];', 'export function g(): Promise<string>;'],
    suite: `import { f, g }${FROM}const found = f(1);\nconst text = await g();\ndescribe('in a group', () => { const [first] = f(2); test('first', () => assert.equal(first, 2)); });\ntest('found', () => assert.deepEqual(found, [1]));\ntest('any', () => assert.ok(found.length > 0));\ntest('text', () => assert.equal(text, 'a'));\ntest('again', () => assert.deepEqual(f(1), found));`,
    colours: { 'in a group > first': 'rrr', found: 'rrr', any: 'ggg', text: 'rrr', again: 'rrg' },
    reached: { found: ['f', 'g'] },
  },
];

describe('JavaScript stubs', () => {
  test.each(ROWS.map((row) => [row.title, row] as const))('%s', async (_title, row) => {
    const contract = contractOf('javascript', 'shop/thing.js', {
      exports: row.exports,
      raises: row.raises ?? [],
    });
    const runs = await onStubs(contract, { 'tests/shop_thing/thing.test.js': HEAD + row.suite }, PACKAGE);
    expect(colours(runs)).toEqual(row.colours);
    for (const [name, reached] of Object.entries(row.reached ?? {}))
      expect([name, reachedOf(runs, name)]).toEqual([name, reached]);
    expect(runs.raise.refused).toEqual([]);
    expect([runs.raise.ended, runs.none.ended, runs.wrong.ended]).toEqual([true, true, true]);
  });

  test('an enum of TypeScript has a name for each number', async () => {
    const contract = contractOf('typescript', 'shop/thing.ts', {
      exports: ['export enum Role { Guest, Admin = 4 }'],
      raises: [],
    });
    const suite = `import { Role } from '../../shop/thing.ts';\ntest('name', () => assert.equal(Role[4], 'Admin'));`;
    const runs = await onStubs(contract, { 'tests/shop_thing/thing.test.ts': HEAD + suite }, PACKAGE);
    expect(colours(runs)).toEqual({ name: 'ggr' });
  });
});
