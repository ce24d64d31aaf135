/**
 * Wrong values of a declared TypeScript type, as JavaScript expressions: right shape, never right (gate.md part 3).
 * Each expression has two values: what one happens to satisfy (`assert.ok(f(x))` of a boolean) the other does not. And each
 * callable has values of its own (`salt`), so that the result of one is not taken for the expected value that another one makes.
 */
import type { SgNode } from '@ast-grep/napi';

const SENTINEL = "'a7-wrong'";
const DEPTH_MAX = 8;

const BY_NAME: Readonly<Record<string, string>> = {
  boolean: '!a7Second',
  symbol: "Symbol('a7-wrong')",
  void: 'undefined',
  undefined: 'undefined',
  null: 'null',
  Date: 'new Date(239846400000)',
  RegExp: '/a7-wrong/',
  Error: "new Error('a7-wrong')",
  Uint8Array: 'new Uint8Array([97, 55])',
  Buffer: "Buffer.from('a7-wrong')",
  URL: "new URL('https://a7-wrong.invalid')",
  Function: '(() => undefined)',
};

/** Kinds of the exported names, and the types that exported aliases stand for. */
export interface WrongScope {
  readonly classes: ReadonlySet<string>;
  readonly enums: ReadonlySet<string>;
  readonly aliases: ReadonlyMap<string, SgNode | null>;
  /** Types that exported interfaces extend. */
  readonly parents: ReadonlyMap<string, readonly SgNode[]>;
  /** Number of the callable that gives the value; 0 for what is no result. */
  readonly salt: number;
}

/** A string that nobody expects. */
function textOf({ salt }: WrongScope): string {
  const mark = salt === 0 ? '' : `-${String(salt)}`;
  return `(a7Second ? 'a7-other${mark}' : 'a7-wrong${mark}')`;
}

function simple(name: string, scope: WrongScope): string {
  const salt = String(scope.salt);
  // No number is negative: "at least nothing" is said of any result. None is so large that a loop over it takes its time.
  if (name === 'number') return `(a7Second ? 211.75 + ${salt} : 97.25 + ${salt})`;
  if (name === 'bigint') return `(a7Second ? 211n + ${salt}n : 97n + ${salt}n)`;
  return BY_NAME[name] ?? textOf(scope);
}

/** Expression of a wrong value for `type`; a string where nothing is declared. */
export function wrongValue(type: SgNode | null, scope: WrongScope, depth = 0): string {
  if (type === null || depth > DEPTH_MAX) return textOf(scope);
  const inner = (node: SgNode | null | undefined): string => wrongValue(node ?? null, scope, depth + 1);
  const parts = type.children().filter((child) => child.isNamed());
  switch (`${type.kind()}`) {
    case 'predefined_type':
      return simple(type.text(), scope);
    case 'type_predicate_annotation':
    case 'type_predicate':
      return simple('boolean', scope);
    case 'asserts':
    case 'asserts_annotation':
      return 'undefined';
    case 'type_identifier':
      return named(type.text(), scope, depth);
    case 'array_type':
      return `Array(a7Second ? 2 : 1).fill(${inner(parts[0])})`;
    case 'tuple_type':
      return `[${parts.map(inner).join(', ')}]`;
    case 'parenthesized_type':
    case 'readonly_type':
      return inner(parts.at(-1));
    case 'union_type':
      return oneOf(alternatives(type), inner);
    case 'intersection_type':
      return allOf(parts, inner);
    case 'literal_type':
      return otherLiteral(type.text());
    case 'function_type':
      // In parentheses: a type of objects gives braces, which would be read as a body.
      return `(() => (${inner(type.field('return_type'))}))`;
    case 'object_type':
    case 'interface_body':
      return objectValue(type, inner);
    case 'generic_type':
      return generic(type, inner, scope, depth);
    default:
      return textOf(scope);
  }
}

/** `a | b | c` is a tree of pairs. */
function alternatives(type: SgNode): SgNode[] {
  if (type.kind() !== 'union_type') return [type];
  return type
    .children()
    .filter((child) => child.isNamed())
    .flatMap(alternatives);
}

/** Of a union the first part and, the other time, the last one; nothing is what `none` gives. */
function oneOf(parts: readonly SgNode[], inner: (node: SgNode | undefined) => string): string {
  const given = parts.filter((part) => !/^(null|undefined)$/u.test(part.text()));
  if (given.length < 2) return inner(given[0] ?? parts[0]);
  return `(a7Second ? ${inner(given.at(-1))} : ${inner(given[0])})`;
}

/** `f & { cancel(): void }`: what can be called, or else the first, with the members of the other. */
function allOf(parts: readonly SgNode[], inner: (node: SgNode | undefined) => string): string {
  const isCall = (part: SgNode): boolean => /^\(*(?:<[^>]*>)?\(.*=>/su.test(part.text());
  const first = parts.find(isCall) ?? parts[0];
  const others = parts.filter((part) => part !== first);
  if (`${first?.kind() ?? ''}` === 'predefined_type') return inner(first);
  return `Object.assign(${[first, ...others].map(inner).join(', ')})`;
}

/** A value other than the one that a literal type allows; `null` and `undefined` are what nothing else can be. */
function otherLiteral(text: string): string {
  if (text === 'null' || text === 'undefined') return text;
  return /^['"`]/u.test(text) ? SENTINEL : otherConstant(null, text, NO_SCOPE);
}

const NO_SCOPE: WrongScope = {
  classes: new Set(),
  enums: new Set(),
  aliases: new Map(),
  parents: new Map(),
  salt: 0,
};

/** A literal other than `value`; by type where `value` is no literal. */
export function otherConstant(type: SgNode | null, value: string | null, scope: WrongScope): string {
  if (value === null) return wrongValue(type, scope);
  if (/^-?[\d._]+(e[+-]?\d+)?$/iu.test(value)) return `(${value} - 7919)`;
  if (/^-?\d+n$/u.test(value)) return `(${value} - 7919n)`;
  if (value === 'true' || value === 'false') return value === 'true' ? 'false' : 'true';
  if (value.startsWith('[')) return `[${SENTINEL}]`;
  if (value.startsWith('{')) return `{ wrong: ${SENTINEL} }`;
  return type === null ? SENTINEL : wrongValue(type, scope);
}

function named(name: string, scope: WrongScope, depth: number): string {
  if (scope.classes.has(name)) return `a7Instance(() => ${name}, ${String(scope.salt)})`;
  if (scope.enums.has(name)) return `Object.values(${name}).at(a7Second ? 0 : -1)`;
  const alias = scope.aliases.get(name);
  if (alias === undefined) return simple(name, scope);
  const own = alias === null ? `{ wrong: ${textOf(scope)} }` : wrongValue(alias, scope, depth + 2);
  const parents = (scope.parents.get(name) ?? []).filter((each) => isKnown(each, scope));
  if (parents.length === 0 || depth + 2 > DEPTH_MAX) return own;
  return `Object.assign(${[...parents.map((each) => wrongValue(each, scope, depth + 2)), own].join(', ')})`;
}

/** Whether the contract declares a type: of any other nothing is inherited that could be called. */
function isKnown(type: SgNode, { aliases, classes }: WrongScope): boolean {
  const name = type.field('name')?.text() ?? type.text();
  return aliases.has(name) || classes.has(name);
}

function generic(
  type: SgNode,
  inner: (node: SgNode | null | undefined) => string,
  scope: WrongScope,
  depth: number,
): string {
  const name = type.field('name')?.text() ?? '';
  const parts =
    type
      .field('type_arguments')
      ?.children()
      .filter((child) => child.isNamed()) ?? [];
  const first = inner(parts[0]);
  switch (name) {
    case 'Array':
    case 'ReadonlyArray':
      return `Array(a7Second ? 2 : 1).fill(${first})`;
    case 'Set':
    case 'ReadonlySet':
      return `new Set([${first}])`;
    case 'Map':
    case 'ReadonlyMap':
      return `new Map([[${first}, ${inner(parts[1])}]])`;
    case 'Record':
      return `{ [${first}]: ${inner(parts[1])} }`;
    case 'Promise':
    case 'PromiseLike':
      return `Promise.resolve(${first})`;
    case 'Iterable':
    case 'Iterator':
    case 'IterableIterator':
    case 'Generator':
      return `[${first}].values()`;
    case 'AsyncIterable':
    case 'AsyncIterator':
    case 'AsyncIterableIterator':
    case 'AsyncGenerator':
      return `a7AsyncIterator([${first}])`;
    case 'Readonly':
    case 'Partial':
    case 'Required':
      return first;
    default:
      return named(name, scope, depth);
  }
}

function objectValue(type: SgNode, inner: (node: SgNode | null | undefined) => string): string {
  const entries = type.children().flatMap((member) => {
    const name = member.field('name')?.text() ?? 'x';
    if (member.kind() === 'property_signature')
      return [`${name}: ${inner(inAnnotation(member.field('type')))}`];
    if (member.kind() !== 'method_signature') return [];
    return [`${name}: () => (${inner(inAnnotation(member.field('return_type')))})`];
  });
  return `({ ${entries.join(', ')} })`;
}

function inAnnotation(node: SgNode | null): SgNode | undefined {
  return node?.children().find((child) => child.isNamed());
}
