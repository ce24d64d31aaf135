/** What a JavaScript suite expects and never gives to the code is built where the code under test is not (decision 0047). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openGateWorld, quickPlan } from '../gate/gate-world.ts';
import { openHostWall, type HostWall } from './host-wall.ts';
import { scriptCase } from './script-world.ts';
import { lockOfFiles } from './wall-world.ts';

let wall: HostWall;
beforeAll(async () => {
  wall = await openHostWall();
});
afterAll(() => wall.close());

const HEAD = "import { test } from 'node:test';\nimport assert from 'node:assert/strict';\n";
const POINT = 'export class Point { constructor(x: number, y: number); x: number; y: number; }';
const HIDDEN = 'export class Point { constructor(x: number, y: number); get x(): number; get y(): number; }';
const EXPORTS = [
  'export function shift(p: Point, dx: number, dy: number): Point;',
  'export function sum(a: number, b: number): number;',
  'export function zero(): number;',
];
const OPEN_CLASS = 'export class Point { constructor(x, y) { this.x = x; this.y = y; made(this); } }';
const HIDDEN_CLASS =
  'export class Point { #x; #y; constructor(x, y) { this.#x = x; this.#y = y; made(this); } get x() { return this.#x; } get y() { return this.#y; } }';

/** By name: what `shift` and `sum` give, and what the constructor keeps. */
const LIES: Readonly<Record<string, string>> = {
  'the last one':
    'let last; const made = (p) => (last = p); export const shift = (p, dx, dy) => last; export const sum = (a, b) => last.x + last.y;',
  'a copy of the last one':
    'let last; const made = (p) => (last = [p.x, p.y]); export const shift = (p, dx, dy) => new Point(...last); export const sum = (a, b) => last[0] + last[1];',
  'one of the group':
    'const all = []; const made = (p) => { if (all.length < 50) all.push([p.x, p.y]); }; export const shift = (p, dx, dy) => new Point(...all[0]); export const sum = (a, b) => all[0][0] + all[0][1];',
};
const ZERO = 'export const zero = () => 0;';
const RIGHT =
  'const made = () => {}; export const shift = (p, dx, dy) => new Point(p.x + dx, p.y + dy); export const sum = (a, b) => a + b;';

const TESTS: Readonly<Record<string, string>> = {
  before: 'const want = new Point(4, 6); assert.deepEqual(shift(new Point(3, 4), 1, 2), want);',
  nested:
    'const want = { at: [new Point(4, 6)] }; assert.deepEqual({ at: [shift(new Point(3, 4), 1, 2)] }, want);',
  number: 'const want = new Point(4, 6); assert.equal(sum(4, 6), want.x + want.y);',
};
const suiteOf = (tests: Readonly<Record<string, string>>, names = 'Point, shift, sum, zero'): string =>
  [
    HEAD,
    `import { ${names} } from '../../shop/thing.mjs';`,
    'const TABLE = [[new Point(0, 0), 4, 6, new Point(4, 6)]];',
    ...Object.entries(tests).map(([name, body]) => `test('${name}', async () => { ${body} });`),
  ].join('\n');
const TABLE = {
  // What is asked without arguments is about what its own test has built.
  table: 'zero(); for (const [p, dx, dy, want] of TABLE) assert.deepEqual(shift(p, dx, dy), want);',
};

describe.each([
  ['fields', POINT, OPEN_CLASS],
  ['private fields', HIDDEN, HIDDEN_CLASS],
])('an expected value that a suite builds before the call, of a class with %s', (_name, declared, source) => {
  const run = (code: string): ReturnType<HostWall['run']> =>
    wall.run([declared, ...EXPORTS], `${source}\n${ZERO}\n${code}`, suiteOf({ ...TESTS, ...TABLE }), {
      hasTwin: true,
    });

  test('is built as it was, and right code passes', async () => {
    const { told } = await run(RIGHT);
    expect(told).toEqual({ before: 'passed', nested: 'passed', number: 'passed', table: 'passed' });
  });

  test.each(Object.entries(LIES))('is no answer for code that gives %s', async (_lie, code) => {
    const { told } = await run(code);
    expect(Object.values(told).filter((each) => each === 'passed')).toEqual([]);
  });
});

test('what its symbols give is asked where it was built', async () => {
  const { told } = await wall.run(
    [
      'export class Sum { constructor(n: number); readonly n: number; static read(text: string): Sum; get [Symbol.toStringTag](): string; [Symbol.toPrimitive](hint: string): string | number; [Symbol.iterator](): Iterator<number>; }',
    ],
    "export class Sum { constructor(n) { this.n = n; Object.freeze(this); } static read(text) { return new Sum(Number(text)); } get [Symbol.toStringTag]() { return `Sum${this.n}`; } [Symbol.toPrimitive](hint) { return hint === 'number' ? this.n : `${this.n}!`; } *[Symbol.iterator]() { yield this.n; } }",
    [
      HEAD,
      "import { Sum } from '../../shop/thing.mjs';",
      "test('equal', () => { const want = new Sum(5); assert.deepEqual(Sum.read('5'), want); assert.notDeepEqual(Sum.read('6'), want); });",
      "test('shown', () => { const want = new Sum(7); assert.equal(String(Sum.read('7')), `${want}`); assert.equal(+want, 7); assert.deepEqual([...want], [7]); assert.equal(Object.prototype.toString.call(want), '[object Sum7]'); });",
    ].join('\n'),
    { hasTwin: true },
  );
  expect(told).toEqual({ equal: 'passed', shown: 'passed' });
});

test('what a suite gives to the code, asks the class about, or builds of such is built where it always was', async () => {
  const run = await wall.run(
    [
      'export class Item { constructor(name: string); name: string; static count: number; static all(): Item[]; rename(to: string): void; }',
      'export class Box { constructor(items: Item[]); readonly size: number; add(item: Item): number; }',
      'export function open(): number;',
      'export function of(items: Item[]): Box;',
    ],
    [
      'const made = [];',
      'export class Item { static count = 0; static all() { return made; } constructor(name) { this.name = name; made.push(this); Item.count += 1; } rename(to) { this.name = to; } }',
      'export class Box { constructor(items) { this.items = items; this.size = items.length; } add(item) { this.items.push(item); return (this.size += 1); } }',
      'export const open = () => made.length;',
      'export const of = (items) => new Box(items);',
    ].join('\n'),
    suiteOf(
      {
        registry:
          "new Item('a'); assert.deepEqual(Item.all().map((i) => i.name), ['a']); assert.equal(open(), 1);",
        given:
          "const i = new Item('b'); const b = new Box([]); b.add(i); i.rename('c'); assert.equal(b.items[0], i); assert.equal(b.items[0].name, 'c');",
        parts:
          "const want = new Box([new Item('d')]); const got = of([new Item('d')]); assert.deepEqual(got, want); assert.ok(want instanceof Box);",
        thrown:
          "const want = new Item('e'); assert.throws(() => of(null), TypeError); assert.equal(want.name, 'e');",
      },
      'Item, Box, open, of',
    ).replace(/^const TABLE.*$/mu, ''),
    { hasTwin: true },
  );
  expect(run.told).toEqual({ registry: 'passed', given: 'passed', parts: 'passed', thrown: 'passed' });
});

test('verifySnapshot() judges such a suite in a second room, and says no of code that the first one believed', async () => {
  const world = await openGateWorld();
  const judge = async (code: string): Promise<{ verdict: string; rooms: string[] }> => {
    const suite = suiteOf({ before: TESTS['before'] ?? '' }).replace(/^const TABLE.*$/mu, '');
    const each = scriptCase('twin', { ending: 'mjs', exports: [POINT, ...EXPORTS] }, code, suite);
    const files = { [each.suitePath]: each.suite };
    const ids = [{ file: each.suitePath, nesting: [], name: 'before', ordinal: 0 }];
    const { report, artifacts } = await world.code(
      { ...each.contract, language: 'javascript' },
      { 'package.json': '{"type":"module"}', [each.codePath]: code, ...files },
      lockOfFiles(files, ids, 'glass_wall'),
      quickPlan(each.contract),
    );
    const rooms = artifacts.map(({ name }) => name).filter((name) => name.startsWith('logs/suite'));
    return { verdict: report.verdict, rooms };
  };
  try {
    const rooms = ['logs/suite-1.log', 'logs/suite-1-apart.log'];
    const [right, lie] = await Promise.all(
      [RIGHT, LIES['one of the group'] ?? ''].map((code) => judge(`${OPEN_CLASS}\n${ZERO}\n${code}`)),
    );
    expect(right).toEqual({ verdict: 'PASS', rooms });
    expect(lie).toEqual({ verdict: 'FAIL', rooms });
  } finally {
    await world.close();
  }
});
