/** Operators on Python sources. What nobody can observe (docstrings, annotations, log calls, self-checks) is left alone. */
import type { Change } from './source-change.ts';
import type { SyntaxNode } from './syntax.ts';

const COMPARISONS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '!=',
  '!=': '==',
  in: 'not in',
  'not in': 'in',
  is: 'is not',
  'is not': 'is',
};
const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '+',
  '/': '*',
  '//': '*',
  '%': '+',
  '**': '*',
  '+=': '-=',
  '-=': '+=',
  '*=': '+=',
  '//=': '*=',
  '/=': '*=',
};
const LOGIC: Readonly<Record<string, string>> = { and: 'or', or: 'and' };
const SILENT_KINDS = new Set([
  'decorator',
  'type',
  'import_statement',
  'import_from_statement',
  'future_import_statement',
  'assert_statement',
  'comment',
  'type_alias_statement',
]);
const LOG_CALL = /^(?:_?log(?:ger|ging)?|self\._?log(?:ger)?|warnings)\s*\./iu;
const UNSEEN_GUARD = /__name__|TYPE_CHECKING/u;
const UNSEEN_NAME = /^(?:__all__|__slots__|__author__|__version__|__repr__)$/u;
const PREDICATE =
  /^(?:all|any|bool|callable|hasattr|isinstance|issubclass)\(|\.(?:startswith|endswith|issubset|issuperset|is[a-z]+)\([^()]*\)$/u;
const TEXTS = new Set(['string', 'concatenated_string']);

/** True where no test could see a difference, or where the code only checks itself. */
export function isPythonSilent(node: SyntaxNode): boolean {
  const kind = String(node.kind());
  if (SILENT_KINDS.has(kind)) return true;
  if (kind === 'expression_statement') {
    const only = node.namedChildren()[0];
    if (only === undefined || TEXTS.has(String(only.kind()))) return true;
    if (only.kind() === 'call' && LOG_CALL.test(only.text())) return true;
    return only.kind() === 'assignment' && UNSEEN_NAME.test(only.field('left')?.text() ?? '');
  }
  if (kind === 'if_statement') return UNSEEN_GUARD.test(node.field('condition')?.text() ?? '');
  return kind === 'function_definition' && UNSEEN_NAME.test(node.field('name')?.text() ?? '');
}

/** Changes at this very node; its children are asked by themselves. */
export function pythonChanges(node: SyntaxNode): Change[] {
  switch (node.kind()) {
    case 'comparison_operator':
      return swapped(node, COMPARISONS, 'comparison');
    case 'boolean_operator':
      return swapped(node, LOGIC, 'logic');
    case 'not_operator': {
      const value = node.field('argument');
      return value === null ? [] : [{ node, by: `(${value.text()})`, operator: 'logic' }];
    }
    case 'binary_operator':
    case 'augmented_assignment':
      return isText(node.field('left')) || isText(node.field('right'))
        ? []
        : swapped(node, ARITHMETIC, 'arithmetic');
    case 'if_statement':
    case 'elif_clause':
    case 'while_statement':
    case 'conditional_expression':
      return negated(node);
    case 'integer':
      return [
        {
          node,
          by: /^\d+$/u.test(node.text()) ? String(BigInt(node.text()) + 1n) : '0',
          operator: 'constant',
        },
      ];
    case 'true':
      return [{ node, by: 'False', operator: 'constant' }];
    case 'false':
      return [{ node, by: 'True', operator: 'constant' }];
    case 'return_statement':
      return returned(node);
    case 'raise_statement': {
      const raises = /^raise\s+([\w.]+)/u.exec(node.text())?.[1];
      return raises === undefined ? [] : [{ node, by: 'pass', operator: 'raise', raises }];
    }
    case 'expression_statement':
      return node.namedChildren()[0]?.kind() === 'call' ? [{ node, by: 'pass', operator: 'call' }] : [];
    case 'continue_statement':
      return [{ node, by: 'break', operator: 'loop' }];
    case 'string':
      return text(node);
    default:
      return [];
  }
}

function swapped(
  node: SyntaxNode,
  table: Readonly<Record<string, string>>,
  operator: Change['operator'],
): Change[] {
  return node.children().flatMap((child) => {
    const by = child.isNamed() ? undefined : table[child.text()];
    return by === undefined ? [] : [{ node: child, by, operator }];
  });
}

/** A condition that is no comparison; those have changes of their own. */
function negated(node: SyntaxNode): Change[] {
  const condition =
    node.kind() === 'conditional_expression' ? (node.namedChildren()[1] ?? null) : node.field('condition');
  if (condition === null || /_operator$|^(?:true|false)$/u.test(String(condition.kind()))) return [];
  return [{ node: condition, by: `(not (${condition.text()}))`, operator: 'condition' }];
}

function returned(node: SyntaxNode): Change[] {
  const value = node.namedChildren()[0];
  if (value !== undefined && isYesOrNo(value))
    return ['True', 'False'].map((by) => ({ node: value, by, operator: 'answer' }));
  if (value === undefined || /^(?:none|true|false|integer|comparison_operator)$/u.test(String(value.kind())))
    return [];
  return [{ node: value, by: 'None', operator: 'return' }];
}

/** What is true or false by its form: the one as well as the other may be all that it ever says. */
function isYesOrNo(value: SyntaxNode): boolean {
  switch (value.kind()) {
    case 'comparison_operator':
    case 'not_operator':
      return true;
    case 'boolean_operator':
    case 'parenthesized_expression': {
      const last = value.namedChildren().at(-1);
      return last !== undefined && isYesOrNo(last);
    }
    case 'call':
      return PREDICATE.test(value.text());
    default:
      return false;
  }
}

/** Texts that are compared, returned or stored; those of an error or a call are words for people. */
function text(node: SyntaxNode): Change[] {
  const parent = String(node.parent()?.kind() ?? '');
  if (!/^(?:comparison_operator|return_statement|pair|assignment)$/u.test(parent)) return [];
  if (!/^['"]/u.test(node.text())) return [];
  return [{ node, by: /^(?:''|"")$/u.test(node.text()) ? "'a7'" : "''", operator: 'text' }];
}

function isText(node: SyntaxNode | null): boolean {
  return node !== null && /^(?:string|concatenated_string|list|tuple)$/u.test(String(node.kind()));
}
