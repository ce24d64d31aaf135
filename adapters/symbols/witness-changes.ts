/**
 * The most telling changes of a source: what a return gives becomes another value of its type, and what is stored is not. Few code
 * does the same with such a change, so one of them mostly says whether a suite looks at all. They count for no score. Where a value
 * has no other of its kind, the changed code raises: then no test can be said to have let it pass.
 */
import type { Change } from './mutants.ts';
import type { SyntaxNode } from './syntax.ts';

const STORES = new Set(['attribute', 'subscript', 'member_expression', 'subscript_expression']);
const ASSIGNS = new Set([
  'assignment',
  'augmented_assignment',
  'assignment_expression',
  'augmented_assignment_expression',
]);

/** Changes at this very node. */
export function witnessChanges(node: SyntaxNode, isPython: boolean): Change[] {
  switch (node.kind()) {
    case 'return_statement':
    case 'yield':
    case 'yield_expression':
      return /^yield\s*(?:from\b|\*)/u.test(node.text()) ? [] : otherValue(node.namedChildren()[0]);
    case 'arrow_function': {
      const body = node.field('body');
      return body === null || body.kind() === 'statement_block' ? [] : otherValue(body);
    }
    case 'expression_statement': {
      const only = node.namedChildren()[0];
      const left = only !== undefined && ASSIGNS.has(String(only.kind())) ? only.field('left') : null;
      if (left === null || !STORES.has(String(left.kind()))) return [];
      return [{ node, by: isPython ? 'pass' : ';', operator: 'effect' }];
    }
    default:
      return [];
  }
}

function otherValue(value: SyntaxNode | undefined): Change[] {
  // The object that was called is no other one.
  if (value === undefined || /^(?:self|cls|this)$/u.test(value.text())) return [];
  return [{ node: value, by: `a7_other(${value.text()})`, operator: 'value' }];
}

/** What a changed file needs at its end. */
export function witnessHelper(isPython: boolean, isTyped: boolean): string {
  if (isPython) return PYTHON;
  return isTyped ? SCRIPT.replace('(value)', '(value: any): any') : SCRIPT;
}

const PYTHON = `

def a7_other(value):
    import copy
    kind = type(value)
    if value is None:
        return 7919
    if kind is bool:
        return not value
    if kind is str or kind is bytes:
        return value + ("~" if kind is str else b"~")
    if kind in (list, tuple):
        return kind([*(a7_other(each) for each in value), 7919])
    if kind in (set, frozenset):
        return kind() if value else kind([7919])
    if isinstance(value, dict):
        return {} if value else {7919: 7919}
    if callable(value) and not isinstance(value, type):
        return lambda *args, **kwargs: a7_other(value(*args, **kwargs))
    if hasattr(value, "__next__"):
        return (a7_other(each) for each in value)
    try:
        return value + 1
    except Exception:
        pass
    try:
        other = copy.copy(value)
        name, held = next(iter(vars(other).items()))
        object.__setattr__(other, name, a7_other(held))
        return other
    except Exception:
        raise RuntimeError("no other value is known") from None
`;

const SCRIPT = `
function a7_other(value) {
  if (value === null || value === undefined) return 7919;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return Number.isFinite(value) ? value + 1 : 7919;
  if (typeof value === 'bigint') return value + 1n;
  if (typeof value === 'string') return value + '~';
  if (typeof value === 'function' && !/^class\\b/.test(String(value)))
    return (...args) => a7_other(value(...args));
  if (typeof value !== 'object') throw new RangeError('no other value is known');
  if (Array.isArray(value)) return [...value.map(a7_other), 7919];
  if (value instanceof Promise) return value.then(a7_other);
  if (value instanceof Map) return value.size === 0 ? new Map([[7919, 7919]]) : new Map();
  if (value instanceof Set) return value.size === 0 ? new Set([7919]) : new Set();
  if (value instanceof Date) return new Date(value.getTime() + 1);
  const [key] = Object.keys(value);
  if (typeof value.next === 'function' && Symbol.iterator in value)
    return (function* () { for (const each of value) yield a7_other(each); })();
  if (key === undefined && Object.getPrototypeOf(value) === Object.prototype) return { a7: 7919 };
  if (key === undefined) throw new RangeError('no other value is known');
  return Object.assign(Object.create(Object.getPrototypeOf(value)), value, { [key]: a7_other(value[key]) });
}
`;
