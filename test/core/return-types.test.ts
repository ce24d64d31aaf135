/** What an exported function is declared to give (gate.md part 11): only where it is one plain type. */
import { expect, test } from '@jest/globals';
import { returnTypes } from '../../core/gate/return-types.ts';
import { gateContract } from '../support/gate-contract.ts';

const typesOf = (...exports: readonly string[]) => {
  const contract = gateContract({ language: 'typescript' });
  return returnTypes({ ...contract, interface: { ...contract.interface, exports: [...exports] } });
};

test('returnTypes() knows results of functions and of constants that are functions', () => {
  expect(
    typesOf(
      'export function parse(text: string): number;',
      'export const names: (count: number) => string[];',
      'export default function (pick: (n: number) => boolean, { a = 1 }?: { a?: number }): boolean;',
    ),
  ).toEqual({ parse: 'number', names: 'array', default: 'boolean' });
});

test('returnTypes() does not take the result of a result for it', () => {
  expect(
    typesOf(
      'export function template(text: string): (data: Record<string, unknown>) => string;',
      'export const curry: (f: Function) => (n: number) => number;',
      'export function later(n: number): Promise<string>;',
    ),
  ).toEqual({});
});
