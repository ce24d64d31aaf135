/**
 * Constants of a declared type, as source text: what a hard-coded export would give. For example `list[int]` has `[7919]` and
 * `[104729]`. Two that differ where the type has two, neither of them empty or zero: that a value is there says nothing of the value.
 * The language's nothing for a type that is not known here; none for what gives nothing: that it does nothing may be rightly unseen.
 */

/** Of a Python annotation. */
export function pythonConstants(annotation: string | null): readonly string[] {
  if (annotation === null) return [];
  const type = annotation.trim().replace(/^["']|["']$/gu, '');
  const parts = split(type, '|');
  if (parts.length > 1) return ofUnion(parts.map(pythonConstants));
  const [, name = '', inner = ''] = /^(?:\w+\.)*(\w+)(?:\[([\s\S]*)\])?$/u.exec(type) ?? [];
  const args = split(inner, ',');
  const of = (at: number): readonly string[] => some(pythonConstants(args[at] ?? 'object'), 'None');
  switch (name) {
    case 'Optional':
      return pythonConstants(inner);
    case 'Union':
      return ofUnion(args.map(pythonConstants));
    case 'list':
    case 'List':
    case 'Sequence':
    case 'MutableSequence':
    case 'Collection':
    case 'Iterable':
      return of(0).map((each) => `[${each}]`);
    case 'Iterator':
    case 'Generator':
      return of(0).map((each) => `iter([${each}])`);
    case 'set':
    case 'Set':
    case 'AbstractSet':
    case 'frozenset':
    case 'FrozenSet': {
      const make = name.toLowerCase().startsWith('frozen') ? 'frozenset' : 'set';
      return of(0).map((each) => `${make}([${each}])`);
    }
    case 'tuple':
    case 'Tuple': {
      if (inner === '' || args[1] === '...') return of(0).map((each) => `(${each},)`);
      const each = args.map(pythonConstants);
      return [0, 1].map((at) => `(${each.map((items) => `${items[at] ?? items[0] ?? 'None'},`).join('')})`);
    }
    case 'dict':
    case 'Dict':
    case 'Mapping':
    case 'MutableMapping':
      return of(0).map((each, at) => `{${each}: ${of(1)[at] ?? of(1)[0] ?? 'None'}}`);
    default:
      return PYTHON[name] ?? ['None'];
  }
}

const PYTHON: Readonly<Record<string, readonly string[]>> = {
  int: ['7919', '104729'],
  float: ['7919.5', '104729.5'],
  str: ['"other"', '"another"'],
  bytes: ['b"other"', 'b"another"'],
  bool: ['True', 'False'],
  object: ['7919', '"other"'],
  Any: ['7919', '"other"'],
  Hashable: ['7919', '"other"'],
  None: [],
  NoReturn: [],
  Never: [],
};

/** Of a TypeScript type. `isAsync`: what the function gives is wrapped by the language. */
export function scriptConstants(declared: string | null, isAsync: boolean): readonly string[] {
  if (declared === null || /^asserts\b/u.test(declared)) return [];
  const type = declared.trim().replace(/^readonly\s+/u, '');
  if (/^\w+\s+is\s/u.test(type)) return ['true', 'false'];
  const parts = split(type, '|').filter((part) => part !== '');
  if (parts.length > 1) return ofUnion(parts.map((part) => scriptConstants(part, isAsync)));
  if (/^(?:'[^']*'|"[^"]*"|\d[\d.]*|true|false|null)$/u.test(type)) return [type];
  const element = /^(.*)\[\]$/su.exec(type)?.[1];
  if (element !== undefined) return ofList(element.replace(/^\((.*)\)$/su, '$1'));
  const [, name = '', inner = ''] = /^(\w+)(?:<([\s\S]*)>)?$/u.exec(type) ?? [];
  const args = split(inner, ',');
  const of = (at: number): readonly string[] =>
    some(scriptConstants(args[at] ?? 'unknown', false), 'undefined');
  switch (name) {
    case 'Promise': {
      const held = scriptConstants(inner, false);
      return isAsync ? held : held.map((each) => `Promise.resolve(${each})`);
    }
    case 'Array':
    case 'ReadonlyArray':
    case 'Iterable':
      return ofList(args[0] ?? 'unknown');
    case 'Iterator':
    case 'Generator':
    case 'IterableIterator':
      return ofList(args[0] ?? 'unknown').map((list) => `${list}.values()`);
    case 'Set':
    case 'ReadonlySet':
      return of(0).map((each) => `new Set([${each}])`);
    case 'Map':
    case 'ReadonlyMap':
      return of(0).map((each, at) => `new Map([[${each}, ${of(1)[at] ?? of(1)[0] ?? '0'}]])`);
    case 'Record':
      return of(0).map((each, at) => `{ [${each}]: ${of(1)[at] ?? of(1)[0] ?? '0'} }`);
    default:
      return SCRIPT[name] ?? ['undefined'];
  }
}

function ofList(element: string): readonly string[] {
  return some(scriptConstants(element, false), 'undefined').map((each) => `[${each}]`);
}

const SCRIPT: Readonly<Record<string, readonly string[]>> = {
  number: ['7919', '104729'],
  bigint: ['7919n', '104729n'],
  string: ['"other"', '"another"'],
  boolean: ['true', 'false'],
  Date: ['new Date(7919)', 'new Date(104729)'],
  unknown: ['7919', '"other"'],
  any: ['7919', '"other"'],
  void: [],
  undefined: [],
  never: [],
};

/** Of an element: a list of nothing is a list. */
function some(constants: readonly string[], nothing: string): readonly string[] {
  return constants.length > 0 ? constants : [nothing];
}

/** One of each part; nothing only where no part has anything. */
function ofUnion(parts: readonly (readonly string[])[]): readonly string[] {
  const firsts = parts.flatMap((part) => part[0] ?? []);
  const all = [...new Set([...firsts, ...parts.flat()])];
  const held = all.filter((each) => !/^(?:None|null|undefined)$/u.test(each));
  return (held.length > 0 ? held : all).slice(0, 2);
}

/** At a sign that stands in no brackets. */
function split(text: string, sign: '|' | ','): string[] {
  const found = [''];
  let depth = 0;
  for (const char of text) {
    if ('[(<{'.includes(char)) depth += 1;
    if ('])>}'.includes(char)) depth -= 1;
    if (char === sign && depth === 0) found.push('');
    else found.push(`${found.pop() ?? ''}${char}`);
  }
  return found.map((each) => each.trim()).filter((each) => each !== '');
}
