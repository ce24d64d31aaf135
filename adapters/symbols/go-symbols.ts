/** What a Go file declares: functions, types with fields and methods, values. Exported is what begins with a capital. */
import type { ModuleSymbols, SourceSymbol, SymbolParam } from '../../core/ports/symbols.ts';
import { errorLines, headText, oneLine, parseRoot, symbol, wordLines, type SyntaxNode } from './syntax.ts';

interface Found {
  readonly symbols: Map<string, SourceSymbol>;
  /** Methods by the name of their receiver; types may follow, also in another file of the package. */
  readonly methods: Map<string, SourceSymbol[]>;
}

export function goModule(file: string, text: string): ModuleSymbols {
  const root = parseRoot('go', text);
  const found: Found = { symbols: new Map(), methods: new Map() };
  for (const node of root.namedChildren()) readDeclaration(node, found);
  return {
    file,
    exported: withMethods(found).filter((entry) => isExported(entry.name)),
    deleted: [],
    errorLines: errorLines(root),
    // A file with a build constraint may not be compiled, and C code or a generator may add names.
    openEnded: /^\/\/(go:build|go:generate| \+build)|\bimport\s+"C"/mu.test(text),
    words: wordLines(text),
  };
}

/** Statements of Go without a package clause; null when they do not parse or declare nothing. */
export function goDeclaration(text: string): readonly SourceSymbol[] | null {
  // The grammar ends a declaration by its line.
  const root = parseRoot('go', `${text}\n`);
  const found: Found = { symbols: new Map(), methods: new Map() };
  for (const node of root.namedChildren()) readDeclaration(node, found);
  const all = withMethods(found);
  return errorLines(root).length > 0 || all.length === 0 ? null : all;
}

/** Methods of a type that another file or declaration makes stand as a class of methods alone. */
function withMethods({ symbols, methods }: Found): SourceSymbol[] {
  const joined = [...symbols.values()].map((entry) => ({
    ...entry,
    members: [...entry.members, ...(methods.get(entry.name) ?? [])],
  }));
  const alone = [...methods].flatMap(([owner, members]): SourceSymbol[] => {
    const [first] = members;
    if (symbols.has(owner) || first === undefined) return [];
    return [
      { ...first, name: owner, kind: 'class', params: null, returns: null, members, decorators: ['methods'] },
    ];
  });
  return [...joined, ...alone];
}

function isExported(name: string): boolean {
  return /^\p{Lu}/u.test(name);
}

function readDeclaration(node: SyntaxNode, found: Found): void {
  switch (node.kind()) {
    case 'function_declaration': {
      const entry = goFunction(node.field('name')?.text() ?? '', node, node);
      found.symbols.set(entry.name, entry);
      return;
    }
    case 'method_declaration': {
      const owner = /([\p{L}_][\p{L}\p{N}_]*)(?:\[[^\]]*\])?\s*\)$/u.exec(
        node.field('receiver')?.text() ?? '',
      )?.[1];
      const method = {
        ...goFunction(node.field('name')?.text() ?? '', node, node),
        access: 'instance',
      } as const;
      if (owner !== undefined) found.methods.set(owner, [...(found.methods.get(owner) ?? []), method]);
      return;
    }
    case 'type_declaration':
      for (const spec of node.namedChildren()) {
        const entry = typeSymbol(spec);
        if (entry !== null) found.symbols.set(entry.name, entry);
      }
      return;
    case 'const_declaration':
    case 'var_declaration':
      for (const spec of specs(node)) for (const entry of values(spec)) found.symbols.set(entry.name, entry);
      return;
    default:
  }
}

function goFunction(name: string, node: SyntaxNode, at: SyntaxNode): SourceSymbol {
  const isGeneric = node.field('type_parameters') !== null;
  return symbol(name, 'function', at, {
    params: goParams(node.field('parameters')),
    returns: isGeneric ? 'generic' : oneLine(resultText(node.field('result'))),
    signature: headText(at, node.field('body')),
  });
}

/** `(n int, err error)` is `(int, error)`. */
function resultText(result: SyntaxNode | null): string {
  if (result?.kind() !== 'parameter_list') return result?.text() ?? '';
  return `(${goParams(result)
    .map((param) => param.annotation ?? '')
    .join(', ')})`;
}

/** `a, b int` are two parameters of one type; in `(int, string)` none has a name. */
function goParams(list: SyntaxNode | null): SymbolParam[] {
  return (list?.namedChildren() ?? [])
    .filter((child) => child.kind() !== 'comment')
    .flatMap((child): SymbolParam[] => {
      const type = child.field('type');
      const annotation = type === null ? null : oneLine(type.text());
      const isRest = child.kind() === 'variadic_parameter_declaration';
      const names = child.namedChildren().filter((each) => each.kind() === 'identifier');
      const kind = isRest ? 'var_positional' : 'positional';
      const made = (name: string): SymbolParam => ({ name, kind, optional: isRest, annotation });
      return names.length === 0 ? [made('')] : names.map((name) => made(name.text()));
    });
}

function typeSymbol(spec: SyntaxNode): SourceSymbol | null {
  const name = spec.field('name')?.text();
  const type = spec.field('type');
  if (name === undefined || type === null) return null;
  if (spec.kind() === 'type_alias') return symbol(name, 'opaque', spec, { openMembers: true });
  if (type.kind() === 'interface_type') {
    const members = type
      .namedChildren()
      .filter((child) => child.kind() === 'method_elem')
      .map((child) => ({
        ...goFunction(child.field('name')?.text() ?? '', child, child),
        access: 'instance' as const,
      }));
    return symbol(name, 'type', spec, { members, openMembers: members.length < type.namedChildren().length });
  }
  if (type.kind() !== 'struct_type') {
    // A type made from another one of the package or of a library has its fields.
    const isOwn = /^(\[|map\b|chan\b|func\b|u?int|float|string\b|bool\b|byte\b|rune\b|complex)/u.test(
      type.text(),
    );
    return symbol(name, 'class', spec, { openMembers: !isOwn });
  }
  const fields = (type.namedChildren()[0]?.namedChildren() ?? []).filter(
    (field) => field.kind() === 'field_declaration',
  );
  const members = fields.flatMap((field) => {
    const annotation = field.field('type')?.text() ?? null;
    return field
      .namedChildren()
      .filter((child) => child.kind() === 'field_identifier')
      .map((child) => symbol(child.text(), 'constant', child, { returns: annotation }));
  });
  // An embedded type lends its fields and methods.
  const isOpen = fields.some((field) =>
    field.namedChildren().every((child) => child.kind() !== 'field_identifier'),
  );
  return symbol(name, 'class', spec, { members, openMembers: isOpen, signature: oneLine(spec.text()) });
}

function specs(node: SyntaxNode): SyntaxNode[] {
  return node
    .namedChildren()
    .flatMap((child) => (child.kind() === 'var_spec_list' ? child.namedChildren() : [child]))
    .filter((child) => /_spec$/u.test(String(child.kind())));
}

function values(spec: SyntaxNode): SourceSymbol[] {
  const names = spec.namedChildren().filter((child) => child.kind() === 'identifier');
  const list = spec.field('value')?.namedChildren() ?? [];
  const annotation = spec.field('type')?.text() ?? null;
  return names.map((name, index) => {
    const value = list[index];
    if (value?.kind() === 'func_literal') return goFunction(name.text(), value, spec);
    const isFunction =
      annotation?.startsWith('func') === true ||
      (value !== undefined && annotation === null && !isLiteral(value));
    const kind = isFunction ? 'opaque' : 'constant';
    return symbol(name.text(), kind, name, {
      returns: annotation ?? 'untyped',
      signature: oneLine(spec.text()),
    });
  });
}

function isLiteral(value: SyntaxNode): boolean {
  return /_literal$|^(true|false|iota|binary_expression|unary_expression)$/u.test(String(value.kind()));
}
