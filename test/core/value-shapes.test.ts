/** What contracts in JavaScript and TypeScript declare of values (gate.md part 11); what is not known is anything. */
import { expect, test } from '@jest/globals';
import { typeShapes, valueShapes } from '../../core/gate/exports/value-shapes.ts';
import { gateContract } from '../support/gate-contract.ts';

const nodeOf = (exports: readonly string[]) => {
  const contract = gateContract({ language: 'typescript' });
  return { ...contract, interface: { ...contract.interface, exports: [...exports] } };
};
const shapesOf = (...exports: readonly string[]) => valueShapes(nodeOf(exports), [nodeOf(exports)]);
const resultOf = (type: string) => {
  const found = shapesOf(`export function f(): ${type};`)['f'];
  return typeof found === 'object' && found?.kind === 'function' ? found.returns : 'no function';
};

const plain = (of: string) => ({ kind: 'plain', of });
const literal = (of: string | number | boolean) => ({ kind: 'literal', of });
const either = (...of: readonly object[]) => ({ kind: 'either', of });

test.each([
  ['number', plain('number')],
  ["'up' | -1 | null | undefined", either(literal('up'), literal(-1), plain('null'), plain('undefined'))],
  ['true | 10n | `a-${string}`', either(literal(true), plain('bigint'), plain('string'))],
  ['string[][]', { kind: 'array', of: { kind: 'array', of: plain('string') } }],
  ['ReadonlyArray<Date>', { kind: 'array', of: { kind: 'date' } }],
  [
    'Map<string, Set<number>>',
    { kind: 'map', keys: plain('string'), of: { kind: 'set', of: plain('number') } },
  ],
  ['[name: string, at: number]', { kind: 'tuple', of: [plain('string'), plain('number')] }],
  ['Promise<Record<string, RegExp>>', { kind: 'promise', of: { kind: 'record', of: { kind: 'regexp' } } }],
  ['AsyncGenerator<string, void>', { kind: 'iterates', of: plain('string') }],
  ['text is string', plain('boolean')],
  [
    '(n: number) => string',
    { kind: 'function', params: [plain('number')], rest: null, returns: plain('string') },
  ],
  [
    '{ a: number; readonly b?: string[]; [key: string]: unknown }',
    {
      kind: 'object',
      members: {
        a: plain('number'),
        b: either({ kind: 'array', of: plain('string') }, plain('undefined')),
      },
      fixed: ['b'],
    },
  ],
])('a result of the type %s has a shape', (type, shape) => {
  expect(resultOf(type)).toEqual(shape);
});

test.each([
  'unknown',
  'void',
  'T',
  'string | T',
  'A & B',
  'T extends string ? 1 : 2',
  "Thing['name']",
  'keyof T',
  'ns.Thing',
  'Uint',
])('a result of the type %s may be anything', (type) => {
  expect(resultOf(type)).toBe(null);
});

test('a class has the shape of its instances, without what is not public; an overload says nothing', () => {
  expect(
    shapesOf(
      'export default class Cart extends Base { #n: number; private secret: string; constructor(n: number); static of(): Cart; count: number; get all(): Set<string>; put(n: number): this; put(n: string): this; at(...names: string[]): number }',
    )['default'],
  ).toEqual({
    kind: 'object',
    members: {
      count: plain('number'),
      all: { kind: 'set', of: plain('string') },
      put: null,
      at: { kind: 'function', params: [], rest: plain('string'), returns: plain('number') },
    },
    fixed: [],
  });
  expect(shapesOf('export function f(a: string): number;', 'export function f(a: number): number;')).toEqual(
    {},
  );
});

test('types of the contracts are named, so that one may hold itself; one that is declared twice is left out', () => {
  const node = nodeOf([
    'export interface Node { value: number; next: Node | null }',
    'export type Pair<T> = [T, number];',
    'export type Twice = number;',
    'export type Twice = string;',
    'export const first: Node;',
    'export const last: Twice;',
  ]);
  expect(typeShapes([node])).toEqual({
    Node: {
      kind: 'object',
      members: { value: plain('number'), next: either({ kind: 'named', name: 'Node' }, plain('null')) },
      fixed: [],
    },
    Pair: { kind: 'tuple', of: [null, plain('number')] },
  });
  expect(valueShapes(node, [node])).toEqual({ first: { kind: 'named', name: 'Node' } });
});

test('what cannot be read says nothing', () => {
  expect(
    shapesOf('export function f(a: {', 'export const g: (', 'export class H {', 'export enum E { A }'),
  ).toEqual({});
});
