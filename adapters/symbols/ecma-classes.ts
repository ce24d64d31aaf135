/** Classes and interfaces of JavaScript and TypeScript as symbols. */
import type { SourceSymbol } from '../../core/ports/symbols.ts';
import { functionSymbol, valueOf, withoutColon } from './ecma-values.ts';
import { descendants, hasKeyword, headText, oneLine, symbol, type SyntaxNode } from './syntax.ts';

const METHODS = new Set(['method_definition', 'method_signature', 'abstract_method_signature']);
const FUNCTION_BODIES =
  /^(arrow_function|function_expression|function|function_declaration|class|class_declaration)$/u;
const ERROR_MEMBERS = 'name message stack cause toString';
const ERRORS = /^(Error|RangeError|TypeError|SyntaxError|ReferenceError|EvalError|URIError)$/u;

/** `bound`: what the module binds so far, where a base may be found. */
export function classSymbol(
  name: string,
  node: SyntaxNode,
  at: SyntaxNode,
  bound: ReadonlyMap<string, SourceSymbol> = new Map(),
): SourceSymbol {
  const body = node.field('body');
  const heritage = node.children().find((child) => child.kind() === 'class_heritage');
  const base = /^extends\s+([\s\S]*?)(\s+implements\b[\s\S]*)?$/u.exec(heritage?.text() ?? '')?.[1]?.trim();
  const own = ownMembers(node, body);
  const inherited = base === undefined ? { members: [], isOpen: false } : inheritedFrom(base, node, bound);
  const isDecorated = [...node.children(), ...(node.parent()?.children() ?? [])].some(
    (child) => child.kind() === 'decorator',
  );
  return symbol(name, 'class', at, {
    bases: base === undefined ? [] : [oneLine(base)],
    members: [
      ...inherited.members.filter((member) => !own.some((mine) => isSame(mine, member))).map(asInherited),
      ...own,
    ],
    openMembers: inherited.isOpen || isDecorated || (body !== null && makesMembers(body)),
    signature: headText(at, body),
  });
}

/** Members of `interface Rate { … }`; open where it extends another. */
export function interfaceSymbol(name: string, node: SyntaxNode): SourceSymbol {
  const body = node.field('body') ?? node.field('value');
  const isPlain = body !== null && /^(interface_body|object_type)$/u.test(String(body.kind()));
  const members = !isPlain
    ? []
    : body.namedChildren().flatMap((child) => {
        const member = child.field('name')?.text();
        return member === undefined ? [] : [symbol(member, 'opaque', child)];
      });
  const isOpen = !isPlain || node.children().some((child) => /extends/u.test(String(child.kind())));
  return symbol(name, 'type', node, { members, openMembers: isOpen });
}

function ownMembers(node: SyntaxNode, body: SyntaxNode | null): SourceSymbol[] {
  const members: SourceSymbol[] = [];
  for (const child of body?.namedChildren() ?? []) {
    const member = memberSymbol(child);
    if (member === null) continue;
    const earlier = members.findIndex((other) => isSame(other, member));
    if (earlier === -1) members.push(member);
    else members[earlier] = joined(members[earlier] ?? member, member);
  }
  for (const target of assigned(body))
    if (!members.some((member) => member.name === target)) members.push(symbol(target, 'opaque', node));
  return members;
}

function asInherited(member: SourceSymbol): SourceSymbol {
  return { ...member, decorators: [...member.decorators, 'inherited'] };
}

/** Two of one name: getter and setter are one property; what stands behind overloads takes and gives what is for none of its callers. */
function joined(earlier: SourceSymbol, found: SourceSymbol): SourceSymbol {
  if (earlier.access === 'property' || found.access === 'property')
    return { ...earlier, settable: earlier.settable || found.settable };
  return { ...found, params: null, returns: null };
}

function isSame(left: SourceSymbol, right: SourceSymbol): boolean {
  return left.name === right.name && (left.access === 'static') === (right.access === 'static');
}

function memberSymbol(node: SyntaxNode): SourceSymbol | null {
  const name = (node.field('name') ?? node.field('property'))?.text();
  if (name === undefined) return null;
  const isStatic = hasKeyword(node, 'static');
  if (METHODS.has(String(node.kind()))) {
    const isSetter = hasKeyword(node, 'set');
    if (hasKeyword(node, 'get') || isSetter)
      return symbol(name, 'constant', node, {
        access: isStatic ? 'static' : 'property',
        settable: isSetter,
        returns: withoutColon(node.field('return_type')),
      });
    return { ...functionSymbol(name, node, node), access: isStatic ? 'static' : 'instance' };
  }
  if (!/field_definition$/u.test(String(node.kind()))) return null;
  const found = valueOf(name, node.field('value'), node, withoutColon(node.field('type')));
  return { ...found, access: isStatic ? 'static' : null };
}

/** `x` of `this.x = …`, of `[this.x, this.y] = …` and of `constructor(private x: number)`. */
function assigned(body: SyntaxNode | null): Set<string> {
  const names = new Set<string>();
  if (body === null) return names;
  for (const node of descendants(
    body,
    (kind) => kind === 'assignment_expression' || kind === 'augmented_assignment_expression',
  ))
    for (const match of (node.field('left')?.text() ?? '').matchAll(/\bthis\.([#\w$]+)(?![\w$]*[.[(])/gu))
      names.add(match[1] ?? '');
  for (const constructor of body
    .namedChildren()
    .filter((child) => child.field('name')?.text() === 'constructor'))
    for (const param of constructor.field('parameters')?.namedChildren() ?? [])
      if (param.children().some((child) => /accessibility_modifier|readonly/u.test(String(child.kind()))))
        names.add(param.field('pattern')?.text() ?? '');
  return names;
}

/** A constructor that returns another object, and assignments whose names are computed. */
function makesMembers(body: SyntaxNode): boolean {
  if (/Object\.(assign|define\w*)|\bReflect\.|\bthis\[|\bnew Proxy\b/u.test(body.text())) return true;
  const constructor = body.namedChildren().find((child) => child.field('name')?.text() === 'constructor');
  const block = constructor?.field('body') ?? null;
  if (block === null) return false;
  const returns = descendants(
    block,
    (kind) => kind === 'return_statement',
    (kind) => FUNCTION_BODIES.test(kind),
  );
  return returns.some((statement) => statement.namedChildren().length > 0);
}

function inheritedFrom(
  base: string,
  node: SyntaxNode,
  bound: ReadonlyMap<string, SourceSymbol>,
): { readonly members: readonly SourceSymbol[]; readonly isOpen: boolean } {
  const local = bound.get(base.replace(/<[\s\S]*$/u, ''));
  if (local?.kind === 'class') return { members: local.members, isOpen: local.openMembers };
  if (local === undefined && ERRORS.test(base))
    return { members: ERROR_MEMBERS.split(' ').map((name) => symbol(name, 'opaque', node)), isOpen: false };
  return { members: [], isOpen: true };
}
