/** Functions, classes and values of JavaScript and TypeScript as symbols. */
import type { SourceSymbol, SymbolParam } from '../../core/ports/symbols.ts';
import { mayReturnPromise } from './ecma-promises.ts';
import { hasKeyword, headText, symbol, type SyntaxNode } from './syntax.ts';

const FUNCTIONS = new Set(
  'arrow_function function_expression function generator_function function_declaration generator_function_declaration function_signature method_definition method_signature abstract_method_signature'.split(
    ' ',
  ),
);
/** Literals and their types; null where the value may be a start that is replaced later. */
const LITERALS: Readonly<Record<string, string | null>> = {
  number: 'number',
  string: 'string',
  template_string: 'string',
  true: 'boolean',
  false: 'boolean',
  null: null,
  undefined: null,
  array: null,
  object: null,
  regex: null,
  unary_expression: null,
};
const WRAPPERS = new Set([
  'parenthesized_expression',
  'as_expression',
  'satisfies_expression',
  'non_null_expression',
]);

/** Types that cannot be called. */
const PRIMITIVE =
  /^(readonly\s+)?(number|string|boolean|bigint|null|symbol|\S+\[\]|(Readonly)?(Array|Map|Set)<.*>|Record<.*>|Date|RegExp|Uint8Array|['"`\d[].*)$/su;

/** A declared or assigned value that is no class: function, constant, or what the syntax does not show. */
export function valueOf(
  name: string,
  value: SyntaxNode | null,
  at: SyntaxNode,
  annotation: string | null,
): SourceSymbol {
  const inner = value === null ? null : unwrapped(value);
  if (inner === null) {
    // A field without a value is given one later: only its type tells what.
    const kind = isFunctionType(annotation) ? 'function' : isPrimitive(annotation) ? 'constant' : 'opaque';
    return symbol(name, kind, at, { returns: kind === 'function' ? null : annotation });
  }
  const kind = String(inner.kind());
  if (FUNCTIONS.has(kind)) return functionSymbol(name, inner, at);
  if (!Object.hasOwn(LITERALS, kind)) return symbol(name, 'opaque', at, { returns: annotation });
  return symbol(name, 'constant', at, { returns: annotation ?? LITERALS[kind] ?? null });
}

/** The expression within brackets, `as`, `satisfies` and `!`. */
export function unwrapped(node: SyntaxNode): SyntaxNode {
  const inner = WRAPPERS.has(String(node.kind())) ? node.namedChildren()[0] : undefined;
  return inner === undefined ? node : unwrapped(inner);
}

export function functionSymbol(name: string, node: SyntaxNode, at: SyntaxNode): SourceSymbol {
  const body = node.field('body');
  const returns = withoutColon(node.field('return_type'));
  const text = body?.text() ?? '';
  return symbol(name, 'function', at, {
    isAsync: hasKeyword(node, 'async') || /^Promise\b/u.test(returns ?? ''),
    params: /\barguments\b/u.test(text) ? null : ecmaParams(node),
    returns,
    mayReturnPromise: mayReturnPromise(body),
    openMembers: true,
    signature: headText(at, body)
      .replace(/(=>|\{)\s*$/u, '')
      .trim(),
  });
}

/** Parameters in order. A pattern has the name of its text. */
function ecmaParams(node: SyntaxNode): SymbolParam[] {
  const single = node.field('parameter');
  if (single !== null)
    return [{ name: single.text(), kind: 'positional', optional: false, annotation: null }];
  const list = node.field('parameters')?.namedChildren() ?? [];
  return list
    .filter((child) => child.kind() !== 'comment')
    .map((child): SymbolParam => {
      const pattern = child.field('pattern') ?? child.field('left') ?? child.child(0) ?? child;
      const isRest = child.kind() === 'rest_pattern' || pattern.kind() === 'rest_pattern';
      const isOptional =
        child.kind() === 'optional_parameter' ||
        child.kind() === 'assignment_pattern' ||
        child.field('value') !== null;
      const name = (child.isLeaf() || child.kind().toString().endsWith('_pattern') ? child : pattern)
        .text()
        .replace(/^\.\.\./u, '');
      return {
        name: child.kind() === 'assignment_pattern' ? pattern.text() : name,
        kind: isRest ? 'var_positional' : 'positional',
        optional: isOptional || isRest,
        annotation: withoutColon(child.field('type')),
      };
    })
    .filter((param) => param.name !== 'this');
}

function isPrimitive(annotation: string | null): boolean {
  return annotation !== null && PRIMITIVE.test(annotation);
}

function isFunctionType(annotation: string | null): boolean {
  return annotation !== null && /^(<[^>]*>\s*)?\([\s\S]*=>/u.test(annotation);
}

/** An annotation without its colon. */
export function withoutColon(node: SyntaxNode | null): string | null {
  return node === null ? null : node.text().replace(/^:\s*/u, '');
}
