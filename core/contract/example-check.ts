/** What of an example can be told from the contracts alone: a result of the wrong type, and an error that is spelt wrong. */
import type { ResolvedContract } from '../../schemas/contract.ts';
import { raiseName } from '../gate/suite/clauses.ts';
import { isBuiltinException, builtinExceptions } from '../gate/exports/known-types.ts';
import { nearestWord } from '../text/nearest.ts';
import { declaredName, exportedNames } from './declaration.ts';
import { canBe, closingAt, resultType } from './example-types.ts';

export interface ExampleProblem {
  readonly index: number;
  readonly field: 'call' | 'returns' | 'raises';
  readonly reason: string;
  readonly suggestion: string;
}

/** Problems of a node's examples; `dependencies` are all that it may use. */
export function exampleProblems(
  contract: ResolvedContract,
  dependencies: readonly ResolvedContract[],
): readonly ExampleProblem[] {
  return contract.examples.flatMap((example, index) =>
    'raises' in example
      ? raisesProblem(contract, dependencies, example.raises, index)
      : returnsProblem(contract, example, index),
  );
}

const LENGTH_SLIP_MAX = 2;

function raisesProblem(
  contract: ResolvedContract,
  dependencies: readonly ResolvedContract[],
  wanted: string,
  index: number,
): ExampleProblem[] {
  const own = [contract, ...dependencies].flatMap((each) => [
    ...each.interface.raises.map(raiseName),
    ...exportedNames(each.language, each.interface.exports),
  ]);
  const imported = contract.interface.imports.join(' ');
  if (own.includes(wanted) || isBuiltinException(contract.language, wanted)) return [];
  if (new RegExp(`\\b${wanted.replace(/\W/gu, '')}\\b`, 'u').test(imported)) return [];
  const near = nearestWord(wanted, [...own, ...builtinExceptions(contract.language)]);
  if (near === null || Math.abs(near.length - wanted.length) > LENGTH_SLIP_MAX) return [];
  return [
    {
      index,
      field: 'raises',
      reason: `nobody defines "${wanted}"`,
      suggestion: `Did you mean "${near}"? An error of your own is listed in interface.raises`,
    },
  ];
}

function returnsProblem(
  contract: ResolvedContract,
  { call, returns }: { readonly call: string; readonly returns: unknown },
  index: number,
): ExampleProblem[] {
  const name = calledWhole(call);
  const declared = contract.interface.exports.filter(
    (text) => declaredName(contract.language, text)?.name === name,
  );
  const type = declared.length === 1 ? resultType(contract.language, declared[0] ?? '') : null;
  if (name === null || type === null || canBe(type, returns as Parameters<typeof canBe>[1])) return [];
  return [
    {
      index,
      field: 'returns',
      reason: `${name} is declared to return ${type}, the example returns ${JSON.stringify(returns)}`,
      suggestion: 'Write a value of the declared type, or correct the declaration',
    },
  ];
}

/** `f` where the whole call is `f(…)` or `await f(…)`; null for any other expression. */
function calledWhole(call: string): string | null {
  const text = call.trim();
  const [head, name] = /^(?:await\s+)?([A-Za-z_$][\w$]*)\s*(?=\()/u.exec(text) ?? [];
  if (head === undefined || name === undefined) return null;
  return closingAt(text, head.length) === text.length - 1 ? name : null;
}
