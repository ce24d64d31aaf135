/** What a JavaScript or TypeScript module exports, read from its syntax: ES modules and CommonJS, every honest form (gate.md part 2). */
import type { ModuleSymbols, SourceSymbol } from '../../core/ports/symbols.ts';
import { classSymbol, interfaceSymbol } from './ecma-classes.ts';
import { readExpression, valueSymbol } from './ecma-assignments.ts';
import { noExports, type Exports } from './ecma-exports.ts';
import { functionSymbol } from './ecma-values.ts';
import { descendants, errorLines, parseRoot, symbol, wordLines, type SyntaxNode } from './syntax.ts';

const TYPES = new Set(['interface_declaration', 'type_alias_declaration']);

export function ecmaModule(
  grammar: 'JavaScript' | 'TypeScript' | 'Tsx',
  file: string,
  text: string,
): ModuleSymbols {
  const root = parseRoot(grammar, text);
  const found = noExports();
  for (const node of root.namedChildren()) readStatement(node, found);
  const named = [...found.named].flatMap(([name, local]): SourceSymbol[] => {
    const bound = found.local.get(local);
    return bound === undefined ? [] : [{ ...bound, name }];
  });
  return {
    file,
    exported: [...new Map([...named, ...found.direct.values()].map((entry) => [entry.name, entry])).values()],
    deleted: [...found.deleted].map(([name, line]) => ({ name, line })),
    errorLines: errorLines(root),
    openEnded: found.isOpen,
    words: wordLines(text),
  };
}

/** Statements of a `.d.ts` text, exported or not; null when they do not parse or declare nothing. */
export function ecmaDeclaration(text: string): readonly SourceSymbol[] | null {
  const root = parseRoot('TypeScript', text);
  const found = noExports();
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
      for (const bound of importedSymbols(node)) found.local.set(bound.name, bound);
      return;
    default:
      // UMD and `if (…) module.exports = …`: what is exported then, the syntax does not show.
      if (/_statement$|^statement_block$/u.test(String(node.kind())) && /\bexports\b/u.test(node.text()))
        found.isOpen = true;
      for (const bound of declaredSymbols(node, found)) bind(bound, found);
  }
}

function readExport(node: SyntaxNode, found: Exports): void {
  const text = node.text();
  const declaration =
    node.field('declaration') ?? node.namedChildren().find((child) => isDeclaration(child)) ?? null;
  const isDefault = /^export\s+default\b/u.test(text);
  if (declaration !== null) {
    for (const bound of declaredSymbols(declaration, found)) {
      bind(bound, found);
      found.named.set(isDefault ? 'default' : bound.name, bound.name);
    }
    if (isDefault && declaration.field('name') === null)
      found.direct.set('default', valueSymbol('default', declaration, node, null, found));
    return;
  }
  const value = node.field('value');
  if (isDefault && value !== null) {
    if (value.kind() === 'identifier') found.named.set('default', value.text());
    else found.direct.set('default', valueSymbol('default', value, node, null, found));
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

function declaredSymbols(node: SyntaxNode, found: Exports): SourceSymbol[] {
  const name = node.field('name')?.text() ?? '';
  const kind = String(node.kind());
  if (kind === 'ambient_declaration')
    return node.namedChildren().flatMap((child) => declaredSymbols(child, found));
  if (TYPES.has(kind)) return [interfaceSymbol(name, node)];
  if (kind === 'enum_declaration') return [enumSymbol(name, node)];
  if (kind === 'internal_module') return [symbol(name, 'opaque', node)];
  if (kind === 'class_declaration' || kind === 'abstract_class_declaration')
    return name === '' ? [] : [classSymbol(name, node, node, found.local)];
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
        : valueSymbol(target.text(), value, declarator, annotation, found),
    ];
  });
}

function bind(bound: SourceSymbol, found: Exports): void {
  const earlier = found.local.get(bound.name);
  const isOverload = earlier?.kind === 'function' && bound.kind === 'function';
  // What the implementation behind overloads takes and gives is for none of its callers.
  found.local.set(bound.name, isOverload ? { ...bound, params: null, returns: null } : bound);
}

function enumSymbol(name: string, node: SyntaxNode): SourceSymbol {
  const members = (node.field('body')?.namedChildren() ?? []).map((child) =>
    symbol((child.field('name') ?? child).text(), 'constant', child),
  );
  return symbol(name, 'constant', node, { members });
}

/** Names that an import binds; their nature is not shown here. */
function importedSymbols(node: SyntaxNode): SourceSymbol[] {
  const module = node.field('source')?.text().slice(1, -1) ?? '';
  const isName = (kind: string): boolean => kind === 'import_specifier' || kind === 'namespace_import';
  const clause = node.namedChildren().find((child) => child.kind() === 'import_clause');
  if (clause === undefined) return [];
  const specifiers = descendants(clause, isName).map((specifier) => {
    const original = specifier.field('name')?.text() ?? '*';
    const local = specifier.field('alias')?.text() ?? specifier.field('name')?.text();
    return { name: local ?? specifier.namedChildren()[0]?.text() ?? '', original };
  });
  const first = clause
    .namedChildren()
    .find((child) => child.kind() === 'identifier')
    ?.text();
  const all = first === undefined ? specifiers : [{ name: first, original: 'default' }, ...specifiers];
  return all.map(({ name, original }) =>
    symbol(name, 'opaque', node, { decorators: ['import'], origin: { module, name: original } }),
  );
}

function identifiers(node: SyntaxNode): string[] {
  if (node.kind() === 'identifier' || node.kind() === 'shorthand_property_identifier_pattern')
    return [node.text()];
  return node.namedChildren().flatMap(identifiers);
}
