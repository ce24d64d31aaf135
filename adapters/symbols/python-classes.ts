/** Classes of Python as symbols: members from body, methods, slots and bases, and the constructor that a data class is given. */
import type { SourceSymbol, SymbolParam } from '../../core/ports/symbols.ts';
import { Scope } from './python-scope.ts';
import { descendants, headText, oneLine, symbol, type SyntaxNode } from './syntax.ts';

const DATACLASS = /^@(dataclasses\.)?dataclass\b/u;
const CLOSED_DECORATORS =
  /^@((dataclasses\.)?dataclass|(functools\.)?total_ordering|(typing\.)?(final|runtime_checkable)|(enum\.)?unique)\b/u;
const NAMED_TUPLE = /^(typing\.)?NamedTuple$/u;

/** Bases that add only the members named here; all others may add any. */
const KNOWN_BASES: Readonly<Record<string, string>> = {
  object: '',
  ABC: 'register',
  Generic: '',
  Protocol: '',
  Enum: 'name value',
  NamedTuple: '_replace _asdict _make _fields count index',
  ...Object.fromEntries(
    'BaseException Exception ArithmeticError LookupError IndexError KeyError RuntimeError NotImplementedError RecursionError TypeError ValueError ZeroDivisionError OverflowError AssertionError'
      .split(' ')
      .map((name) => [name, 'args with_traceback add_note']),
  ),
};

interface ClassContext {
  readonly decorators: readonly string[];
  /** Reads the statements of the class's block into a scope. */
  readonly readBody: (block: SyntaxNode, scope: Scope) => void;
  /** What the module binds so far: bases are looked up there. */
  readonly outer: ReadonlyMap<string, SourceSymbol>;
}

export function pythonClass(node: SyntaxNode, context: ClassContext): SourceSymbol {
  const body = node.field('body');
  const bases = (node.field('superclasses')?.namedChildren() ?? [])
    .filter((base) => base.kind() !== 'comment')
    .map((base) => oneLine(base.text()));
  const scope = new Scope();
  if (body !== null) {
    context.readBody(body, scope);
    for (const name of assignedNames(body))
      if (!scope.bound.has(name)) scope.bound.set(name, symbol(name, 'opaque', node));
  }
  const inherited = inheritedFrom(bases, node, context.outer);
  const constructor = scope.bound.has('__init__') ? null : fieldConstructor(node, bases, context.decorators);
  // A data class is given a constructor of its own, from the fields of its bases too: theirs is not the one that is called.
  const isMade = context.decorators.some((text) => DATACLASS.test(text) && !/\binit\s*=\s*False/u.test(text));
  const isKept = (member: SourceSymbol): boolean => !isMade || member.name !== '__init__';
  return symbol(node.field('name')?.text() ?? '', 'class', node, {
    bases,
    decorators: context.decorators,
    members: [
      ...inherited.members
        .filter((member) => !scope.bound.has(member.name) && isKept(member))
        .map(asInherited),
      ...scope.bound.values(),
      ...(constructor === null ? [] : [constructor]),
    ],
    openMembers:
      inherited.isOpen ||
      !context.decorators.every((text) => CLOSED_DECORATORS.test(text)) ||
      (body !== null && makesMembers(body)),
    signature: headText(node, body).replace(/:$/u, ''),
  });
}

function inheritedFrom(
  bases: readonly string[],
  node: SyntaxNode,
  outer: ReadonlyMap<string, SourceSymbol>,
): { readonly members: readonly SourceSymbol[]; readonly isOpen: boolean } {
  const members: SourceSymbol[] = [];
  let isOpen = false;
  for (const base of bases) {
    if (/^metaclass\s*=\s*(abc\.)?ABCMeta$/u.test(base)) continue;
    const name = base.replace(/\[.*$/u, '').replace(/^(typing|abc|enum|builtins)\./u, '');
    const local = outer.get(name);
    const isLibrary = local === undefined || /^(typing|abc|enum)$/u.test(local.origin?.module ?? '');
    if (local?.kind === 'class') {
      members.push(...local.members);
      isOpen ||= local.openMembers;
    } else if (isLibrary && Object.hasOwn(KNOWN_BASES, name)) members.push(...knownMembers(name, node));
    else isOpen = true;
  }
  return { members, isOpen };
}

function asInherited(member: SourceSymbol): SourceSymbol {
  return { ...member, decorators: [...member.decorators, 'inherited'] };
}

function knownMembers(base: string, node: SyntaxNode): SourceSymbol[] {
  const names = (KNOWN_BASES[base] ?? '').split(' ').filter((name) => name !== '');
  return names.map((name) => symbol(name, 'opaque', node));
}

/** Names that methods assign to their first parameter (`self.a, self.b = …`), that `__slots__` lists, or that a call sets by a literal name. */
function assignedNames(body: SyntaxNode): Set<string> {
  const names = new Set<string>();
  for (const method of descendants(body, (kind) => kind === 'function_definition')) {
    const self = /^\(\s*(\w+)/u.exec(method.field('parameters')?.text() ?? '')?.[1];
    const block = method.field('body');
    if (self === undefined || block === null) continue;
    for (const target of targets(block)) for (const name of attributesOf(target, self)) names.add(name);
  }
  const text = body.text();
  for (const match of text.matchAll(/\b(?:__setattr__|setattr)\(\s*\w+\s*,\s*(['"])(\w+)\1\s*,/gu))
    names.add(match[2] ?? '');
  const slots = /\b__slots__\s*(?::[^=\n]+)?=\s*([^\n]*(?:\n[^\n)\]]*)*)/u.exec(text)?.[1] ?? '';
  for (const match of slots.matchAll(/(['"])(\w+)\1/gu)) names.add(match[2] ?? '');
  return names;
}

function targets(block: SyntaxNode): SyntaxNode[] {
  const wanted = new Set(['assignment', 'augmented_assignment', 'for_statement', 'as_pattern_target']);
  return descendants(block, (kind) => wanted.has(kind)).flatMap((node) => {
    const target = node.kind() === 'as_pattern_target' ? node : node.field('left');
    return target === null ? [] : [target];
  });
}

/** `x` of `self.x` in a target; not of `self.x[0]` or `self.x.y`, which bind nothing of that name. */
function attributesOf(target: SyntaxNode, self: string): string[] {
  if (target.kind() === 'attribute') {
    const isOwn = target.field('object')?.text() === self;
    return isOwn ? [target.field('attribute')?.text() ?? ''] : [];
  }
  if (target.kind() === 'subscript') return [];
  return target.namedChildren().flatMap((child) => attributesOf(child, self));
}

function makesMembers(body: SyntaxNode): boolean {
  const text = body.text();
  const isComputed = /\b(?:__setattr__|setattr)\(\s*\w+\s*,(?!\s*(['"])\w+\1\s*,)/u.test(text);
  return (
    /__getattr__|__getattribute__|__dict__|\bvars\s*\(|\blocals\s*\(|\bexec\s*\(/u.test(text) || isComputed
  );
}

/** `__init__` as the decorator or `NamedTuple` makes it from the fields; null where nothing makes one. */
function fieldConstructor(
  node: SyntaxNode,
  bases: readonly string[],
  decorators: readonly string[],
): SourceSymbol | null {
  const decorator = decorators.find((text) => DATACLASS.test(text));
  const isTuple = bases.some((base) => NAMED_TUPLE.test(base));
  const others = bases.filter(
    (base) => !NAMED_TUPLE.test(base) && !/^(object|ABC|abc\.ABC|Generic\[.*)$/u.test(base),
  );
  if ((decorator === undefined && !isTuple) || others.length > 0) return null;
  if (decorator !== undefined && /\binit\s*=\s*False/u.test(decorator)) return null;
  const self: SymbolParam = { name: 'self', kind: 'positional', optional: false, annotation: null };
  let isKeywordOnly = decorator !== undefined && /\bkw_only\s*=\s*True/u.test(decorator);
  const params: SymbolParam[] = [self];
  for (const statement of node.field('body')?.namedChildren() ?? []) {
    const field = statement.namedChildren()[0];
    if (field?.kind() !== 'assignment') continue;
    const annotation = field.field('type')?.text() ?? null;
    if (annotation === null) continue;
    const value = field.field('right')?.text() ?? null;
    if (/^(dataclasses\.)?KW_ONLY$/u.test(annotation)) isKeywordOnly = true;
    else if (!/^(typing\.)?ClassVar\b/u.test(annotation) && !/\binit\s*=\s*False/u.test(value ?? ''))
      params.push({
        name: field.field('left')?.text() ?? '',
        kind: isKeywordOnly || /\bkw_only\s*=\s*True/u.test(value ?? '') ? 'keyword_only' : 'positional',
        optional: value !== null && (!/^(dataclasses\.)?field\(/u.test(value) || /\bdefault/u.test(value)),
        annotation: annotation.replace(/^(?:dataclasses\.)?InitVar\[(.*)\]$/su, '$1'),
      });
  }
  const fields = params.slice(1).map((param) => param.name);
  return symbol('__init__', 'function', node, {
    params,
    access: 'instance',
    signature: `def __init__(self, ${fields.join(', ')})`,
  });
}
