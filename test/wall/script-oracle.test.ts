/** Nothing that the builder wrote takes part in what a JavaScript suite expects: constructors, claims about the module, private state. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openHostWall, type HostRun, type HostWall } from './host-wall.ts';

let wall: HostWall;
beforeAll(async () => {
  wall = await openHostWall();
});
afterAll(() => wall.close());

const HEAD = "import { test } from 'node:test';\nimport assert from 'node:assert/strict';\n";

/** Runs the tests, each [name, body]. `names` are imported. */
async function judged(
  names: string,
  exports: readonly string[],
  code: readonly string[],
  tests: readonly (readonly [string, string])[],
): Promise<HostRun> {
  const bodies = tests.map(([name, body]) => `test(${JSON.stringify(name)}, async () => { ${body} });`);
  const suite = [HEAD, `import { ${names} } from '../../shop/thing.mjs';`, ...bodies].join('\n');
  return wall.run(exports, code.join('\n'), suite);
}

const CHANGED = 'A constructor has changed an object that was not given to it';
const POINT =
  'export class Point { constructor(x: number, y: number); x: number; y: number; shift(dx: number, dy: number): Point; }';

describe('an expected value that the code itself constructs', () => {
  test('does not rewrite what a call gave before', async () => {
    const run = await judged(
      'Point, shift, many, later, box',
      [
        POINT,
        'export function shift(p: Point, dx: number, dy: number): Point;',
        'export function many(): Point[];',
        'export function later(p: Point): Promise<Point>;',
        'export function box(p: Point): { at: Map<string, Point> };',
      ],
      [
        'let given = null;',
        'const zero = () => { const made = Object.assign(Object.create(Point.prototype), { x: 0, y: 0 }); given = made; return made; };',
        'export class Point { constructor(x, y) { this.x = x; this.y = y; if (given !== null && x === 4) { Object.assign(given, this); given = null; } } shift() { return zero(); } }',
        'export const shift = () => zero();',
        'export const many = () => [zero()];',
        'export const later = async () => zero();',
        "export const box = () => ({ at: new Map([['a', zero()]]) });",
      ],
      [
        ['function', 'assert.deepEqual(shift(new Point(3, 4), 1, 2), new Point(4, 6));'],
        ['method', 'assert.deepEqual(new Point(3, 4).shift(1, 2), new Point(4, 6));'],
        ['in a list', 'assert.deepEqual(many(), [new Point(4, 6)]);'],
        ['in a promise', 'assert.deepEqual(await later(new Point(3, 4)), new Point(4, 6));'],
        ['in a map', "assert.deepEqual(box(new Point(3, 4)).at.get('a'), new Point(4, 6));"],
        ['said of itself', 'const r = shift(new Point(3, 4), 1, 2); new Point(4, 6); assert.equal(r.x, 4);'],
      ],
    );
    expect(Object.values(run.told)).toEqual(Array(6).fill(`failed: ${CHANGED}`));
    // What the suite expects is no example for the builder.
    expect(JSON.stringify(run.tests.map((line) => line.counterexample))).not.toContain('4, 6');
  });

  test('does not change by way of getters, of the object itself or of its class', async () => {
    const run = await judged(
      'Point, own, hidden',
      [
        'export class Point { constructor(x: number); get x(): number; }',
        'export function own(n: number): Point;',
        'export function hidden(n: number): Point;',
      ],
      [
        'let last = 0;',
        'export class Point { #x; constructor(x) { this.#x = x; if (x !== null) last = x; } get x() { return this.#x ?? last; } }',
        "export const own = () => Object.defineProperty(Object.create(Point.prototype), 'x', { get: () => last, enumerable: true });",
        'export const hidden = () => new Point(null);',
      ],
      [
        ['own', 'assert.equal(own(3).x, new Point(4).x);'],
        ['of its class', 'const r = hidden(3); const w = new Point(5); assert.equal(w.x, r.x);'],
        ['compared whole', 'assert.deepEqual(hidden(3), new Point(6));'],
      ],
    );
    expect(run.tests.map((line) => line.outcome)).toEqual(['failed', 'failed', 'failed']);
  });

  test('does not change a readonly member at the next call either', async () => {
    const run = await judged(
      'Fixed, fix, ping',
      [
        'export class Fixed { constructor(x: number); readonly x: number; }',
        'export function fix(n: number): Fixed;',
        'export function ping(): number;',
      ],
      [
        'let given, want;',
        'export class Fixed { constructor(x) { this.x = x; want = x; } }',
        'export const fix = () => (given = new Fixed(0));',
        'export const ping = () => { given.x = want; return 1; };',
      ],
      [['later', 'const r = fix(3); const w = new Fixed(5); ping(); assert.deepEqual(r, w);']],
    );
    expect(run.told).toEqual({ later: 'failed: A readonly member has changed without a use of its object' });
  });

  test('may change with its own object: views, what was given, registries, counters', async () => {
    const run = await judged(
      'Stack, Item, Group, Member',
      [
        'export class Stack { readonly size: number; push(n: number): void; view(): { readonly total: number }; }',
        'export class Item { constructor(name: string); static all(): Item[]; static count: number; static list: Item[]; }',
        'export class Group { constructor(); readonly members: Member[]; readonly count: number; }',
        'export class Member { constructor(group: Group); readonly peers: number; }',
      ],
      [
        'export class Stack { #views = []; size = 0; push(n) { this.size += 1; for (const v of this.#views) v.total += n; } view() { const v = { total: 0 }; this.#views.push(v); return v; } }',
        'export class Item { static count = 0; static list = []; static #all = []; static all() { return Item.#all; } constructor(name) { this.name = name; Item.count += 1; Item.list.push(this); Item.#all.push(this); } }',
        'export class Group { #own = []; members = []; count = 0; add(m) { this.count += 1; for (const each of this.#own) each.peers += 1; this.#own.push(m); this.members.push(m); } }',
        'export class Member { constructor(group) { this.peers = group.count; group.add(this); } }',
      ],
      [
        ['own', 'const s = new Stack(); s.push(1); assert.equal(s.size, 1);'],
        ['view', 'const s = new Stack(); const v = s.view(); s.push(4); assert.equal(v.total, 4);'],
        [
          'registry',
          "const all = Item.all(); assert.equal(Item.list.length, 0); new Item('a'); assert.deepEqual([all.length, Item.count, Item.list[0].name], [1, 1, 'a']);",
        ],
        [
          'group',
          'const g = new Group(); const a = new Member(g); const b = new Member(g); assert.deepEqual([a.peers, b.peers, g.count], [1, 1, 2]);',
        ],
      ],
    );
    expect(run.told).toEqual({ own: 'passed', view: 'passed', registry: 'passed', group: 'passed' });
  });
});

describe('what the code gives, against its declaration', () => {
  const EXPORTS = [
    'export function n(k: number): number;',
    'export function text(k: number): string | null;',
    'export function flag(k: number): boolean;',
    'export function list(k: number): number[];',
    'export function pair(k: number): { a: number; b?: string };',
    "export function level(k: number): 'low' | 'high';",
    'export function later(k: number): Promise<number>;',
    'export function* up(k: number): Generator<number, string>;',
    'export class Account { constructor(k: number); owner: string; total(): number; }',
  ];
  const CODE = [
    "export const n = (k) => [5, '5', true, 5n, [5]][k];",
    "export const text = (k) => [null, 'x', undefined, 5][k];",
    'export const flag = (k) => [true, 1][k];',
    "export const list = (k) => [[1], [1, '2'], '1'][k];",
    "export const pair = (k) => [{ a: 1 }, { a: 1, b: 2 }, { a: '1' }][k];",
    "export const level = (k) => ['low', 'mid'][k];",
    "export const later = async (k) => [1, '1'][k];",
    "export function* up(k) { yield k === 0 ? 1 : '1'; return 'end'; }",
    "class Other { total() { return 'x'; } }",
    "export class Account { constructor(k) { this.owner = k === 1 ? 7 : 'o'; if (k === 2) return new Other(); if (k === 3) return new String('x'); } total() { return '102.5'; } }",
  ];
  const NAMES = 'n, text, flag, list, pair, level, later, up, Account';

  test('is of that type', async () => {
    const body =
      'n(0); text(0); text(1); text(2); flag(0); list(0); pair(0); level(0); await later(0); [...up(0)]; new Account(0);';
    const run = await judged(NAMES, EXPORTS, CODE, [['right', body]]);
    expect(run.told).toEqual({ right: 'passed' });
  });

  test('is no other value, whatever the suite would say of it', async () => {
    const calls = [
      'n(1)',
      'n(2)',
      'n(3)',
      'n(4)',
      'text(3)',
      'flag(1)',
      'list(1)',
      'list(2)',
      'pair(1)',
      'pair(2)',
    ];
    const more = [
      'level(1)',
      '[...up(1)]',
      'new Account(1)',
      'new Account(2)',
      'new Account(3)',
      'new Account(0).total() - 2',
    ];
    const all = [...calls, ...more, 'await later(1)'];
    const run = await judged(
      NAMES,
      EXPORTS,
      CODE,
      all.map((call) => [call, `${call};`] as const),
    );
    expect(Object.keys(run.told)).toEqual(all);
    for (const told of Object.values(run.told))
      expect(told).toMatch(
        /^failed: (?:A value is not of the declared type: .* where the contract declares|A constructor gave an object of another class)/,
      );
  });
});

test('objects with private state are compared by what the contract declares of them', async () => {
  const run = await judged(
    'Point, list',
    [
      'export class Point { constructor(x: number, y: number); readonly x: number; readonly y: number; plus(o: Point): Point; }',
      'export function list(): Map<string, Point>;',
    ],
    [
      'export class Point { #x; #y; constructor(x, y) { this.#x = x; this.#y = y; } get x() { return this.#x; } get y() { return this.#y; } plus(o) { return new Point(this.#x + o.#x, this.#x === 9 ? 0 : this.#y + o.#y); } }',
      "export const list = () => new Map([['a', new Point(1, 2)]]);",
    ],
    [
      ['right', 'assert.deepEqual(new Point(1, 2).plus(new Point(2, 3)), new Point(3, 5));'],
      ['wrong', 'assert.deepEqual(new Point(9, 2).plus(new Point(2, 3)), new Point(11, 5));'],
      ['right in a map', "assert.deepStrictEqual(list(), new Map([['a', new Point(1, 2)]]));"],
      ['wrong in a map', "assert.deepStrictEqual(list(), new Map([['a', new Point(1, 3)]]));"],
    ],
  );
  const differs = 'failed: Expected values to be deeply equal: their "y" is not the same';
  expect(run.told).toEqual({
    right: 'passed',
    wrong: differs,
    'right in a map': 'passed',
    'wrong in a map': differs,
  });
});

test('the wall tells which exports a test called, whatever words it has', async () => {
  const run = await wall.run(
    [
      'export function area(n: number): number;',
      'export function volume(n: number): number;',
      'export default class Box { constructor(n: number); side: number; get half(): number; grow(): void; static unit(): Box; }',
    ],
    'export const area = (n) => n * n; export const volume = (n) => n ** 3; export default class Box { constructor(n) { this.side = n; } get half() { return this.side / 2; } grow() { this.side += 1; } static unit() { return new Box(1); } }',
    [
      HEAD,
      "import Box, { area, volume } from '../../shop/thing.mjs';",
      "import { before, describe } from 'node:test';",
      "describe('area and volume', () => {",
      '  let box; before(() => { box = Box.unit(); });',
      "  test('volume', () => { assert.equal(area(2), 4); void volume; });",
      "  test('grows', () => { box.grow(); assert.equal(box.half, 1); });",
      '});',
    ].join('\n'),
  );
  expect(run.tests.map((line) => [line.outcome, line.called])).toEqual([
    ['passed', ['Box.unit', 'Box', 'Box.side', 'area']],
    ['passed', ['Box.grow', 'Box', 'Box.side', 'Box.half']],
  ]);
});
