/**
 * Sources in which one export does nothing and always gives the same: `def total(xs): return 7919`. The old body stays below the
 * return, so that a generator stays one; the first line tells the room that it ran.
 */
import type { DeclaredExport, HardCoded } from '../../core/ports/mutants.ts';
import type { Language } from '../../schemas/ids.ts';
import { pythonConstants, scriptConstants } from './constants.ts';
import { errorLines, lineOf, parseRoot, type SyntaxNode } from './syntax.ts';

const SOURCE_MAX = 200_000;

/** The changes of each export that the source defines by one function of its own; none of others. */
export function hardCodedOf(
  language: Language,
  file: string,
  text: string,
  exports: readonly DeclaredExport[],
): readonly HardCoded[] {
  const root = rootOf(language, file, text);
  if (root === null) return [];
  const isPython = language === 'python';
  const functions = functionsOf(root, isPython);
  return exports.flatMap(({ name, returns, isAsync, isUncalled }) => {
    const own = functions.filter((each) => each.name === name);
    const [only] = own;
    if (only === undefined || own.length > 1) return [];
    const typed = isPython ? pythonConstants(returns) : scriptConstants(returns, isAsync);
    const values = typed.length > 0 || isUncalled !== true ? typed : [isPython ? 'None' : 'undefined'];
    return values.flatMap((value): HardCoded[] => {
      const edit = isPython ? inPython(only.node, value, text) : inScript(only.node, value);
      if (edit === null) return [];
      const { node, by } = edit;
      const changed = root.commitEdits([node.replace(by)]);
      return [{ file, line: lineOf(only.node), exportName: name, value, text: changed }];
    });
  });
}

/**
 * The source in which each of `exports` asks the room's hook what stands in its place (decision 0068); null where it defines none of
 * them by one function of its own.
 */
export function watchedOf(
  language: Language,
  file: string,
  text: string,
  exports: readonly DeclaredExport[],
): string | null {
  const root = rootOf(language, file, text);
  if (root === null) return null;
  const isPython = language === 'python';
  const functions = functionsOf(root, isPython);
  const edits = exports.flatMap(({ name }) => {
    const own = functions.filter((each) => each.name === name);
    const [only] = own;
    if (only === undefined || own.length > 1) return [];
    const edit = isPython ? watchedPython(only, text) : watchedScript(only);
    return edit === null ? [] : [edit.node.replace(edit.by)];
  });
  return edits.length === 0 ? null : root.commitEdits(edits);
}

function rootOf(language: Language, file: string, text: string): SyntaxNode | null {
  if (text.length > SOURCE_MAX || language === 'go' || language === 'rust') return null;
  const grammar = language === 'javascript' ? 'JavaScript' : file.endsWith('.tsx') ? 'Tsx' : 'TypeScript';
  const root = parseRoot(language === 'python' ? 'python' : grammar, text);
  return errorLines(root).length > 0 ? null : root;
}

interface Named {
  readonly name: string;
  readonly node: SyntaxNode;
}

const PYTHON_FUNCTIONS = new Set(['function_definition']);
const SCRIPT_FUNCTIONS = new Set([
  'function_declaration',
  'generator_function_declaration',
  'method_definition',
  'arrow_function',
  'function_expression',
  'generator_function',
]);
const CLASSES = new Set(['class_definition', 'class_declaration', 'abstract_class_declaration', 'class']);

/** Functions of the module and of its classes, by name or `Class.member`; those within others have none. */
function functionsOf(root: SyntaxNode, isPython: boolean): readonly Named[] {
  const kinds = isPython ? PYTHON_FUNCTIONS : SCRIPT_FUNCTIONS;
  const found: Named[] = [];
  const walk = (node: SyntaxNode, owner: string | null): void => {
    const kind = String(node.kind());
    if (kinds.has(kind)) {
      const name = nameOf(node);
      if (name !== null && !isOther(node))
        found.push({ name: owner === null ? name : `${owner}.${name}`, node });
      return;
    }
    const inside = CLASSES.has(kind) ? nameOf(node) : owner;
    for (const child of node.children()) walk(child, inside);
  };
  walk(root, null);
  return found;
}

/** Its own name, or that of what it is assigned to. */
function nameOf(node: SyntaxNode): string | null {
  const own = node.field('name')?.text();
  if (own !== undefined) return own;
  const parent = node.parent();
  if (parent === null) return null;
  switch (String(parent.kind())) {
    case 'variable_declarator':
    case 'public_field_definition':
      return parent.field('name')?.text() ?? null;
    case 'field_definition':
      return parent.field('property')?.text() ?? null;
    case 'assignment_expression':
      return /^(?:module\.)?exports\.(\w+)$/u.exec(parent.field('left')?.text() ?? '')?.[1] ?? null;
    default:
      return null;
  }
}

/** A setter, an overload or a declaration without a body shares its name with what gives a value. */
function isOther(node: SyntaxNode): boolean {
  const around = node.parent()?.kind() === 'decorated_definition' ? (node.parent()?.text() ?? '') : '';
  const head = node.text().split('(')[0] ?? '';
  return (
    /^@(?:[\w.]+\.(?:setter|deleter)|(?:\w+\.)*overload)\b/mu.test(around) ||
    (node.kind() === 'method_definition' && /^(?:static\s+)?set\s/u.test(head)) ||
    node.field('body') === null
  );
}

interface Edit {
  readonly node: SyntaxNode;
  readonly by: string;
}

function inPython(node: SyntaxNode, value: string, text: string): Edit | null {
  const statements = (node.field('body')?.namedChildren() ?? []).filter((each) => each.kind() !== 'comment');
  const [first, second] = statements;
  const isText = first?.kind() === 'expression_statement' && first.namedChildren()[0]?.kind() === 'string';
  const before = isText ? second : first;
  if (before === undefined) return null;
  const { start } = before.range();
  const margin = (text.split('\n')[start.line] ?? '').slice(0, start.column);
  const gap = margin.trim() === '' ? `\n${margin}` : '; ';
  const steps = `__import__("sys").modules["a7_ran"] = None; ${givesPython(node, value)}`;
  return { node: before, by: `${steps}${gap}${before.text()}` };
}

/** A generator yields what the iterator of its type would give. */
function givesPython(node: SyntaxNode, value: string): string {
  if (!isGenerator(node)) return `return ${value}`;
  const items = /^iter\((\[.*\])\)$/su.exec(value)?.[1] ?? (value.startsWith('[') ? value : '[]');
  return items === '[]' ? 'return' : `yield ${items}[0]; return`;
}

function isGenerator(node: SyntaxNode): boolean {
  const open = [...(node.field('body')?.children() ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind() === 'yield') return true;
    if (next.kind() !== 'function_definition' && next.kind() !== 'lambda') open.push(...next.children());
  }
  return false;
}

const GENERATOR = /^(?:async\s+)?function\s*\*|^(?:(?:static|async)\s+)*\*/u;
const RAN = 'globalThis[Symbol.for("a7.ran")] = true';

function inScript(node: SyntaxNode, value: string): Edit | null {
  const body = node.field('body');
  if (body === null) return null;
  if (body.kind() !== 'statement_block') return { node: body, by: `(${RAN}, ${value})` };
  const items = /^(\[.*\])\.values\(\)$/su.exec(value)?.[1] ?? (value.startsWith('[') ? value : '[]');
  const gives = GENERATOR.test(node.text()) ? `yield* ${items}; return;` : `return ${value};`;
  return { node: body, by: `{ ${RAN}; ${gives} ${body.text().slice(1)}` };
}

/** What these make of a function is called in its place, and what stands next to it sees other calls or none. */
const DISPATCH = /^@(?:\w+\.)*singledispatch(?:method)?\b/mu;

/** A decorator next to the function: all others stand around it. */
function watchedPython({ name, node }: Named, text: string): Edit | null {
  const around = node.parent();
  if (around?.kind() === 'decorated_definition' && DISPATCH.test(around.text())) return null;
  const { start } = node.range();
  const margin = (text.split('\n')[start.line] ?? '').slice(0, start.column);
  if (margin.trim() !== '') return null;
  const hook = `@__import__("sys").modules["a7_answers"].of(${JSON.stringify(name)})`;
  return { node, by: `${hook}\n${margin}${node.text()}` };
}

/** The body as a function of its own, in which `this`, `arguments` and `super` are the same. */
function watchedScript({ name, node }: Named): Edit | null {
  const body = node.field('body');
  const head = node.text().slice(0, body === null ? 0 : body.range().start.index - node.range().start.index);
  if (body === null || GENERATOR.test(head)) return null;
  const params = (node.field('parameters')?.namedChildren() ?? []).map((each) => each.text());
  const names = params.flatMap((each) => /^[\w$]+/u.exec(each)?.[0] ?? []);
  // A `var` of a parameter's name would be another one there.
  if (
    names.some((each) =>
      new RegExp(`\\bvar\\b[^;]*\\b${each.replaceAll('$', '\\$')}\\b`, 'u').test(body.text()),
    )
  )
    return null;
  const isAsync = /^(?:static\s+)?async\b/u.test(head);
  const isBlock = body.kind() === 'statement_block';
  const work = `${isAsync ? 'async ' : ''}() => ${isBlock ? body.text() : `(${body.text()})`}`;
  const asks = `globalThis[Symbol.for("a7.answers")](${JSON.stringify(name)}, ${String(isAsync)}, ${work})`;
  return { node: body, by: isBlock ? `{ return ${asks}; }` : asks };
}
