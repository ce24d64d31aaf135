/** Which functions of the language and its library a source calls, by the names that its imports give them. What the source binds itself is left out. */
import type { CalledName } from '../../core/ports/symbols.ts';
import type { Language } from '../../schemas/ids.ts';
import { descendants, lineOf, parseRoot, type SyntaxNode } from './syntax.ts';

/** What a name of the file stands for, for example `t` for `time` after `import time as t`. */
type Imported = ReadonlyMap<string, string>;

interface Names {
  readonly imported: Imported;
  readonly bound: ReadonlySet<string>;
}

/** Calls in the order of the text; empty where the language is not read. A name of the language itself stands alone: `open`, `Math.random`. */
export function calledNames(language: Language, file: string, text: string): readonly CalledName[] {
  switch (language) {
    case 'python':
      return pythonCalls(parseRoot('python', text));
    case 'javascript':
      return ecmaCalls(parseRoot('JavaScript', text));
    case 'typescript':
      return ecmaCalls(parseRoot(file.endsWith('.tsx') ? 'Tsx' : 'TypeScript', text));
    case 'go':
    case 'rust':
      return [];
  }
}

function pythonCalls(root: SyntaxNode): CalledName[] {
  const names = { imported: pythonImports(root), bound: pythonBound(root) };
  return of(root, 'call').flatMap((call) => {
    const name = resolved(call.field('function'), names);
    if (name === null) return [];
    const args = call.field('arguments')?.namedChildren() ?? [];
    const keywords = args.flatMap((arg) =>
      arg.kind() === 'keyword_argument' ? [fieldText(arg, 'name')] : [],
    );
    return [{ name, line: lineOf(call), argCount: args.length, keywords }];
  });
}

function pythonImports(root: SyntaxNode): Imported {
  const found = new Map<string, string>();
  for (const statement of of(root, 'import_statement', 'import_from_statement')) {
    const module = statement.field('module_name');
    const prefix = module === null ? '' : `${module.text()}.`;
    for (const part of statement.namedChildren().filter((each) => each.id() !== module?.id())) {
      const name = part.kind() === 'aliased_import' ? fieldText(part, 'name') : part.text();
      const alias = part.kind() === 'aliased_import' ? fieldText(part, 'alias') : null;
      // `import os.path` binds `os`.
      const [first = name] = name.split('.');
      if (alias !== null) found.set(alias, prefix + name);
      else found.set(first, module === null ? first : prefix + name);
    }
  }
  return found;
}

const PYTHON_BINDERS: Readonly<Record<string, string>> = {
  function_definition: 'name',
  class_definition: 'name',
  assignment: 'left',
  for_statement: 'left',
  for_in_clause: 'left',
  named_expression: 'name',
};
const PYTHON_PARAMS = ['parameters', 'lambda_parameters', 'as_pattern_target'];

function pythonBound(root: SyntaxNode): Set<string> {
  const byField = of(root, ...Object.keys(PYTHON_BINDERS)).map((node) =>
    node.field(PYTHON_BINDERS[String(node.kind())] ?? ''),
  );
  const params = of(root, ...PYTHON_PARAMS).flatMap((node) => node.namedChildren().map(pythonLabel));
  return new Set([...byField, ...params].flatMap((node) => labels(node)));
}

/** A parameter without its default and its type, which may name what is imported. */
function pythonLabel(parameter: SyntaxNode): SyntaxNode {
  const name = parameter.field('name');
  if (name !== null) return name;
  return parameter.kind() === 'typed_parameter' ? (parameter.namedChildren()[0] ?? parameter) : parameter;
}

function ecmaCalls(root: SyntaxNode): CalledName[] {
  const imported = ecmaImports(root);
  const bound = new Set([...ecmaBound(root)].filter((name) => !imported.has(name)));
  return of(root, 'call_expression', 'new_expression').flatMap((call) => {
    const isNew = call.kind() === 'new_expression';
    const name = resolved(call.field(isNew ? 'constructor' : 'function'), { imported, bound });
    if (name === null) return [];
    const argCount = call.field('arguments')?.namedChildren().length ?? 0;
    return [{ name: isNew ? `new ${name}` : name, line: lineOf(call), argCount, keywords: [] }];
  });
}

function ecmaImports(root: SyntaxNode): Imported {
  const found = new Map<string, string>();
  for (const statement of of(root, 'import_statement')) {
    const module = moduleName(statement.field('source'));
    for (const part of of(statement, 'import_specifier')) {
      const alias = part.field('alias') ?? part.field('name');
      found.set(alias?.text() ?? '', `${module}.${fieldText(part, 'name')}`);
    }
    for (const clause of of(statement, 'import_clause', 'namespace_import'))
      for (const only of clause.namedChildren().filter((each) => each.kind() === 'identifier'))
        found.set(only.text(), module);
  }
  for (const declared of of(root, 'variable_declarator')) bindRequired(declared, found);
  return found;
}

/** `const fs = require('node:fs')`, and the same with `{ readFileSync: read }`. */
function bindRequired(declared: SyntaxNode, found: Map<string, string>): void {
  const [label, value] = [declared.field('name'), declared.field('value')];
  if (value?.kind() !== 'call_expression' || fieldText(value, 'function') !== 'require') return;
  const module = moduleName(value.field('arguments')?.namedChildren()[0] ?? null);
  if (label?.kind() === 'identifier') found.set(label.text(), module);
  for (const part of label?.kind() === 'object_pattern' ? label.namedChildren() : []) {
    const key = part.field('key')?.text() ?? part.text();
    found.set(part.field('value')?.text() ?? key, `${module}.${key}`);
  }
}

const ECMA_BINDERS =
  /^(?:variable_declarator|(?:generator_)?function(?:_declaration|_expression)?|class_declaration|class|enum_declaration)$/u;

function ecmaBound(root: SyntaxNode): Set<string> {
  const isBinder = (kind: string): boolean => ECMA_BINDERS.test(kind);
  const declared = descendants(root, isBinder).map((node) => node.field('name'));
  const params = of(root, 'formal_parameters').flatMap((node) =>
    node.namedChildren().map((each) => each.field('pattern') ?? each.field('left') ?? each),
  );
  const single = of(root, 'arrow_function', 'catch_clause').map((node) => node.field('parameter'));
  return new Set([...declared, ...params, ...single].flatMap((node) => labels(node)));
}

/** The dotted name of what is called, its first word as imported; null where it is bound here, or no plain name. */
function resolved(callee: SyntaxNode | null, { imported, bound }: Names): string | null {
  const name =
    callee
      ?.text()
      .replace(/^globalThis\./u, '')
      .replaceAll('?.', '.') ?? '';
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*$/u.test(name)) return null;
  const [first = '', ...rest] = name.split('.');
  if (bound.has(first)) return null;
  return [imported.get(first) ?? first, ...rest].join('.');
}

/** Names that a target binds: `a`, `(a, b)`, `{ a, b: [c] }`; never what it reads, as in `a.b = 1`. */
function labels(node: SyntaxNode | null): string[] {
  if (node === null) return [];
  const kind = String(node.kind());
  if (/^(?:type_)?identifier$|^shorthand_property_identifier_pattern$/u.test(kind)) return [node.text()];
  if (/^(?:attribute|subscript|member_expression|subscript_expression)$/u.test(kind)) return [];
  if (kind === 'pair_pattern') return labels(node.field('value'));
  return node.namedChildren().flatMap((child) => labels(child));
}

function moduleName(source: SyntaxNode | null): string {
  return (source?.text() ?? '').replace(/^['"`]|['"`]$/gu, '').replace(/^node:/u, '');
}

function fieldText(node: SyntaxNode, name: string): string {
  return node.field(name)?.text() ?? '';
}

function of(root: SyntaxNode, ...kinds: readonly string[]): SyntaxNode[] {
  return descendants(root, (kind) => kinds.includes(kind));
}
