/** The declarations of a JavaScript contract with their places and clauses, and what is wrong with them (gate.md part 2). */
import { raiseName } from '../../core/gate/suite/clauses.ts';
import type { RaiseEntry, ResolvedContract } from '../../schemas/contract.ts';
import type { StubDependency, StubProblem } from './stub-build.ts';
import { parseDeclaration } from './typescript-declarations.ts';
import type { Declaration } from './typescript-declarations.ts';

export interface Entry {
  readonly declaration: Declaration;
  readonly clauseId: string;
  readonly where: 'exports' | 'raises';
  readonly index: number;
}

const ERRORS = new Set([
  'Error',
  'AggregateError',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
]);
const GLOBALS = new Set([
  ...ERRORS,
  'Array',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'Object',
  'Promise',
  'Date',
  'RegExp',
  'EventTarget',
  'Event',
]);

/** Base classes of Node's own modules, which a contract may name without an import line. */
const NODE_CLASSES: Readonly<Record<string, string>> = {
  EventEmitter: 'node:events',
  Readable: 'node:stream',
  Writable: 'node:stream',
  Duplex: 'node:stream',
  Transform: 'node:stream',
};

/** Import lines for those that nothing else defines. */
export function nodeImports(names: ReadonlySet<string>, contract: ResolvedContract): string[] {
  const imported = new Set(importedNames(contract));
  const declared = contract.interface.exports.flatMap((text) => /\bclass\s+([\w$]+)/u.exec(text)?.[1] ?? []);
  return Object.entries(NODE_CLASSES)
    .filter(([name]) => names.has(name) && !imported.has(name) && !declared.includes(name))
    .map(([name, module]) => `import { ${name} } from '${module}';`);
}

/** Declarations of `exports`; adds to `problems` what does not parse or comes twice. */
export function exportEntries(contract: ResolvedContract, problems: StubProblem[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const [index, statement] of contract.interface.exports.entries()) {
    const parsed = parseDeclaration(statement);
    if (!parsed.ok) {
      problems.push({
        where: 'exports',
        index,
        line: parsed.line,
        reason: parsed.reason,
        suggestion: parsed.suggestion,
      });
      continue;
    }
    const declaration = parsed.declarations[0];
    if (declaration === undefined) continue;
    const earlier = entries.get(declaration.name);
    if (earlier === undefined)
      entries.set(declaration.name, {
        declaration,
        clauseId: `E${String(index + 1)}`,
        where: 'exports',
        index,
      });
    else if (earlier.declaration.kind !== 'function' || declaration.kind !== 'function') {
      const reason = `'${declaration.name}' is declared twice`;
      problems.push({
        where: 'exports',
        index,
        line: 1,
        reason,
        suggestion: 'Keep one of the two declarations',
      });
    }
  }
  return [...entries.values()];
}

/** Errors that `raises` declares and nothing else defines. */
export function raiseEntries(
  contract: ResolvedContract,
  dependencies: readonly StubDependency[],
  problems: StubProblem[],
): Entry[] {
  const taken = new Set([
    ...ERRORS,
    ...importedNames(contract),
    ...dependencies.flatMap((item) => item.names),
  ]);
  for (const statement of contract.interface.exports)
    for (const match of statement.matchAll(/\bclass\s+([\w$]+)/gu)) taken.add(match[1] ?? '');
  return contract.interface.raises.flatMap((entry, index) => {
    const name = raiseName(entry).replace(/\s+extends\s+.*$/u, '');
    if (!/^[A-Za-z_$][\w$]*$/u.test(name)) {
      const reason = `'${name}' is not the name of an error`;
      problems.push({
        where: 'raises',
        index,
        line: 1,
        reason,
        suggestion: 'Write Name or Name(Base), for example PriceError(RangeError)',
      });
      return [];
    }
    if (taken.has(name)) return [];
    taken.add(name);
    const declaration: Declaration = {
      kind: 'class',
      name,
      isDefault: false,
      base: raiseBase(entry),
      members: [],
    };
    return [{ declaration, clauseId: `R${String(index + 1)}`, where: 'raises' as const, index }];
  });
}

function raiseBase(entry: RaiseEntry): string {
  const text = typeof entry === 'string' ? entry : entry.type;
  return /(?:\(|\bextends\s+)\s*([\w$]+)/u.exec(text)?.[1] ?? 'Error';
}

/** Base classes that nothing defines. */
export function unknownBases(
  entries: readonly Entry[],
  contract: ResolvedContract,
  dependencies: readonly StubDependency[],
): StubProblem[] {
  const known = new Set([
    ...GLOBALS,
    ...Object.keys(NODE_CLASSES),
    ...importedNames(contract),
    ...dependencies.flatMap((item) => item.names),
  ]);
  for (const { declaration } of entries) if (declaration.kind === 'class') known.add(declaration.name);
  return entries.flatMap(({ declaration, where, index }) => {
    if (declaration.kind !== 'class' || declaration.base === null || known.has(declaration.base)) return [];
    const reason = `The base class '${declaration.base}' is not defined`;
    const suggestion = `Declare '${declaration.base}' as an export or a raise, or add its import line to 'imports'`;
    return [{ where, index, line: 1, reason, suggestion }];
  });
}

function importedNames(contract: ResolvedContract): string[] {
  return contract.interface.imports.flatMap(namesOfImport);
}

/** Local names that a value import binds. */
export function namesOfImport(line: string): string[] {
  const clause = /^\s*import\s+(?!type\b)([^]*?)\s+from\b/u.exec(line)?.[1] ?? '';
  return clause
    .split(/[{},]/u)
    .map((part) => part.replace(/^.*\bas\s+/u, '').trim())
    .filter((part) => part !== '' && !part.startsWith('type '));
}
