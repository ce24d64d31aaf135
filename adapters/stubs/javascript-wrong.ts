/** Wrong values of a declared TypeScript type, as JavaScript expressions: right shape, never right (gate.md part 3). */
import type { SgNode } from '@ast-grep/napi';

const SENTINEL = "'a7-wrong'";
const DEPTH_MAX = 8;

const BY_NAME: Readonly<Record<string, string>> = {
  number: '-7919.25',
  string: SENTINEL,
  boolean: 'true',
  bigint: '-7919n',
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
}

/** Expression of a wrong value for `type`; a string where nothing is declared. */
export function wrongValue(type: SgNode | null, scope: WrongScope, depth = 0): string {
  if (type === null || depth > DEPTH_MAX) return SENTINEL;
  const inner = (node: SgNode | null | undefined): string => wrongValue(node ?? null, scope, depth + 1);
  const parts = type.children().filter((child) => child.isNamed());
  switch (`${type.kind()}`) {
    case 'predefined_type':
      return BY_NAME[type.text()] ?? SENTINEL;
    case 'type_identifier':
      return named(type.text(), scope, depth);
    case 'array_type':
      return `[${inner(parts[0])}]`;
    case 'tuple_type':
      return `[${parts.map(inner).join(', ')}]`;
    case 'parenthesized_type':
    case 'readonly_type':
      return inner(parts.at(-1));
    case 'union_type':
      return inner(parts.find((part) => !/^(null|undefined)$/u.test(part.text())) ?? parts[0]);
    case 'literal_type':
      return otherLiteral(type.text());
    case 'function_type':
      // In parentheses: a type of objects gives braces, which would be read as a body.
      return `(() => (${inner(type.field('return_type'))}))`;
    case 'object_type':
      return objectValue(type, inner);
    case 'generic_type':
      return generic(type, inner, scope, depth);
    default:
      return SENTINEL;
  }
}

/** A value other than the one that a literal type allows; `null` and `undefined` are what nothing else can be. */
function otherLiteral(text: string): string {
  if (text === 'null' || text === 'undefined') return text;
  return /^['"`]/u.test(text) ? SENTINEL : otherConstant(null, text, NO_SCOPE);
}

const NO_SCOPE: WrongScope = { classes: new Set(), enums: new Set(), aliases: new Map() };

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
  if (scope.classes.has(name)) return `a7Instance(() => ${name})`;
  if (scope.enums.has(name)) return `Object.values(${name}).at(-1)`;
  const alias = scope.aliases.get(name);
  if (alias !== undefined)
    return alias === null ? `{ wrong: ${SENTINEL} }` : wrongValue(alias, scope, depth + 1);
  return BY_NAME[name] ?? SENTINEL;
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
      return `[${first}]`;
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
  const fields = type.children().filter((child) => child.kind() === 'property_signature');
  const entries = fields.map((field) => {
    const annotation = field
      .field('type')
      ?.children()
      .find((child) => child.isNamed());
    return `${field.field('name')?.text() ?? 'x'}: ${inner(annotation)}`;
  });
  return `{ ${entries.join(', ')} }`;
}
