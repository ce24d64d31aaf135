/** What a Python module binds when its last line has run, read from its syntax (gate.md part 2: every honest form counts). */
import type { ModuleSymbols, SourceSymbol } from '../../core/ports/symbols.ts';
import { pythonParams } from './python-params.ts';
import { Scope } from './python-scope.ts';
import {
  errorLines,
  hasKeyword,
  headText,
  lineOf,
  oneLine,
  parseRoot,
  symbol,
  type SyntaxNode,
} from './syntax.ts';

/** Decorators that keep the signature of what they decorate. */
const TRANSPARENT =
  /^@(functools\.)?(cache|lru_cache|wraps|singledispatch)\b|^@(staticmethod|classmethod|abstractmethod|abc\.abstractmethod|override|typing\.override|final|typing\.final)$/u;
const OPEN_MODULE = /\bglobals\s*\(|\bsys\s*\.\s*modules\b|\bexec\s*\(|\bsetattr\s*\(/u;
const LITERALS = new Set(
  'integer float string concatenated_string true false none list dictionary set tuple unary_operator'.split(
    ' ',
  ),
);

export function pythonModule(file: string, text: string): ModuleSymbols {
  const root = parseRoot('python', text);
  const scope = new Scope();
  readBlock(root, scope, false);
  const openEnded = scope.isOpen || scope.bound.has('__getattr__') || OPEN_MODULE.test(codeOnly(root));
  return {
    file,
    exported: [...scope.bound.values()],
    deleted: [...scope.deleted].map(([name, line]) => ({ name, line })),
    errorLines: errorLines(root),
    openEnded,
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
      scope.bind(functionSymbol(node, []), isConditional);
      return;
    case 'class_definition':
      scope.bind(classSymbol(node, []), isConditional);
      return;
    case 'decorated_definition':
      scope.bind(decoratedSymbol(node), isConditional);
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
    case 'for_statement':
    case 'with_statement':
    case 'while_statement':
    case 'if_statement':
    case 'try_statement':
    case 'match_statement':
      readCompound(node, scope);
      return;
    default:
  }
}

/** Blocks of a compound statement may or may not run; `with` always does. */
function readCompound(node: SyntaxNode, scope: Scope): void {
  const isConditional = node.kind() !== 'with_statement';
  const target = node.kind() === 'for_statement' ? node.field('left') : null;
  for (const name of target === null ? [] : identifiers(target))
    scope.bind(symbol(name, 'opaque', node), true);
  for (const child of node.namedChildren()) {
    if (child.kind() === 'block') readBlock(child, scope, isConditional);
    else if (String(child.kind()).endsWith('_clause')) readCompound(child, scope);
  }
}

function readExpression(node: SyntaxNode, scope: Scope, isConditional: boolean): void {
  if (node.kind() === 'augmented_assignment') return;
  if (node.kind() !== 'assignment') return;
  const left = node.field('left');
  const right = node.field('right');
  if (left === null) return;
  if (right?.kind() === 'assignment') readExpression(right, scope, isConditional);
  if (left.kind() === 'attribute') {
    addMember(left.text(), right, scope, node);
    return;
  }
  const names =
    left.kind() === 'identifier' ? [left.text()] : left.kind() === 'subscript' ? [] : identifiers(left);
  for (const name of names)
    scope.bind(
      valueSymbol(name, node, left.kind() === 'identifier' ? right : null, names.length > 1),
      isConditional,
    );
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
  if (value === null) return symbol(name, isPattern ? 'opaque' : 'constant', node, { returns: annotation });
  if (value.kind() === 'lambda') {
    return symbol(name, 'function', node, {
      params: pythonParams(value.field('parameters')),
      mayReturnPromise: true,
    });
  }
  const kind = LITERALS.has(String(value.kind())) ? 'constant' : 'opaque';
  return symbol(name, kind, node, { returns: annotation });
}

function decoratedSymbol(node: SyntaxNode): SourceSymbol {
  const decorators = node
    .namedChildren()
    .filter((child) => child.kind() === 'decorator')
    .map((child) => oneLine(child.text()));
  const definition = node.field('definition');
  if (definition === null) return symbol('', 'opaque', node);
  return definition.kind() === 'class_definition'
    ? classSymbol(definition, decorators)
    : functionSymbol(definition, decorators);
}

function functionSymbol(node: SyntaxNode, decorators: readonly string[]): SourceSymbol {
  const body = node.field('body');
  const isKept = decorators.every((text) => TRANSPARENT.test(text));
  return symbol(
    node.field('name')?.text() ?? '',
    isKept || decorators.some((text) => /\boverload$/u.test(text)) ? 'function' : 'opaque',
    node,
    {
      isAsync: hasKeyword(node, 'async'),
      params: isKept ? pythonParams(node.field('parameters')) : null,
      returns: node.field('return_type')?.text() ?? null,
      decorators,
      mayReturnPromise: /\breturn\b[^\n]*(asyncio|future|coro|_async|gather|create_task|await)/iu.test(
        body?.text() ?? '',
      ),
      signature: headText(node, body).replace(/:$/u, ''),
    },
  );
}

function classSymbol(node: SyntaxNode, decorators: readonly string[]): SourceSymbol {
  const body = node.field('body');
  const bases = (node.field('superclasses')?.namedChildren() ?? []).map((base) => oneLine(base.text()));
  const scope = new Scope();
  if (body !== null) readBlock(body, scope, false);
  const text = body?.text() ?? '';
  for (const match of text.matchAll(/\bself\.(\w+)\s*(?::[^=\n]+)?=/gu)) {
    const name = match[1];
    if (name !== undefined && !scope.bound.has(name)) scope.bound.set(name, symbol(name, 'opaque', node));
  }
  const plainBases = bases.filter((base) => base !== 'object');
  return symbol(node.field('name')?.text() ?? '', 'class', node, {
    bases,
    decorators,
    members: [...scope.bound.values()],
    openMembers:
      plainBases.length > 0 ||
      decorators.length > 0 ||
      /__getattr__|__slots__|setattr\(|__dict__/u.test(text),
    signature: headText(node, body).replace(/:$/u, ''),
  });
}

function readImport(node: SyntaxNode, scope: Scope, isConditional: boolean): void {
  const text = oneLine(node.text());
  const clause = /\bimport\b(.*)$/u.exec(text)?.[1] ?? '';
  for (const part of clause.replace(/[()]/gu, '').split(',')) {
    const [path, alias] = part.trim().split(/\s+as\s+/u);
    if (path === '*') scope.isOpen = true;
    const name = alias ?? (node.kind() === 'import_statement' ? path?.split('.')[0] : path);
    if (name !== undefined && name !== '' && name !== '*')
      scope.bind(symbol(name, 'opaque', node, { decorators: ['import'] }), isConditional);
  }
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
