/** Reads the `.d.ts` statements of a contract (gate.md part 2): one declaration an export, or the reason why not. */
import { Lang, parse } from '@ast-grep/napi';
import type { SgNode } from '@ast-grep/napi';
import { suggestDeclaration } from './typescript-suggestions.ts';

export interface Callable {
  readonly paramCount: number;
  /** Declared type of the result; null where none is written. */
  readonly returns: SgNode | null;
  readonly isAsync: boolean;
}

export interface Member {
  /** As written after `.` or inside `[...]`. */
  readonly name: string;
  readonly kind: 'method' | 'get' | 'set' | 'field' | 'constructor';
  readonly isStatic: boolean;
  readonly isAbstract: boolean;
  readonly call: Callable;
  readonly type: SgNode | null;
  readonly value: string | null;
}

interface DeclarationBase {
  readonly name: string;
  readonly isDefault: boolean;
}

export type Declaration =
  | (DeclarationBase & { readonly kind: 'function'; readonly call: Callable })
  | (DeclarationBase & {
      readonly kind: 'constant';
      readonly type: SgNode | null;
      readonly value: string | null;
    })
  | (DeclarationBase & {
      readonly kind: 'class';
      readonly base: string | null;
      readonly members: readonly Member[];
    })
  | (DeclarationBase & {
      readonly kind: 'enum';
      readonly members: readonly { readonly name: string; readonly value: string | null }[];
    })
  /** Interfaces and types: nothing at run time. `parents` are what an interface extends. */
  | (DeclarationBase & {
      readonly kind: 'alias';
      readonly type: SgNode | null;
      readonly parents: readonly SgNode[];
    });

export type Parsed =
  | { readonly ok: true; readonly declarations: readonly Declaration[] }
  | { readonly ok: false; readonly line: number; readonly reason: string; readonly suggestion: string };

/** Declarations of one export: one, or overloads of one function. */
export function parseDeclaration(statement: string): Parsed {
  const text = statement.trim();
  const isDefault = /^export\s+default\b/u.test(text);
  const source = normalised(text);
  const root = parse(Lang.TypeScript, source).root();
  const broken = root.find({ rule: { kind: 'ERROR' } });
  const refuse = (reason: string, node?: SgNode): Parsed => ({
    ok: false,
    line: (node?.range().start.line ?? 0) + 1,
    reason,
    suggestion: suggestDeclaration(text, (candidate) => isDeclaration(candidate)),
  });
  if (broken !== null) return refuse('The declaration does not parse', broken);
  const statements = root
    .children()
    .filter((node) => node.isNamed() && !['comment', 'empty_statement'].includes(`${node.kind()}`));
  const imported = statements.find((node) => node.kind() === 'import_statement');
  if (imported !== undefined) {
    return {
      ...refuse('An import is not an export', imported),
      suggestion: `Move it to 'imports': ${imported.text()}`,
    } as Parsed;
  }
  const found = statements.map((node) => declarationsOf(node, isDefault));
  const declarations = found.flatMap((list) => list ?? []);
  if (declarations.length === 0 || found.includes(null)) return refuse('This is not a declaration');
  const names = new Set(declarations.map((declaration) => declaration.name));
  const isOne =
    names.size === 1 && (declarations.length === 1 || declarations.every((item) => item.kind === 'function'));
  return isOne
    ? { ok: true, declarations }
    : refuse(`One export is one declaration; this one declares ${[...names].join(', ')}`);
}

function isDeclaration(text: string): boolean {
  const root = parse(Lang.TypeScript, normalised(text)).root();
  const statements = root.children().filter((node) => node.isNamed() && node.kind() !== 'empty_statement');
  return (
    root.find({ rule: { kind: 'ERROR' } }) === null &&
    statements.length === 1 &&
    statements.every((node) => declarationsOf(node, false) !== null)
  );
}

/** The grammar knows no signature behind `export default` and no `function*` without a body. */
function normalised(text: string): string {
  return text
    .replace(/^export\s+default\s+(?=(?:async\s+)?function|(?:abstract\s+)?class|interface)/u, 'export ')
    .replace(/\bfunction\s*\*/u, 'function ')
    .replace(/\bfunction\s*\(/u, 'function default_(')
    .replace(/\bclass\s*\{/u, 'class default_ {');
}

function declarationsOf(node: SgNode, isDefault: boolean): Declaration[] | null {
  const name = node.field('name')?.text() ?? '';
  const base = { name: name === 'default_' ? 'default' : name, isDefault };
  switch (`${node.kind()}`) {
    case 'export_statement':
    case 'ambient_declaration': {
      const inner = node
        .children()
        .find((child) => child.isNamed() && declarationsOf(child, isDefault) !== null);
      return inner === undefined ? null : declarationsOf(inner, isDefault);
    }
    case 'function_signature':
      return [{ ...base, kind: 'function', call: callableOf(node) }];
    case 'lexical_declaration':
    case 'variable_declaration':
      return node
        .children()
        .filter((child) => child.kind() === 'variable_declarator')
        .map((child) => variableOf(child, isDefault));
    case 'class_declaration':
    case 'abstract_class_declaration':
      return [{ ...base, kind: 'class', base: baseOf(node), members: membersOf(node) }];
    case 'enum_declaration':
      return [{ ...base, kind: 'enum', members: enumMembers(node) }];
    case 'interface_declaration':
      return [{ ...base, kind: 'alias', type: node.field('body'), parents: parentsOf(node) }];
    case 'type_alias_declaration':
      return [{ ...base, kind: 'alias', type: node.field('value'), parents: [] }];
    default:
      return null;
  }
}

function variableOf(node: SgNode, isDefault: boolean): Declaration {
  const type = typeOf(node.field('type'));
  const base = { name: node.field('name')?.text() ?? '', isDefault };
  if (type?.kind() === 'function_type') return { ...base, kind: 'function', call: callableOf(type) };
  const value =
    node
      .field('value')
      ?.text()
      .replace(/\s+(?:as\s+const|satisfies\s+.*)$/su, '') ?? null;
  return { ...base, kind: 'constant', type, value };
}

/** What a signature or a function type says about a call. */
function callableOf(node: SgNode): Callable {
  const params = node.field('parameters')?.children() ?? [];
  const required = params.filter(
    (child) =>
      child.kind() === 'required_parameter' && child.find({ rule: { kind: 'rest_pattern' } }) === null,
  );
  const returns = typeOf(node.field('return_type'));
  const isPromise = returns?.kind() === 'generic_type' && /^Promise(Like)?\b/u.test(returns.text());
  const isAsync = isPromise || node.children().some((child) => child.kind() === 'async');
  return { paramCount: required.length, returns, isAsync };
}

/** The type inside `: type`. */
function typeOf(node: SgNode | null): SgNode | null {
  if (node === null) return null;
  if (node.kind() !== 'type_annotation') return node;
  return node.children().find((child) => child.isNamed()) ?? null;
}

function baseOf(node: SgNode): string | null {
  const clause: SgNode | null = node.find({ rule: { kind: 'extends_clause' } });
  const value = clause === null ? null : clause.field('value');
  return value === null ? null : value.text();
}

/** Types that an interface extends. */
function parentsOf(node: SgNode): SgNode[] {
  const clause = node.children().find((child) => child.kind() === 'extends_type_clause');
  return clause?.children().filter((child) => child.isNamed()) ?? [];
}

function membersOf(node: SgNode): Member[] {
  const body = node.field('body')?.children() ?? [];
  return body.flatMap((child): Member[] => {
    const kind = `${child.kind()}`;
    const nameNode = child.field('name');
    if (nameNode === null || nameNode.kind() === 'private_property_identifier') return [];
    const words = new Set(
      child
        .children()
        .filter((part) => !part.isNamed())
        .map((part) => part.text()),
    );
    const name = nameNode.text();
    const base = {
      name,
      isStatic: words.has('static'),
      isAbstract: words.has('abstract') || kind === 'abstract_method_signature',
      call: callableOf(child),
      value: child.field('value')?.text() ?? null,
    };
    if (kind === 'public_field_definition') {
      const type = typeOf(child.field('type'));
      return type?.kind() === 'function_type'
        ? [{ ...base, kind: 'method', call: callableOf(type), type: null }]
        : [{ ...base, kind: 'field', type }];
    }
    if (!/^(abstract_)?method_(signature|definition)$/u.test(kind)) return [];
    const method =
      name === 'constructor' ? 'constructor' : words.has('get') ? 'get' : words.has('set') ? 'set' : 'method';
    return [{ ...base, kind: method, type: null }];
  });
}

function enumMembers(node: SgNode): { name: string; value: string | null }[] {
  const body = node.field('body')?.children() ?? [];
  return body.flatMap((child) => {
    if (child.kind() === 'property_identifier') return [{ name: child.text(), value: null }];
    if (child.kind() !== 'enum_assignment') return [];
    return [{ name: child.field('name')?.text() ?? '', value: child.field('value')?.text() ?? null }];
  });
}
