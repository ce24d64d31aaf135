/** Writes the three stubs of a JavaScript module from its declarations (gate.md part 3): `raise`, `none`, `wrong`. */
import type { StubKind } from '../../schemas/report.ts';
import { PRELUDE } from './javascript-prelude.ts';
import { otherConstant, wrongValue } from './javascript-wrong.ts';
import type { WrongScope } from './javascript-wrong.ts';
import type { Callable, Declaration, Member } from './typescript-declarations.ts';

export interface ModuleShape {
  readonly declarations: readonly Declaration[];
  /** Names of exported classes that are errors. */
  readonly errors: ReadonlySet<string>;
  /** Import lines for names that are needed at run time. */
  readonly imports: readonly string[];
  readonly isCommonJs: boolean;
  /** TypeScript: its enums have a name for each number. */
  readonly isTyped: boolean;
  readonly scope: WrongScope;
}

type ClassDeclaration = Extract<Declaration, { kind: 'class' }>;
type EnumDeclaration = Extract<Declaration, { kind: 'enum' }>;

/** Source text of one stub. */
export function writeModule(stub: StubKind, shape: ModuleShape): string {
  const kinds = Object.fromEntries(shape.declarations.flatMap((item) => kindsOf(item, shape)));
  const runtime = shape.declarations.filter((item) => item.kind !== 'alias');
  const lines = [
    ...shape.imports,
    // Two stubs give two wrong values while the suite is loaded: what it derives names of tests from differs then.
    `${PRELUDE}const a7Second = ${stub === 'none' ? 'true' : 'a7Marker?.second === true'};`,
    `if (a7Marker !== undefined) a7Marker.declare(${JSON.stringify(kinds)});`,
    ...runtime.map((item) => declaration(item, stub, shape)),
    ...watches(runtime, shape),
    ...exportsOf(runtime, shape.isCommonJs),
  ];
  return `${lines.join('\n')}\n`;
}

/** The kind of an export and of its methods, by label. */
function kindsOf(item: Declaration, shape: ModuleShape): [string, string][] {
  const kind = shape.errors.has(item.name) ? 'exception' : item.kind;
  const members = item.kind === 'class' ? item.members : [];
  const called = members.filter((member) => member.kind !== 'field' && member.kind !== 'constructor');
  return [
    [item.name, kind],
    ...called.map((member): [string, string] => [`${item.name}.${member.name}`, 'method']),
  ];
}

/** Data tells when it is read: classes and enums by themselves, constants by whoever asks for their names. */
function watches(declarations: readonly Declaration[], { errors }: ModuleShape): string[] {
  const constants = declarations.filter((item) => item.kind === 'constant' && !item.isDefault);
  const open = declarations
    // On `wrong`, where tests are played through, an error has no base.
    .filter((item) => item.kind === 'class' && (item.base === null || errors.has(item.name)))
    .map((item) => `if (a7Through) Object.setPrototypeOf(${localName(item)}.prototype, a7Open);`);
  const told = declarations
    .filter((item) => item.kind === 'class' || item.kind === 'enum')
    .map(
      (item) => `${localName(item)} = a7Marker.watched(${JSON.stringify(item.name)}, ${localName(item)});`,
    );
  const functions = declarations
    .filter((item) => item.kind === 'function')
    .map((item) => `${JSON.stringify(item.name)}: ${localName(item)}`);
  const known =
    constants.length === 0 ? [] : [`a7Marker.constants({ ${constants.map(localName).join(', ')} });`];
  const given = functions.length === 0 ? [] : [`a7Marker.functions({ ${functions.join(', ')} });`];
  return [`if (a7Marker !== undefined) {`, ...open, ...told, ...known, ...given, '}'];
}

function exportsOf(declarations: readonly Declaration[], isCommonJs: boolean): string[] {
  const named = declarations.filter((item) => !item.isDefault).map((item) => item.name);
  const fallback = declarations.find((item) => item.isDefault);
  const local = fallback === undefined ? null : localName(fallback);
  if (!isCommonJs)
    return [`export { ${[...named, ...(local === null ? [] : [`${local} as default`])].join(', ')} };`];
  const target = local === null ? `module.exports = {};` : `module.exports = ${local};`;
  return [
    target,
    `Object.assign(module.exports, { ${named.join(', ')} });`,
    ...declarations
      .filter((item) => item.kind === 'constant' && !item.isDefault)
      .map(
        ({ name }) =>
          `Object.defineProperty(module.exports, '${name}', { enumerable: true, get: () => (a7Marker?.made('${name}'), ${name}) });`,
      ),
    ...(local === null ? [] : [`module.exports.default = ${local};`]),
  ];
}

function localName(item: Declaration): string {
  return item.name === 'default' ? 'a7Default' : item.name;
}

function declaration(item: Declaration, stub: StubKind, shape: ModuleShape): string {
  const name = localName(item);
  switch (item.kind) {
    case 'function':
      return `${asyncWord(item.call, stub)}function ${name}${body(item.call, item.name, stub, shape)}`;
    case 'constant':
      return `const ${name} = ${stub === 'wrong' || item.value === null ? otherConstant(item.type, item.value, shape.scope) : item.value};`;
    case 'enum':
      return enumeration(item, name, stub, shape);
    // It is replaced by what tells of its reads.
    case 'class':
      return shape.errors.has(item.name)
        ? errorClass(item, name, stub, shape)
        : plainClass(item, name, stub, shape);
    case 'alias':
      return '';
  }
}

/** Parameters and body of a callable. */
function body(call: Callable, label: string, stub: StubKind, shape: ModuleShape): string {
  const params = Array.from({ length: call.paramCount }, (_, at) => `_p${String(at)}`).join(', ');
  const reach = `a7Reach(${JSON.stringify(label)})`;
  const own = { ...shape.scope, salt: saltOf(label, shape) };
  const value =
    call.returns?.text() === 'this'
      ? `a7Second ? a7Instance(() => this.constructor, ${String(own.salt)}) : this`
      : wrongValue(call.returns, own);
  switch (stub) {
    case 'raise':
      return `(${params}) { if (${reach}) return ${value}; throw new A7StubCalled(${JSON.stringify(label)}); }`;
    case 'none':
      return `(${params}) { return ${reach} ? (${value}) : undefined; }`;
    case 'wrong': {
      const given = `a7Silent.has(${JSON.stringify(label)}) ? undefined : ${value}`;
      return `(${params}) { ${reach}; a7CallBack(arguments); a7End(${JSON.stringify(label)}); return ${call.isAsync ? `a7Promised(${given})` : given}; }`;
    }
  }
}

/** On `wrong` a promise is made by hand: a loose run has none. */
function asyncWord(call: Callable, stub: StubKind): string {
  return call.isAsync && stub !== 'wrong' ? 'async ' : '';
}

/** Another number for each callable. */
function saltOf(label: string, shape: ModuleShape): number {
  const labels = shape.declarations.flatMap((item) => kindsOf(item, shape).map(([name]) => name));
  return labels.indexOf(label) + 1;
}

function plainClass(item: ClassDeclaration, name: string, stub: StubKind, shape: ModuleShape): string {
  const start = item.members.find((member) => member.kind === 'constructor');
  const base = stub === 'wrong' ? `(a7Loose ? Object : ${item.base ?? ''})` : (item.base ?? '');
  const inherited = item.base === null ? '' : ` extends ${base}`;
  const once = stub === 'wrong' ? ' a7Given(arguments); if (a7Loose) return a7One(new.target, this);' : '';
  const args = item.base === null ? '' : '...args';
  const arity = item.base === null ? paramList(start) : args;
  const lines = [
    `  constructor(${arity}) { ${item.base === null ? '' : 'super(...args); '}a7Built(${JSON.stringify(item.name)});${once} }`,
  ];
  lines.push(...fields(item.members, stub, shape), ...methods(item, stub, shape));
  return `let ${name} = class ${name}${inherited} {\n${lines.join('\n')}\n};`;
}

function paramList(member: Member | undefined): string {
  return Array.from({ length: member?.call.paramCount ?? 0 }, (_, at) => `_p${String(at)}`).join(', ');
}

/** Another parent, no message, wrong attributes on \`wrong\`; else the declared class. */
function errorClass(item: ClassDeclaration, name: string, stub: StubKind, shape: ModuleShape): string {
  const rest = [...fields(item.members, stub, shape), ...methods(item, stub, shape)];
  if (stub === 'wrong') return `let ${name} = class ${name} {\n${rest.join('\n')}\n};`;
  return `let ${name} = class ${name} extends ${item.base ?? 'Error'} {\n${rest.join('\n')}\n};`;
}

function fields(members: readonly Member[], stub: StubKind, shape: ModuleShape): string[] {
  return members
    .filter((member) => member.kind === 'field' && (stub !== 'raise' || member.value !== null))
    .map((member) => {
      const declared = member.value ?? 'undefined';
      const wrong = otherConstant(member.type, member.value, shape.scope);
      // What is set on a wrong object is lost: else "set, then read" is green on every stub.
      if (stub === 'wrong' && !member.isStatic)
        return `  get ${member.name}() { return ${wrong}; }\n  set ${member.name}(_value) {}`;
      return `  ${member.isStatic ? 'static ' : ''}${member.name} = ${stub === 'wrong' ? wrong : declared};`;
    });
}

function methods(item: ClassDeclaration, stub: StubKind, shape: ModuleShape): string[] {
  const seen = new Set<string>();
  return item.members.flatMap((member) => {
    if (member.kind === 'field' || member.kind === 'constructor') return [];
    const key = `${member.kind} ${String(member.isStatic)} ${member.name}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const label = `${item.name}.${member.name}`;
    const words = [
      member.isStatic ? 'static ' : '',
      asyncWord(member.call, stub),
      member.kind === 'method' ? '' : `${member.kind} `,
    ];
    const text = member.kind === 'set' ? setter(label, stub) : body(member.call, label, stub, shape);
    const line = `  ${words.join('')}${member.name}${text}`;
    const hasSetter = item.members.some(
      (other) => other.kind === 'set' && other.name === member.name && other.isStatic === member.isStatic,
    );
    // What can only be read can also be assigned: else "assigning it throws" is green on every stub.
    const isOpened = stub === 'wrong' && member.kind === 'get' && !hasSetter;
    return isOpened ? [line, `  ${words[0] ?? ''}set ${member.name}${setter(label, stub)}`] : [line];
  });
}

function setter(label: string, stub: StubKind): string {
  const fail = stub === 'raise' ? ` throw new A7StubCalled(${JSON.stringify(label)});` : '';
  return `(_value) { a7Reach(${JSON.stringify(label)});${fail} }`;
}

function enumeration(item: EnumDeclaration, name: string, stub: StubKind, { isTyped }: ModuleShape): string {
  const declared = declaredValues(item);
  const values = item.members.map(({ name: member }) => {
    const value = declared.get(member) ?? 'undefined';
    return `${member}: ${stub === 'wrong' ? otherConstant(null, value, NO_SCOPE) : value}`;
  });
  const all = `{ ${[...values, ...(stub === 'wrong' ? ["A7_WRONG: 'a7-wrong'"] : [])].join(', ')} }`;
  const made = isTyped ? `a7Enum(${all})` : all;
  return `let ${name} = ${stub === 'wrong' ? made : `Object.freeze(${made})`};`;
}

/** The value of each member; one that names earlier members (`All = Read | Write`) is written with their values. */
function declaredValues(item: EnumDeclaration): Map<string, string> {
  const known = new Map<string, string>();
  for (const [at, member] of item.members.entries()) {
    const value = member.value ?? String(at);
    const names = new RegExp(`(?:\\b${item.name}\\.)?\\b([A-Za-z_]\\w*)\\b`, 'gu');
    const isText = /^['"`]/u.test(value);
    const plain = value.replace(names, (text: string, name: string) =>
      known.has(name) ? `(${known.get(name) ?? ''})` : text,
    );
    known.set(member.name, isText ? value : plain);
  }
  return known;
}

const NO_SCOPE: WrongScope = {
  classes: new Set(),
  enums: new Set(),
  aliases: new Map(),
  parents: new Map(),
  salt: 0,
};
