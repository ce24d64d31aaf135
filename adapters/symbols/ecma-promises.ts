/** Whether a function that is not `async` may give a promise, read from what it returns. */
import { descendants, type SyntaxNode } from './syntax.ts';

const FUNCTIONS =
  /^(arrow_function|function_expression|function|function_declaration|generator_function.*|method_definition)$/u;
const HINT = /promise|pending|task|future|deferred|inflight|ready|async/iu;
const SYNC_OWNERS =
  /^(JSON|Math|Object|Number|String|Boolean|BigInt|Symbol|Array|Date|Buffer|Reflect)(\.|$)|^(parseInt|parseFloat|isNaN|isFinite|structuredClone|encodeURI\w*|decodeURI\w*)$/u;
const SYNC_METHODS =
  /\.(map|filter|slice|splice|trim|trimStart|trimEnd|split|join|toString|toFixed|concat|includes|indexOf|lastIndexOf|padStart|padEnd|replace|replaceAll|toUpperCase|toLowerCase|sort|toSorted|reverse|toReversed|flat|flatMap|charAt|charCodeAt|keys|values|entries|has|push|unshift|findIndex|some|every|match|matchAll|test|startsWith|endsWith|repeat|substring|localeCompare|toISOString|getTime|\w+Sync)$/u;

/** True where a returned expression may be a promise; names are followed to what they were given. */
export function mayReturnPromise(body: SyntaxNode | null): boolean {
  if (body === null) return false;
  if (/\bPromise\b|\.then\b/u.test(body.text())) return true;
  if (body.kind() !== 'statement_block') return mayBePromise(body, body, 0);
  const isBorder = (kind: string): boolean => FUNCTIONS.test(kind);
  return descendants(body, (kind) => kind === 'return_statement', isBorder).some((statement) =>
    statement.namedChildren().some((value) => mayBePromise(value, body, 0)),
  );
}

function mayBePromise(value: SyntaxNode, body: SyntaxNode, depth: number): boolean {
  switch (String(value.kind())) {
    case 'call_expression': {
      const callee = value.field('function')?.text() ?? '';
      return !SYNC_OWNERS.test(callee) && !SYNC_METHODS.test(callee);
    }
    case 'new_expression':
      return HINT.test(value.field('constructor')?.text() ?? '');
    case 'parenthesized_expression':
    case 'ternary_expression':
    case 'as_expression':
    case 'satisfies_expression':
    case 'non_null_expression':
    case 'sequence_expression':
      return value.namedChildren().some((child) => mayBePromise(child, body, depth));
    case 'binary_expression':
      return (
        /^(\?\?|\|\||&&)$/u.test(value.field('operator')?.text() ?? '') &&
        value.namedChildren().some((child) => mayBePromise(child, body, depth))
      );
    case 'member_expression':
    case 'subscript_expression':
      return HINT.test(value.text());
    case 'identifier':
      return HINT.test(value.text()) || (depth < 3 && isGivenPromise(value.text(), body, depth));
    default:
      return false;
  }
}

function isGivenPromise(name: string, body: SyntaxNode, depth: number): boolean {
  const isBinding = (kind: string): boolean =>
    kind === 'variable_declarator' || kind === 'assignment_expression';
  return descendants(body, isBinding).some((node) => {
    const target = node.field('name') ?? node.field('left');
    const value = node.field('value') ?? node.field('right');
    return target?.text() === name && value !== null && mayBePromise(value, body, depth + 1);
  });
}
