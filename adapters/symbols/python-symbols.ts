/** What a Python module binds when its last line has run, read from its syntax (gate.md part 2: every honest form counts). */
import type { ModuleSymbols, SourceSymbol } from '../../core/ports/symbols.ts';
import { pythonClass } from './python-classes.ts';
import { pythonFunction } from './python-functions.ts';
import { pythonParams } from './python-params.ts';
import { Scope } from './python-scope.ts';
import {
  descendants,
  errorLines,
  lineOf,
  oneLine,
  parseRoot,
  symbol,
  wordLines,
  type SyntaxNode,
} from './syntax.ts';

const OPEN_MODULE = /\bglobals\s*\(|\bsys\s*\.\s*modules\b|\bexec\s*\(|\bsetattr\s*\(/u;
/** Literals and the plain types that they have; `None` and empty strings of meaning stay open to a later binding. */
const LITERALS: Readonly<Record<string, string | null>> = {
  integer: 'int',
  float: 'float',
  string: 'str',
  concatenated_string: 'str',
  true: 'bool',
  false: 'bool',
  none: null,
  list: 'list',
  dictionary: 'dict',
  set: 'set',
  tuple: 'tuple',
  unary_operator: null,
};
/** Begins a literal of bytes. */
const BYTES = /^r?b["']|^br["']/iu;

export function pythonModule(file: string, text: string): ModuleSymbols {
  const root = parseRoot('python', text);
  const scope = new Scope();
  readBlock(root, scope, false);
  for (const name of globalNames(root))
    if (!scope.bound.has(name)) scope.bind(symbol(name, 'opaque', root), false);
  const openEnded = scope.isOpen || scope.bound.has('__getattr__') || OPEN_MODULE.test(codeOnly(root));
  return {
    file,
    exported: [...scope.bound.values()],
    deleted: [...scope.deleted].map(([name, line]) => ({ name, line })),
    errorLines: errorLines(root),
    openEnded,
    words: wordLines(text),
  };
}

/** Statements of a `.pyi` text; null when it does not parse or declares nothing. */
export function pythonDeclaration(text: string): readonly SourceSymbol[] | null {
  const found = pythonModule('<declaration>', text);
  return found.errorLines.length > 0 || found.exported.length === 0 ? null : found.exported;
}

function readBlock(block: SyntaxNode, scope: Scope, isConditional: boolean): void {
  for (const statement of block.namedChildren()) readStatement(statement, scope, isConditional);
}

function readStatement(node: SyntaxNode, scope: Scope, isConditional: boolean): void {
  switch (node.kind()) {
    case 'function_definition':
      scope.bind(pythonFunction(node, []), isConditional);
      return;
    case 'class_definition':
    case 'decorated_definition':
      scope.bind(definedSymbol(node, scope), isConditional);
      return;
    case 'expression_statement':
      for (const child of node.namedChildren()) readExpression(child, scope, isConditional);
      return;
    case 'import_from_statement':
    case 'import_statement':
      readImport(node, scope, isConditional);
      return;
    case 'delete_statement':
      for (const name of node
        .text()
        .replace(/^del\b/u, '')
        .split(','))
        scope.remove(name.replace(/[()\s]/gu, ''), lineOf(node), isConditional);
      return;
    case 'type_alias_statement': {
      const name = /^type\s+(\w+)/u.exec(node.text())?.[1];
      if (name !== undefined) scope.bind(symbol(name, 'type', node), isConditional);
      return;
    }
    case 'if_statement':
      readIf(node, scope, isConditional);
      return;
    case 'for_statement':
    case 'with_statement':
    case 'while_statement':
    case 'try_statement':
    case 'match_statement':
      readCompound(node, scope, isConditional);
      return;
    default:
  }
}

/** Blocks of a compound statement may or may not run; those of `with` and `finally` always do. */
function readCompound(node: SyntaxNode, scope: Scope, isOuterConditional: boolean): void {
  const always = node.kind() === 'with_statement' || node.kind() === 'finally_clause';
  const isConditional = isOuterConditional || !always;
  const target = node.kind() === 'for_statement' ? node.field('left') : null;
  for (const name of target === null ? [] : identifiers(target))
    scope.bind(symbol(name, 'opaque', node), true);
  for (const child of node.namedChildren()) {
    if (child.kind() === 'block') readBlock(child, scope, isConditional);
    else if (child.kind() === 'finally_clause') readCompound(child, scope, isOuterConditional);
    else if (String(child.kind()).endsWith('_clause')) readCompound(child, scope, isConditional);
  }
}

/** What only a type checker or a start as a program runs is not bound by an import. */
const NEVER = /^\(?\s*((typing\.)?TYPE_CHECKING|False|0|__name__\s*==\s*['"]__main__['"])\s*\)?$/u;

function readIf(node: SyntaxNode, scope: Scope, isConditional: boolean): void {
  const isNever = NEVER.test(node.field('condition')?.text() ?? '');
  const isOnlyElse = node.namedChildren().every((child) => child.kind() !== 'elif_clause');
  for (const child of node.namedChildren()) {
    if (child.kind() === 'block') {
      if (!isNever) readBlock(child, scope, true);
    } else if (child.kind() === 'else_clause' && isNever && isOnlyElse) {
      for (const block of child.namedChildren()) readBlock(block, scope, isConditional);
    } else if (child.kind() === 'elif_clause') readIf(child, scope, isConditional);
    else if (child.kind() === 'else_clause') readCompound(child, scope, true);
  }
}

function readExpression(node: SyntaxNode, scope: Scope, isConditional: boolean): void {
  if (node.kind() === 'named_expression') {
    const name = node.field('name')?.text();
    if (name !== undefined) scope.bind(symbol(name, 'opaque', node), isConditional);
    return;
  }
  if (node.kind() !== 'assignment') {
    // A call such as `setup(Money)` may add members to a class that it is given.
    for (const name of argumentNames(node)) openClass(name, scope);
    return;
  }
  const left = node.field('left');
  const right = node.field('right');
  if (left === null) return;
  if (right?.kind() === 'assignment') readExpression(right, scope, isConditional);
  if (left.kind() === 'attribute') {
    addMember(left.text(), right, scope, node);
    return;
  }
  const isName = left.kind() === 'identifier';
  const names = isName ? [left.text()] : left.kind() === 'subscript' ? [] : identifiers(left);
  for (const name of names)
    scope.bind(valueSymbol(name, node, isName ? right : null, !isName), isConditional);
}

function argumentNames(node: SyntaxNode): string[] {
  const list = node.kind() === 'call' ? (node.field('arguments')?.namedChildren() ?? []) : [];
  return list.filter((argument) => argument.kind() === 'identifier').map((argument) => argument.text());
}

function openClass(name: string, scope: Scope): void {
  const bound = scope.bound.get(name);
  if (bound?.kind === 'class') scope.bound.set(name, { ...bound, openMembers: true });
}

/** `Money.ZERO = …` at module level: a member assigned outside its class. */
function addMember(target: string, value: SyntaxNode | null, scope: Scope, node: SyntaxNode): void {
  const [owner, member, ...rest] = target.split('.');
  const cls = owner === undefined ? undefined : scope.bound.get(owner);
  if (owner === undefined || cls === undefined || member === undefined || rest.length > 0) return;
  scope.bound.set(owner, {
    ...cls,
    members: [...cls.members.filter((old) => old.name !== member), valueSymbol(member, node, value, false)],
  });
}

function valueSymbol(
  name: string,
  node: SyntaxNode,
  value: SyntaxNode | null,
  isPattern: boolean,
): SourceSymbol {
  const annotation = node.field('type')?.text() ?? null;
  if (value === null || (value.kind() === 'ellipsis' && annotation !== null))
    return symbol(name, isPattern ? 'opaque' : 'constant', node, { returns: annotation });
  if (value.kind() === 'lambda') {
    return symbol(name, 'function', node, {
      params: pythonParams(value.field('parameters')),
      mayReturnPromise: true,
    });
  }
  const literal = String(value.kind());
  if (!Object.hasOwn(LITERALS, literal)) return symbol(name, 'opaque', node, { returns: annotation });
  const found = BYTES.test(value.text()) ? 'bytes' : LITERALS[literal];
  return symbol(name, 'constant', node, { returns: annotation ?? found ?? null });
}

function definedSymbol(node: SyntaxNode, scope: Scope): SourceSymbol {
  const decorators = node
    .namedChildren()
    .filter((child) => child.kind() === 'decorator')
    .map((child) => oneLine(child.text()));
  const definition = node.kind() === 'decorated_definition' ? node.field('definition') : node;
  if (definition === null) return symbol('', 'opaque', node);
  if (definition.kind() !== 'class_definition') return pythonFunction(definition, decorators);
  const readBody = (block: SyntaxNode, inner: Scope): void => {
    readBlock(block, inner, false);
  };
  return pythonClass(definition, { decorators, readBody, outer: scope.bound });
}

function readImport(node: SyntaxNode, scope: Scope, isConditional: boolean): void {
  const text = oneLine(node.text());
  const clause = /\bimport\b(.*)$/u.exec(text)?.[1] ?? '';
  const module = /^from\s+(\S+)\s+import\b/u.exec(text)?.[1] ?? null;
  for (const part of clause.replace(/[()]/gu, '').split(',')) {
    const [path, alias] = part.trim().split(/\s+as\s+/u);
    if (path === '*') scope.isOpen = true;
    if (path === undefined || path === '' || path === '*') continue;
    const name = alias ?? (module === null ? (path.split('.')[0] ?? path) : path);
    const found = symbol(name, module === null ? 'module' : 'opaque', node, {
      decorators: ['import'],
      origin: { module: module ?? path, name: path },
    });
    scope.bind(found, isConditional);
  }
}

/** Names that functions declare `global`: a call may bind them. */
function globalNames(root: SyntaxNode): string[] {
  return descendants(root, (kind) => kind === 'global_statement').flatMap((node) =>
    node.namedChildren().map((name) => name.text()),
  );
}

function identifiers(node: SyntaxNode): string[] {
  return node.kind() === 'identifier' ? [node.text()] : node.namedChildren().flatMap(identifiers);
}

/** The text without comments and strings: a name in them is none. */
function codeOnly(root: SyntaxNode): string {
  if (root.kind() === 'comment' || root.kind() === 'string') return '';
  const children = root.children();
  return children.length === 0 ? root.text() : children.map(codeOnly).join(' ');
}
