/**
 * Expressions of a CI service by its own library, in three values: true and false decide, and what rests on something that
 * only the service knows is unknown. `false && steps.x.outputs.y` is false all the same.
 */
import type { data, Expr } from '@actions/expressions';
import type { Decided, Evaluate } from '../../core/repository/ci/expressions.ts';
import { errorMessage } from '../../core/text/error-text.ts';
import { workflowLibrary } from './library.ts';

type Plain = Readonly<Record<string, unknown>>;
/** The parts of a parsed expression that are looked at. */
interface Parts {
  readonly operator?: { readonly lexeme: string };
  readonly args?: readonly Node[];
  readonly expr?: Node;
  readonly group?: Node;
  readonly left?: Node;
  readonly right?: Node;
  readonly index?: Node;
  readonly name?: { readonly lexeme: string };
  readonly functionName?: { readonly lexeme: string };
  readonly literal?: { readonly value?: unknown };
}
type Node = Expr & Parts;

const CONTEXTS = [
  'github',
  'env',
  'vars',
  'job',
  'jobs',
  'steps',
  'runner',
  'secrets',
  'strategy',
  'matrix',
  'needs',
  'inputs',
];
/** What has no value unless somebody gave it one: as for a pull request of a fork. */
const EMPTY = new Set(['secrets', 'vars', 'inputs', 'matrix']);
const STATUS: Readonly<Record<string, boolean>> = {
  success: true,
  always: true,
  failure: false,
  cancelled: false,
};
const UNKNOWN_FUNCTIONS = new Set(['hashfiles']);

/** @see Evaluate */
export const evaluateExpression: Evaluate = (expression, context) => {
  const { Lexer, Parser } = workflowLibrary();
  try {
    const { tokens } = new Lexer(expression).lex();
    const functions = [...Object.keys(STATUS), 'hashFiles'].map((name) => ({
      name,
      minArgs: 0,
      maxArgs: 255,
    }));
    return decided(new Parser(tokens, CONTEXTS, functions).parse(), context);
  } catch (error) {
    return { isKnown: false, why: `"${expression}" cannot be read: ${errorMessage(error)}` };
  }
};

function decided(node: Node, context: Plain): Decided {
  const { operator, args, group } = node;
  if (group !== undefined) return decided(group, context);
  if (args !== undefined && (operator?.lexeme === '&&' || operator?.lexeme === '||'))
    return logical(args, operator.lexeme === '&&', context);
  if (operator?.lexeme === '!' && node.expr !== undefined) {
    const inner = decided(node.expr, context);
    return inner.isKnown ? { isKnown: true, value: !isTrue(inner.value) } : inner;
  }
  const why = unknownIn(node, context);
  return why === null ? { isKnown: true, value: computed(node, context) } : { isKnown: false, why };
}

/** The first part that decides does so, also past unknown ones. */
function logical(args: readonly Node[], isAnd: boolean, context: Plain): Decided {
  const parts = args.map((each) => decided(each, context));
  const deciding = parts.find((part) => part.isKnown && isTrue(part.value) !== isAnd);
  const unknown = parts.find((part) => !part.isKnown);
  if (unknown !== undefined) {
    const isFirst = deciding !== undefined && (isAnd || parts.indexOf(deciding) < parts.indexOf(unknown));
    return isFirst || (deciding !== undefined && !isAnd && deciding.isKnown && deciding.value === true)
      ? deciding
      : unknown;
  }
  return deciding ?? parts.at(-1) ?? { isKnown: true, value: true };
}

function isTrue(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined && value !== '' && value !== 0;
}

/** Why a part cannot be known; null where all of it is. */
function unknownIn(node: Node, context: Plain): string | null {
  const called = node.functionName?.lexeme.toLowerCase();
  if (called !== undefined && UNKNOWN_FUNCTIONS.has(called)) return `${called}() is computed while CI runs`;
  const path = pathOf(node);
  if (path !== null)
    return isKnownPath(path, context) ? null : `"${path.join('.')}" is known while CI runs only`;
  const parts = [node.expr, node.group, node.left, node.right, node.index, ...(node.args ?? [])];
  for (const part of parts) {
    const why = part === undefined ? null : unknownIn(part, context);
    if (why !== null) return why;
  }
  return null;
}

/** `matrix.os` as its parts; null for anything else. */
function pathOf(node: Node): string[] | null {
  if (node.name !== undefined) return [node.name.lexeme];
  if (node.index === undefined || node.expr === undefined) return null;
  const before = pathOf(node.expr);
  const part = node.index.literal?.value;
  return before === null ? null : [...before, typeof part === 'string' ? part : '*'];
}

function isKnownPath([first = '', ...rest]: readonly string[], context: Plain): boolean {
  const name = first.toLowerCase();
  if (!(name in context)) return false;
  let at: unknown = context[name];
  // Inputs of a person who starts the workflow by hand: nobody does for a change.
  if (name === 'github' && /^event\.inputs(?:\.|$)/iu.test(rest.join('.'))) return true;
  for (const [index, part] of rest.entries()) {
    if (part === '*' && Array.isArray(at)) return true;
    if (part === '*' && typeof at === 'object' && at !== null)
      return Object.values(at as Plain).every((each) =>
        isKnownPath([name, ...rest.slice(index + 1)], { [name]: each }),
      );
    const fields = typeof at === 'object' && at !== null ? (at as Plain) : {};
    const key = Object.keys(fields).find((each) => each.toLowerCase() === part.toLowerCase());
    if (key === undefined) return EMPTY.has(name);
    at = fields[key];
    if (at === '<unknown>') return false;
  }
  return true;
}

function computed(expression: Expr, context: Plain): unknown {
  const { Evaluator, data: kinds } = workflowLibrary();
  const functions = new Map(
    Object.entries(STATUS).map(([name, value]) => [
      name,
      { name, minArgs: 0, maxArgs: 255, call: () => new kinds.BooleanData(value) },
    ]),
  );
  const values = { ...Object.fromEntries(CONTEXTS.map((name) => [name, {}])), ...context };
  const result = new Evaluator(expression, toData(values) as data.Dictionary, functions).evaluate();
  return JSON.parse(JSON.stringify(result, kinds.replacer)) as unknown;
}

function toData(value: unknown): data.ExpressionData {
  const { data: kinds } = workflowLibrary();
  if (typeof value === 'string') return new kinds.StringData(value);
  if (typeof value === 'number') return new kinds.NumberData(value);
  if (typeof value === 'boolean') return new kinds.BooleanData(value);
  if (Array.isArray(value)) return new kinds.Array(...value.map((each) => toData(each)));
  if (typeof value === 'object' && value !== null)
    return new kinds.Dictionary(
      ...Object.entries(value).map(([key, each]) => ({ key, value: toData(each) })),
    );
  return new kinds.Null();
}
