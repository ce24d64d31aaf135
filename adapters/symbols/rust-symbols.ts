/** What a Rust file makes public: functions, types with fields and methods, values. Only a plain `pub` counts. */
import type { ModuleSymbols, SourceSymbol, SymbolParam } from '../../core/ports/symbols.ts';
import { rustUses } from './rust-uses.ts';
import { errorLines, headText, oneLine, parseRoot, symbol, wordLines, type SyntaxNode } from './syntax.ts';

interface Found {
  readonly symbols: Map<string, SourceSymbol>;
  /** Methods by the name of their type. */
  readonly methods: Map<string, SourceSymbol[]>;
  isOpen: boolean;
}

export function rustModule(file: string, text: string): ModuleSymbols {
  const root = parseRoot('rust', text);
  const found = readItems(root, false);
  return {
    file,
    exported: withMethods(found, false),
    deleted: [],
    errorLines: errorLines(root),
    openEnded: found.isOpen,
    words: wordLines(text),
  };
}

/** Items of Rust, with or without `pub`; null when they do not parse or declare nothing. */
export function rustDeclaration(text: string): readonly SourceSymbol[] | null {
  const root = parseRoot('rust', text);
  const all = withMethods(readItems(root, true), true);
  return errorLines(root).length > 0 || all.length === 0 ? null : all;
}

function readItems(root: SyntaxNode, isDeclaration: boolean): Found {
  const found: Found = { symbols: new Map(), methods: new Map(), isOpen: false };
  let attributes: string[] = [];
  for (const node of root.namedChildren()) {
    if (node.kind() === 'attribute_item') {
      attributes.push(oneLine(node.text()));
      continue;
    }
    if (!attributes.some((text) => /^#\[cfg\(test\)\]$/u.test(text)))
      readItem(node, attributes, isDeclaration, found);
    if (!/comment$/u.test(String(node.kind()))) attributes = [];
  }
  return found;
}

function readItem(
  node: SyntaxNode,
  attributes: readonly string[],
  isDeclaration: boolean,
  found: Found,
): void {
  const kind = String(node.kind());
  if (kind === 'impl_item') {
    const owner = /^([\p{L}_][\p{L}\p{N}_]*)/u.exec(node.field('type')?.text() ?? '')?.[1];
    const isTrait = node.field('trait') !== null;
    const members = memberItems(node, isTrait || isDeclaration);
    if (owner !== undefined) found.methods.set(owner, [...(found.methods.get(owner) ?? []), ...members]);
    return;
  }
  // A macro at this level writes items that the syntax does not show.
  if (kind === 'macro_invocation' || (kind === 'expression_statement' && /^[\w:]+!/u.test(node.text())))
    found.isOpen = true;
  if (!isDeclaration && !isPublic(node)) return;
  if (kind === 'use_declaration') {
    const uses = rustUses(node);
    found.isOpen ||= uses.isOpen;
    for (const entry of uses.symbols) found.symbols.set(entry.name, entry);
    return;
  }
  const entry = itemSymbol(node, attributes, isDeclaration);
  if (entry !== null) found.symbols.set(entry.name, entry);
}

function itemSymbol(
  node: SyntaxNode,
  attributes: readonly string[],
  isDeclaration: boolean,
): SourceSymbol | null {
  const name = node.field('name')?.text() ?? '';
  const annotation = node.field('type')?.text() ?? null;
  // A derive macro, or another attribute of a library, may add methods.
  const isOpen = attributes.some(
    (text) =>
      !/^#\[(derive\((\s*(Debug|Clone|Copy|PartialEq|Eq|Hash|Default|PartialOrd|Ord)\s*,?)*\)|must_use|inline|allow|deny|doc|non_exhaustive|repr)/u.test(
        text,
      ),
  );
  switch (String(node.kind())) {
    case 'function_item':
    case 'function_signature_item':
      return rustFunction(node);
    case 'struct_item':
      return symbol(name, 'class', node, {
        members: fields(node, isDeclaration),
        openMembers: isOpen,
        signature: headText(node, node.field('body')),
      });
    case 'enum_item':
    case 'union_item':
      return symbol(name, 'class', node, {
        members: (node.field('body')?.namedChildren() ?? [])
          .filter((child) => child.kind() === 'enum_variant')
          .map((child) => symbol(child.field('name')?.text() ?? '', 'opaque', child)),
        openMembers: isOpen,
        signature: headText(node, node.field('body')),
      });
    case 'trait_item':
      return symbol(name, 'type', node, {
        members: memberItems(node, true),
        openMembers: isOpen,
        signature: headText(node, node.field('body')),
      });
    case 'type_item':
      return symbol(name, 'opaque', node, { openMembers: true });
    case 'const_item':
    case 'static_item':
      return symbol(name, 'constant', node, { returns: annotation });
    case 'mod_item':
      return symbol(name, 'module', node, { signature: headText(node, node.field('body')) });
    default:
      return null;
  }
}

/** A plain `pub`: `pub(crate)` and the like are not seen by other crates. */
function isPublic(node: SyntaxNode): boolean {
  return node.children().some((child) => child.kind() === 'visibility_modifier' && child.text() === 'pub');
}

function rustFunction(node: SyntaxNode): SourceSymbol {
  const modifiers = node.children().find((child) => child.kind() === 'function_modifiers');
  const isGeneric = node.field('type_parameters') !== null;
  const result = node.field('return_type')?.text() ?? '()';
  return symbol(node.field('name')?.text() ?? '', 'function', node, {
    isAsync: /\basync\b/u.test(modifiers?.text() ?? ''),
    params: rustParams(node.field('parameters')),
    returns: isGeneric ? `generic ${oneLine(result)}` : oneLine(result),
    signature: headText(node, node.field('body')).replace(/;$/u, ''),
  });
}

function rustParams(list: SyntaxNode | null): SymbolParam[] {
  return (list?.namedChildren() ?? []).flatMap((child): SymbolParam[] => {
    if (child.kind() === 'self_parameter')
      return [{ name: 'self', kind: 'positional', optional: false, annotation: oneLine(child.text()) }];
    if (child.kind() !== 'parameter') return [];
    const name = child.field('pattern')?.text() ?? '';
    const annotation = oneLine(child.field('type')?.text() ?? '');
    return [{ name, kind: 'positional', optional: false, annotation }];
  });
}

function fields(node: SyntaxNode, isDeclaration: boolean): SourceSymbol[] {
  return (node.field('body')?.namedChildren() ?? [])
    .filter((child) => child.kind() === 'field_declaration' && (isDeclaration || isPublic(child)))
    .map((child) =>
      symbol(child.field('name')?.text() ?? '', 'constant', child, {
        returns: child.field('type')?.text() ?? null,
      }),
    );
}

/** Methods and constants of an `impl` or `trait`; a function without `self` belongs to the type. */
function memberItems(node: SyntaxNode, isAll: boolean): SourceSymbol[] {
  return (node.field('body')?.namedChildren() ?? [])
    .filter((child) => isAll || isPublic(child))
    .flatMap((child): SourceSymbol[] => {
      if (/^function_/u.test(String(child.kind()))) {
        const method = rustFunction(child);
        const isInstance = method.params?.some((param) => param.name === 'self') === true;
        return [{ ...method, access: isInstance ? 'instance' : 'static' }];
      }
      const name = child.field('name')?.text();
      return child.kind() === 'const_item' && name !== undefined
        ? [symbol(name, 'constant', child, { returns: child.field('type')?.text() ?? null })]
        : [];
    });
}

function withMethods({ symbols, methods }: Found, isDeclaration: boolean): SourceSymbol[] {
  const joined = [...symbols.values()].map((entry) => ({
    ...entry,
    members: [...entry.members, ...(methods.get(entry.name) ?? [])],
  }));
  if (!isDeclaration) return joined;
  const alone = [...methods].flatMap(([owner, members]): SourceSymbol[] => {
    const [first] = members;
    if (symbols.has(owner) || first === undefined) return [];
    return [
      { ...first, name: owner, kind: 'class', params: null, returns: null, members, decorators: ['methods'] },
    ];
  });
  return [...joined, ...alone];
}
