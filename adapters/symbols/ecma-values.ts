/** Functions, classes and values of JavaScript and TypeScript as symbols. */
import type { SourceSymbol, SymbolParam } from '../../core/ports/symbols.ts';
import { hasKeyword, headText, oneLine, symbol, type SyntaxNode } from './syntax.ts';

const FUNCTIONS = new Set(
  'arrow_function function_expression function generator_function function_declaration generator_function_declaration function_signature method_definition method_signature abstract_method_signature'.split(
    ' ',
  ),
);
const CLASSES = new Set(['class', 'class_declaration', 'abstract_class_declaration']);
const LITERALS = new Set(
  'number string template_string true false null undefined array object regex unary_expression'.split(' '),
);
const WRAPPERS = new Set([
  'parenthesized_expression',
  'as_expression',
  'satisfies_expression',
  'non_null_expression',
]);

/** A declared or assigned value: function, class, constant, or what the syntax does not show. */
export function valueSymbol(
  name: string,
  value: SyntaxNode | null,
  at: SyntaxNode,
  annotation: string | null,
): SourceSymbol {
  const inner = value === null ? null : unwrapped(value);
  if (inner === null)
    return symbol(name, isFunctionType(annotation) ? 'function' : 'constant', at, { returns: annotation });
  const kind = String(inner.kind());
  if (FUNCTIONS.has(kind)) return functionSymbol(name, inner, at);
  if (CLASSES.has(kind)) return classSymbol(name, inner, at);
  return symbol(name, LITERALS.has(kind) ? 'constant' : 'opaque', at, { returns: annotation });
}

export function functionSymbol(name: string, node: SyntaxNode, at: SyntaxNode): SourceSymbol {
  const body = node.field('body');
  const returns = withoutColon(node.field('return_type'));
  const text = body?.text() ?? '';
  return symbol(name, 'function', at, {
    isAsync: hasKeyword(node, 'async') || /^Promise\b/u.test(returns ?? ''),
    params: /\barguments\b/u.test(text) ? null : ecmaParams(node),
    returns,
    mayReturnPromise: /\bPromise\b|\.then\b/u.test(text) || returnsCall(node, body),
    openMembers: true,
    signature: headText(at, body)
      .replace(/(=>|\{)\s*$/u, '')
      .trim(),
  });
}

export function classSymbol(name: string, node: SyntaxNode, at: SyntaxNode): SourceSymbol {
  const body = node.field('body');
  const heritage = node.children().find((child) => child.kind() === 'class_heritage');
  const members = new Map<string, SourceSymbol>();
  for (const child of body?.namedChildren() ?? []) {
    const member = memberSymbol(child);
    if (
      member !== null &&
      !(
        members.get(member.name)?.kind === 'function' &&
        child.kind() === 'method_definition' &&
        hasKeyword(child, 'set')
      )
    ) {
      members.set(member.name, members.has(member.name) ? { ...member, params: null } : member);
    }
  }
  const text = body?.text() ?? '';
  for (const match of text.matchAll(/\bthis\.([#\w$]+)\s*=[^=]/gu)) {
    const field = match[1];
    if (field !== undefined && !members.has(field)) members.set(field, symbol(field, 'opaque', node));
  }
  for (const field of parameterProperties(body))
    if (!members.has(field)) members.set(field, symbol(field, 'opaque', node));
  return symbol(name, 'class', at, {
    bases: heritage === undefined ? [] : [oneLine(heritage.text())],
    members: [...members.values()],
    openMembers:
      heritage?.text().includes('extends') === true ||
      /\breturn\b|Object\.(assign|define)|this\[/u.test(text),
    signature: headText(at, body),
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

function memberSymbol(node: SyntaxNode): SourceSymbol | null {
  const name = (node.field('name') ?? node.field('property'))?.text();
  if (name === undefined) return null;
  const kind = String(node.kind());
  if (kind === 'method_definition' || kind === 'method_signature' || kind === 'abstract_method_signature') {
    const isAccessor = hasKeyword(node, 'get') || hasKeyword(node, 'set');
    return isAccessor ? symbol(name, 'constant', node) : functionSymbol(name, node, node);
  }
  if (!/field_definition$/u.test(kind)) return null;
  return valueSymbol(name, node.field('value'), node, withoutColon(node.field('type')));
}

/** `constructor(private readonly cents: number)` declares a field. */
function parameterProperties(body: SyntaxNode | null): string[] {
  const members: SyntaxNode[] = body?.namedChildren() ?? [];
  const list =
    members.find((child) => child.field('name')?.text() === 'constructor')?.field('parameters') ?? null;
  const params: SyntaxNode[] = list === null ? [] : list.namedChildren();
  return params
    .filter((param) => hasKeyword(param, 'accessibility_modifier') || hasKeyword(param, 'readonly'))
    .map((param) => param.field('pattern')?.text() ?? '');
}

function unwrapped(node: SyntaxNode): SyntaxNode {
  const inner = WRAPPERS.has(String(node.kind())) ? node.namedChildren()[0] : undefined;
  return inner === undefined ? node : unwrapped(inner);
}

/** True when a returned expression is a call: whether it gives a promise is not shown. */
function returnsCall(node: SyntaxNode, body: SyntaxNode | null): boolean {
  if (body === null) return false;
  if (node.kind() === 'arrow_function' && body.kind() !== 'statement_block')
    return body.has('call_expression') || body.kind() === 'call_expression';
  return body
    .findAll('return_statement')
    .some((statement) => statement.has('call_expression') || statement.has('new_expression'));
}

function isFunctionType(annotation: string | null): boolean {
  return annotation !== null && /^(<[^>]*>\s*)?\([\s\S]*=>/u.test(annotation);
}

function withoutColon(node: SyntaxNode | null): string | null {
  return node === null ? null : node.text().replace(/^:\s*/u, '');
}
