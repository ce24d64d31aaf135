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

test.each([
  ['number', 'value'],
  ["'up' | -1 | null | undefined", { kind: 'either', of: ['value', 'value', 'value', 'value'] }],
  ['string[][]', { kind: 'array', of: { kind: 'array', of: 'value' } }],
  ['ReadonlyArray<Date>', { kind: 'array', of: { kind: 'date' } }],
  ['Map<string, Set<number>>', { kind: 'map', keys: 'value', of: { kind: 'set', of: 'value' } }],
  ['[name: string, at: number]', { kind: 'tuple', of: ['value', 'value'] }],
  ['Promise<Record<string, RegExp>>', { kind: 'promise', of: { kind: 'record', of: { kind: 'regexp' } } }],
  ['AsyncGenerator<string, void>', { kind: 'iterates', of: 'value' }],
  ['text is string', 'value'],
  ['(n: number) => string', { kind: 'function', params: ['value'], rest: null, returns: 'value' }],
  [
    '{ a: number; readonly b?: string[]; [key: string]: unknown }',
    {
      kind: 'object',
      members: { a: 'value', b: { kind: 'either', of: [{ kind: 'array', of: 'value' }, 'value'] } },
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
      count: 'value',
      all: { kind: 'set', of: 'value' },
      put: null,
      at: { kind: 'function', params: [], rest: 'value', returns: 'value' },
    },
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
      members: { value: 'value', next: { kind: 'either', of: [{ kind: 'named', name: 'Node' }, 'value'] } },
    },
    Pair: { kind: 'tuple', of: [null, 'value'] },
  });
  expect(valueShapes(node, [node])).toEqual({ first: { kind: 'named', name: 'Node' } });
});

test('what cannot be read says nothing', () => {
  expect(
    shapesOf('export function f(a: {', 'export const g: (', 'export class H {', 'export enum E { A }'),
  ).toEqual({});
});
