/** What a JavaScript or TypeScript module exports, read from its syntax: ES modules and CommonJS, every honest form (gate.md part 2). */
import type { ModuleSymbols, SourceSymbol } from '../../core/ports/symbols.ts';
import { classSymbol, functionSymbol, valueSymbol } from './ecma-values.ts';
import { errorLines, lineOf, parseRoot, symbol, type SyntaxNode } from './syntax.ts';

const TYPES = new Set(['interface_declaration', 'type_alias_declaration']);

interface Exports {
  /** Module-level bindings. */
  readonly local: Map<string, SourceSymbol>;
  /** Exported name to local name. */
  readonly named: Map<string, string>;
  /** Exported without a local name. */
  readonly direct: Map<string, SourceSymbol>;
  readonly deleted: Map<string, number>;
  isOpen: boolean;
}

export function ecmaModule(
  grammar: 'JavaScript' | 'TypeScript' | 'Tsx',
  file: string,
  text: string,
): ModuleSymbols {
  const root = parseRoot(grammar, text);
  const found: Exports = {
    local: new Map(),
    named: new Map(),
    direct: new Map(),
    deleted: new Map(),
    isOpen: false,
  };
  for (const node of root.namedChildren()) readStatement(node, found);
  const named = [...found.named].map(([name, local]): SourceSymbol => {
    const bound = found.local.get(local);
    return bound === undefined ? symbol(name, 'opaque', root) : { ...bound, name };
  });
  return {
    file,
    exported: [...new Map([...named, ...found.direct.values()].map((entry) => [entry.name, entry])).values()],
    deleted: [...found.deleted].map(([name, line]) => ({ name, line })),
    errorLines: errorLines(root),
    openEnded: found.isOpen,
  };
}

/** Statements of a `.d.ts` text, exported or not; null when they do not parse or declare nothing. */
export function ecmaDeclaration(text: string): readonly SourceSymbol[] | null {
  const root = parseRoot('TypeScript', text);
  const found: Exports = {
    local: new Map(),
    named: new Map(),
    direct: new Map(),
    deleted: new Map(),
    isOpen: false,
  };
  for (const node of root.namedChildren()) readStatement(node, found);
  const isDefault = found.named.has('default') || found.direct.has('default');
  const all = [...found.local.values(), ...found.direct.values()];
  if (errorLines(root).length > 0 || all.length === 0) return null;
  return isDefault && all.length === 1 ? all.map((entry) => ({ ...entry, name: 'default' })) : all;
}

function readStatement(node: SyntaxNode, found: Exports): void {
  switch (node.kind()) {
    case 'export_statement':
      readExport(node, found);
      return;
    case 'expression_statement':
      for (const child of node.namedChildren()) readExpression(child, found);
      return;
    case 'import_statement':
      return;
    default:
      for (const bound of declaredSymbols(node)) bind(bound, found);
  }
}

function readExport(node: SyntaxNode, found: Exports): void {
  const text = node.text();
  const declaration =
    node.field('declaration') ?? node.namedChildren().find((child) => isDeclaration(child)) ?? null;
  const isDefault = /^export\s+default\b/u.test(text);
  if (declaration !== null) {
    for (const bound of declaredSymbols(declaration)) {
      bind(bound, found);
      found.named.set(isDefault ? 'default' : bound.name, bound.name);
    }
    if (isDefault && declaration.field('name') === null)
      found.direct.set('default', valueSymbol('default', declaration, node, null));
    return;
  }
  const value = node.field('value');
  if (isDefault && value !== null) {
    if (value.kind() === 'identifier') found.named.set('default', value.text());
    else found.direct.set('default', valueSymbol('default', value, node, null));
    return;
  }
  const clause = node.namedChildren().find((child) => child.kind() === 'export_clause');
  if (clause === undefined) {
    const alias = /^export\s*\*\s*as\s+([\w$]+)/u.exec(text)?.[1];
    if (alias === undefined) found.isOpen = true;
    else found.direct.set(alias, symbol(alias, 'opaque', node));
    return;
  }
  for (const specifier of clause.namedChildren())
    readSpecifier(specifier, node.field('source') !== null, found);
}

function readSpecifier(specifier: SyntaxNode, isForeign: boolean, found: Exports): void {
  const local = specifier.field('name')?.text();
  const name = specifier.field('alias')?.text() ?? local;
  if (local === undefined || name === undefined) return;
  if (isForeign) found.direct.set(name, symbol(name, 'opaque', specifier));
  else found.named.set(name, local);
}

function isDeclaration(node: SyntaxNode): boolean {
  return /(_declaration|_signature)$/u.test(String(node.kind())) || node.kind() === 'internal_module';
}

function declaredSymbols(node: SyntaxNode): SourceSymbol[] {
  const name = node.field('name')?.text() ?? '';
  const kind = String(node.kind());
  if (kind === 'ambient_declaration') return node.namedChildren().flatMap(declaredSymbols);
  if (TYPES.has(kind)) return [symbol(name, 'type', node)];
  if (kind === 'enum_declaration') return [symbol(name, 'constant', node)];
  if (kind === 'internal_module') return [symbol(name, 'opaque', node)];
  if (kind === 'class_declaration' || kind === 'abstract_class_declaration')
    return name === '' ? [] : [classSymbol(name, node, node)];
  if (/^(generator_)?function_(declaration|signature)$/u.test(kind))
    return name === '' ? [] : [functionSymbol(name, node, node)];
  if (kind !== 'lexical_declaration' && kind !== 'variable_declaration') return [];
  return node.namedChildren().flatMap((declarator) => {
    const target = declarator.field('name');
    if (declarator.kind() !== 'variable_declarator' || target === null) return [];
    if (target.kind() !== 'identifier')
      return identifiers(target).map((entry) => symbol(entry, 'opaque', declarator));
    const annotation = declarator.field('type')?.text().replace(/^:\s*/u, '') ?? null;
    const value = declarator.field('value');
    // `export let f;` is bound later, by an assignment or inside a function.
    const isLater = value === null && annotation === null;
    return [
      isLater
        ? symbol(target.text(), 'opaque', declarator)
        : valueSymbol(target.text(), value, declarator, annotation),
    ];
  });
}

function bind(bound: SourceSymbol, found: Exports): void {
  const earlier = found.local.get(bound.name);
  const isOverload = earlier?.kind === 'function' && bound.kind === 'function';
  found.local.set(bound.name, isOverload ? { ...bound, params: null } : bound);
}

function readExpression(node: SyntaxNode, found: Exports): void {
  if (node.kind() === 'unary_expression' && node.text().startsWith('delete ')) {
    const name = /^delete\s+(?:module\.)?exports\.([\w$]+)$/u.exec(node.text())?.[1];
    if (name !== undefined && found.direct.delete(name)) found.deleted.set(name, lineOf(node));
    return;
  }
  if (node.kind() === 'call_expression') {
    const owner = /^Object\.(?:assign|definePropert(?:y|ies))\(\s*([\w$]+)(?:\.prototype)?\s*,/u.exec(
      node.text(),
    )?.[1];
    const target = owner === undefined ? undefined : found.local.get(owner);
    if (owner !== undefined && target !== undefined) found.local.set(owner, { ...target, openMembers: true });
    if (owner === 'exports' || /^Object\.(assign|definePropert\w+)\(\s*module\.exports/u.test(node.text()))
      found.isOpen = true;
    return;
  }
  if (node.kind() === 'assignment_expression') readAssignment(node, found);
}

function readAssignment(node: SyntaxNode, found: Exports): void {
  const target = node.field('left')?.text() ?? '';
  const value = node.field('right');
  if (value === null) return;
  if (value.kind() === 'assignment_expression') readAssignment(value, found);
  if (target === 'module.exports' || target === 'exports') {
    readExportsObject(value, found);
    return;
  }
  const exported = /^(?:module\.)?exports\.([\w$]+)$/u.exec(target)?.[1];
  if (exported !== undefined) {
    found.direct.set(exported, localOr(exported, value, node, found));
    return;
  }
  const [owner, ...path] = target.split('.');
  const bound = owner === undefined ? undefined : found.local.get(owner);
  if (owner === undefined || bound === undefined) return;
  const member = path.at(-1);
  if (member === undefined) found.local.set(owner, valueSymbol(owner, value, node, null));
  else
    found.local.set(owner, { ...bound, members: [...bound.members, valueSymbol(member, value, node, null)] });
}

/** `module.exports = {a, b: c, d() {}}`, or one value. */
function readExportsObject(value: SyntaxNode, found: Exports): void {
  if (value.kind() !== 'object') {
    found.direct.set('default', localOr('default', value, value, found));
    found.isOpen = true;
    return;
  }
  for (const entry of value.namedChildren()) {
    const name =
      entry.kind() === 'shorthand_property_identifier'
        ? entry.text()
        : (entry.field('key') ?? entry.field('name'))?.text();
    if (name === undefined) found.isOpen = true;
    else if (entry.kind() === 'method_definition') found.direct.set(name, functionSymbol(name, entry, entry));
    else found.direct.set(name, localOr(name, entry.field('value') ?? entry, entry, found));
  }
}

function localOr(name: string, value: SyntaxNode, at: SyntaxNode, found: Exports): SourceSymbol {
  const local = found.local.get(value.text());
  return local === undefined ? valueSymbol(name, value, at, null) : { ...local, name };
}

function identifiers(node: SyntaxNode): string[] {
  if (node.kind() === 'identifier' || node.kind() === 'shorthand_property_identifier_pattern')
    return [node.text()];
  return node.namedChildren().flatMap(identifiers);
}
