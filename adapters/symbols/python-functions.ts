/** Functions of Python as symbols: parameters, how they are reached, and whether a plain one may give an awaitable. */
import type { MemberAccess, SourceSymbol } from '../../core/ports/symbols.ts';
import { pythonParams } from './python-params.ts';
import { descendants, hasKeyword, headText, symbol, type SyntaxNode } from './syntax.ts';

/** Decorators that keep the signature of what they decorate. */
const TRANSPARENT =
  /^@(functools\.)?(cache|lru_cache|wraps|singledispatch|singledispatchmethod)\b|^@(warnings\.|typing_extensions\.)?deprecated\(|^@(staticmethod|classmethod|abstractmethod|abc\.abstractmethod|override|typing\.override|final|typing\.final|typing\.no_type_check)$/u;
const PROPERTY =
  /^@((functools\.)?cached_property|property|(abc\.)?abstractproperty|\w+\.(setter|deleter|getter))$/u;
const IMPLICIT_CLASS_METHODS = new Set(['__new__', '__init_subclass__', '__class_getitem__']);

export function pythonFunction(node: SyntaxNode, decorators: readonly string[]): SourceSymbol {
  const body = node.field('body');
  const name = node.field('name')?.text() ?? '';
  const isOverload = decorators.some((text) => /\boverload$/u.test(text));
  const access = accessOf(name, decorators);
  const isKept = decorators.every((text) => TRANSPARENT.test(text) || PROPERTY.test(text));
  const isFunction = isKept || isOverload;
  return symbol(name, isFunction ? (access === 'property' ? 'constant' : 'function') : 'opaque', node, {
    isAsync: hasKeyword(node, 'async'),
    params: isKept ? pythonParams(node.field('parameters')) : null,
    returns: node.field('return_type')?.text() ?? null,
    decorators,
    access: isFunction ? access : null,
    settable: decorators.some((text) => /\.setter$|cached_property$/u.test(text)),
    mayReturnPromise: body !== null && returnsAwaitable(body),
    signature: headText(node, body).replace(/:$/u, ''),
  });
}

function accessOf(name: string, decorators: readonly string[]): MemberAccess {
  if (decorators.some((text) => PROPERTY.test(text))) return 'property';
  if (decorators.includes('@staticmethod')) return 'static';
  if (decorators.includes('@classmethod') || IMPLICIT_CLASS_METHODS.has(name)) return 'class';
  return 'instance';
}

const BUILTIN_CALLS = new Set(
  'abs all any ascii bin bool bytearray bytes chr dict divmod enumerate filter float format frozenset hash hex id input int isinstance issubclass len list map max min oct open ord pow print range repr reversed round set sorted str sum tuple type zip'.split(
    ' ',
  ),
);
const TEXT_METHODS =
  /\.(strip|lstrip|rstrip|split|rsplit|join|lower|upper|title|replace|format|encode|decode|startswith|endswith|count|index|find|items|keys|values|copy|isdigit|zfill|total_seconds|isoformat|quantize)$/u;
const HINT = /async|await|coro|future|task|promise|pending|gather/iu;

/** Statements of inner functions return elsewhere. */
function returnsAwaitable(body: SyntaxNode): boolean {
  const isBorder = (kind: string): boolean => kind === 'function_definition' || kind === 'lambda';
  const statements = descendants(body, (kind) => kind === 'return_statement', isBorder);
  return statements.some((statement) =>
    statement.namedChildren().some((value) => mayBeAwaitable(value, body, 0)),
  );
}

/** A call of what is not known to be plain may give a coroutine; names are followed to what they were given. */
function mayBeAwaitable(value: SyntaxNode, body: SyntaxNode, depth: number): boolean {
  switch (String(value.kind())) {
    case 'call': {
      const callee = value.field('function')?.text() ?? '';
      return !BUILTIN_CALLS.has(callee) && !TEXT_METHODS.test(callee);
    }
    case 'parenthesized_expression':
    case 'conditional_expression':
    case 'boolean_operator':
      return value.namedChildren().some((child) => mayBeAwaitable(child, body, depth));
    case 'attribute':
    case 'subscript':
      return HINT.test(value.text());
    case 'identifier':
      return HINT.test(value.text()) || (depth < 3 && isGivenAwaitable(value.text(), body, depth));
    default:
      return false;
  }
}

function isGivenAwaitable(name: string, body: SyntaxNode, depth: number): boolean {
  const given = descendants(body, (kind) => kind === 'assignment').filter(
    (node) => node.field('left')?.text() === name,
  );
  return given.some((node) => {
    const right = node.field('right');
    return right !== null && mayBeAwaitable(right, body, depth + 1);
  });
}
