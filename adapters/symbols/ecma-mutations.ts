/** Operators on JavaScript and TypeScript sources. Types, imports, logs and comments are left alone. */
import type { Change } from './source-change.ts';
import type { SyntaxNode } from './syntax.ts';

const BINARY: Readonly<Record<string, readonly [string, Change['operator']]>> = {
  '<': ['<=', 'comparison'],
  '<=': ['<', 'comparison'],
  '>': ['>=', 'comparison'],
  '>=': ['>', 'comparison'],
  '==': ['!=', 'comparison'],
  '!=': ['==', 'comparison'],
  '===': ['!==', 'comparison'],
  '!==': ['===', 'comparison'],
  '+': ['-', 'arithmetic'],
  '-': ['+', 'arithmetic'],
  '*': ['+', 'arithmetic'],
  '/': ['*', 'arithmetic'],
  '%': ['+', 'arithmetic'],
  '**': ['*', 'arithmetic'],
  '+=': ['-=', 'arithmetic'],
  '-=': ['+=', 'arithmetic'],
  '*=': ['+=', 'arithmetic'],
  '&&': ['||', 'logic'],
  '||': ['&&', 'logic'],
};
const SILENT =
  /^(?:import_statement|type_annotation|type_alias_declaration|interface_declaration|type_arguments|type_parameters|ambient_declaration|comment|decorator|predefined_type|union_type|literal_type|function_signature)$/u;
const LOG_CALL = /^(?:console|log(?:ger)?|this\.log(?:ger)?|assert|console\.assert)\s*[.(]/u;
const PREDICATE =
  /^(?:Boolean|Array\.isArray|Object\.is|Number\.is\w+)$|\.(?:every|some|includes|has|test|startsWith|endsWith)$/u;
/** Where a function has a name; those that are passed on are parts of what calls them. */
const NAMED = /^(?:variable_declarator|field_definition|public_field_definition|pair)$/u;
const TEXTS = /^(?:string|template_string)$/u;

/** True where no test could see a difference, or where the code only checks itself. */
export function isEcmaSilent(node: SyntaxNode): boolean {
  const kind = String(node.kind());
  if (SILENT.test(kind)) return true;
  if (kind !== 'expression_statement') return false;
  const only = node.namedChildren()[0];
  return (
    only === undefined ||
    only.kind() === 'string' ||
    (only.kind() === 'call_expression' && LOG_CALL.test(only.text()))
  );
}

/** Changes at this very node; its children are asked by themselves. */
export function ecmaChanges(node: SyntaxNode): Change[] {
  switch (node.kind()) {
    case 'binary_expression':
    case 'augmented_assignment_expression':
      return binary(node);
    case 'unary_expression': {
      const value = node.field('argument');
      return node.text().startsWith('!') && value !== null
        ? [{ node, by: `(${value.text()})`, operator: 'logic' }]
        : [];
    }
    case 'update_expression':
      return node
        .children()
        .filter((child) => /^(?:\+\+|--)$/u.test(child.text()))
        .map((child) => ({
          node: child,
          by: child.text() === '++' ? '--' : '++',
          operator: 'arithmetic' as const,
        }));
    case 'if_statement':
    case 'while_statement':
    case 'ternary_expression':
      return negated(node);
    case 'number':
      return [
        {
          node,
          by: /^\d+$/u.test(node.text()) ? String(BigInt(node.text()) + 1n) : '0',
          operator: 'constant',
        },
      ];
    case 'true':
      return [{ node, by: 'false', operator: 'constant' }];
    case 'false':
      return [{ node, by: 'true', operator: 'constant' }];
    case 'return_statement':
      return returned(node);
    case 'arrow_function': {
      const value = node.field('body');
      const isNamed = NAMED.test(String(node.parent()?.kind() ?? ''));
      return isNamed && value !== null && isYesOrNo(value) ? answers(value) : [];
    }
    case 'throw_statement': {
      const raises = /^throw\s+new\s+([\w$.]+)/u.exec(node.text())?.[1];
      return raises === undefined ? [] : [{ node, by: ';', operator: 'raise', raises }];
    }
    case 'expression_statement':
      return node.namedChildren()[0]?.kind() === 'call_expression'
        ? [{ node, by: ';', operator: 'call' }]
        : [];
    case 'continue_statement':
      return [{ node, by: 'break;', operator: 'loop' }];
    case 'string':
      return text(node);
    default:
      return [];
  }
}

function binary(node: SyntaxNode): Change[] {
  const operator = node.field('operator');
  const swap = operator === null ? undefined : BINARY[operator.text()];
  if (operator === null || swap === undefined) return [];
  const sides = [node.field('left'), node.field('right')];
  if (operator.text().startsWith('+') && sides.some((side) => TEXTS.test(String(side?.kind() ?? ''))))
    return [];
  return [{ node: operator, by: swap[0], operator: swap[1] }];
}

function negated(node: SyntaxNode): Change[] {
  const condition = node.field('condition');
  const inner = condition?.kind() === 'parenthesized_expression' ? condition.namedChildren()[0] : condition;
  if (inner === null || inner === undefined) return [];
  if (/^(?:binary_expression|unary_expression|true|false)$/u.test(String(inner.kind()))) return [];
  return [{ node: inner, by: `!(${inner.text()})`, operator: 'condition' }];
}

function returned(node: SyntaxNode): Change[] {
  const value = node.namedChildren()[0];
  if (value !== undefined && isYesOrNo(value)) return answers(value);
  if (value === undefined || /^(?:undefined|null|true|false|number)$/u.test(String(value.kind()))) return [];
  return [{ node: value, by: 'undefined', operator: 'return' }];
}

function answers(value: SyntaxNode): Change[] {
  return ['true', 'false'].map((by) => ({ node: value, by, operator: 'answer' }));
}

/** What is true or false by its form: the one as well as the other may be all that it ever says. */
function isYesOrNo(value: SyntaxNode): boolean {
  switch (value.kind()) {
    case 'binary_expression': {
      const operator = value.field('operator')?.text() ?? '';
      const last = value.field('right');
      if (/^(?:&&|\|\|)$/u.test(operator)) return last !== null && isYesOrNo(last);
      return /^(?:[=!]==?|[<>]=?|in|instanceof)$/u.test(operator);
    }
    case 'unary_expression':
      return value.text().startsWith('!');
    case 'parenthesized_expression':
      return value.namedChildren().some(isYesOrNo);
    case 'call_expression':
      return PREDICATE.test(value.field('function')?.text() ?? '');
    default:
      return false;
  }
}

function text(node: SyntaxNode): Change[] {
  const parent = String(node.parent()?.kind() ?? '');
  if (!/^(?:binary_expression|return_statement|pair|variable_declarator)$/u.test(parent)) return [];
  return [{ node, by: /^(?:''|"")$/u.test(node.text()) ? "'a7'" : "''", operator: 'text' }];
}
