/** Stubs of a JavaScript or TypeScript contract: written here from the syntax, imported once in the sandbox by `javascript/stubs/check.mjs`. */
import type { SgNode } from '@ast-grep/napi';
import { z } from 'zod';
import { runnerCommand } from '../../core/stubs/runner-command.ts';
import type { StubExport } from '../../core/ports/gate.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import {
  exportEntries,
  namesOfImport,
  nodeImports,
  raiseEntries,
  unknownBases,
} from './javascript-entries.ts';
import type { Entry } from './javascript-entries.ts';
import { writeModule } from './javascript-writer.ts';
import type { ModuleShape } from './javascript-writer.ts';
import type { RunInSandbox, StubBuild, StubDependency, StubProblem } from './stub-build.ts';
import { lastLine, stubTrees } from './stub-trees.ts';
import type { Declaration } from './typescript-declarations.ts';

const Check = z.strictObject({ problems: z.array(z.strictObject({ stub: z.string(), reason: z.string() })) });
/** Builds the three stub trees. @throws when the sandbox fails. */
export async function javascriptStubs(
  contract: ResolvedContract,
  runInSandbox: RunInSandbox,
  dependencies: readonly StubDependency[],
): Promise<StubBuild> {
  const problems: StubProblem[] = [];
  const entries = [...exportEntries(contract, problems), ...raiseEntries(contract, dependencies, problems)];
  problems.push(...unknownBases(entries, contract, dependencies));
  if (problems.length > 0) return { ok: false, problems };
  const shape = shapeOf(entries, contract, dependencies);
  const sources = {
    raise: writeModule('raise', shape),
    none: writeModule('none', shape),
    wrong: writeModule('wrong', shape),
  };
  const text = await runInSandbox({
    command: runnerCommand('js_check'),
    stdin: JSON.stringify({ contentFile: contract.contentFile, isCommonJs: shape.isCommonJs, sources }),
    files: dependencies.flatMap((dependency) => dependency.files),
  });
  const found = Check.parse(JSON.parse(lastLine(text))).problems[0];
  if (found !== undefined) {
    const suggestion =
      'Use values and base classes that exist when the module is imported; leave a value out if it is not part of the contract';
    return {
      ok: false,
      problems: [
        {
          where: 'exports',
          index: null,
          line: 1,
          reason: `The stub does not import: ${found.reason}`,
          suggestion,
        },
      ],
    };
  }
  return {
    ok: true,
    stubs: stubTrees(contract.contentFile, sources),
    exports: described(entries, shape, contract),
  };
}

function shapeOf(
  entries: readonly Entry[],
  contract: ResolvedContract,
  dependencies: readonly StubDependency[],
): ModuleShape {
  const declarations = inOrder(entries.map((entry) => entry.declaration));
  const errors = new Set<string>();
  for (const item of declarations) {
    const isError =
      item.kind === 'class' &&
      item.base !== null &&
      (/(Error|Exception)$/u.test(item.base) || errors.has(item.base));
    if (isError) errors.add(item.name);
  }
  const needed = new Set(
    declarations.flatMap((item) => (item.kind === 'class' && item.base !== null ? [item.base] : [])),
  );
  const isCommonJs = contract.contentFile.endsWith('.cjs');
  const written = contract.interface.imports.filter((line) =>
    namesOfImport(line).some((name) => needed.has(name)),
  );
  const have = new Set(written.flatMap(namesOfImport));
  const offered = dependencies.flatMap(({ module, names }) =>
    names
      .filter((name) => needed.has(name) && !have.has(name))
      .map((name) => `import { ${name} } from '${module}';`),
  );
  return {
    declarations,
    errors,
    imports: [...written, ...offered, ...nodeImports(needed, contract)].map((line) =>
      isCommonJs ? asRequire(line) : line,
    ),
    isCommonJs,
    isTyped: contract.language === 'typescript',
    scope: {
      classes: new Set(declarations.filter((item) => item.kind === 'class').map((item) => item.name)),
      enums: new Set(declarations.filter((item) => item.kind === 'enum').map((item) => item.name)),
      aliases: new Map(
        declarations.flatMap((item) => (item.kind === 'alias' ? [[item.name, item.type] as const] : [])),
      ),
      parents: new Map(
        declarations.flatMap((item) => (item.kind === 'alias' ? [[item.name, item.parents] as const] : [])),
      ),
      salt: 0,
    },
  };
}

/** Classes and enums before what is made of them; base classes before the classes that extend them. */
function inOrder(declarations: readonly Declaration[]): Declaration[] {
  const byName = new Map(declarations.map((item) => [item.name, item]));
  const done = new Set<Declaration>();
  const visit = (item: Declaration, depth: number): void => {
    const base = item.kind === 'class' && item.base !== null ? byName.get(item.base) : undefined;
    if (base !== undefined && !done.has(base) && depth < declarations.length) visit(base, depth + 1);
    done.add(item);
  };
  for (const item of declarations) if (item.kind === 'class' || item.kind === 'enum') visit(item, 0);
  for (const item of declarations) visit(item, 0);
  return [...done];
}

function asRequire(line: string): string {
  return line.replace(
    /^\s*import\s+(\{[^}]*\}|[\w$]+)\s+from\s+(['"][^'"]+['"]);?$/u,
    'const $1 = require($2);',
  );
}

function described(entries: readonly Entry[], shape: ModuleShape, contract: ResolvedContract): StubExport[] {
  const inert = new Set(contract.interface.inert);
  const bare = new Set(entries.flatMap(({ declaration }) => (isBare(declaration) ? [declaration.name] : [])));
  return entries.flatMap(({ declaration, clauseId }): StubExport[] => {
    const isInert = declaration.kind === 'alias' || inert.has(declaration.name);
    const kind = shape.errors.has(declaration.name) ? 'exception' : declaration.kind;
    const isCall = declaration.kind === 'function';
    const own: StubExport = {
      name: declaration.name,
      kind,
      callable: isCall,
      async: isCall && declaration.call.isAsync,
      inert: isInert,
      fixed: isCall && isFixed(declaration.call.returns, bare),
      clauseId,
    };
    const methods =
      declaration.kind === 'class' ? methodsOf(declaration, { isInert, inert, bare, clauseId }) : [];
    return [own, ...methods];
  });
}

interface ClassFacts {
  readonly isInert: boolean;
  readonly inert: ReadonlySet<string>;
  readonly bare: ReadonlySet<string>;
  readonly clauseId: string;
}

function methodsOf(
  item: Extract<Declaration, { kind: 'class' }>,
  { isInert, inert, bare, clauseId }: ClassFacts,
): StubExport[] {
  // Nobody can call what is abstract: its overrides are declared where they are.
  const callable = item.members.filter(
    (member) => ['method', 'get', 'set'].includes(member.kind) && !member.isAbstract,
  );
  return [...new Set(callable.map((member) => member.name))].map((key) => {
    const members = callable.filter((member) => member.name === key);
    const name = `${item.name}.${key}`;
    return {
      name,
      kind: 'method',
      callable: true,
      async: members.at(-1)?.call.isAsync ?? false,
      inert: isInert || inert.has(name),
      fixed: members.every((member) => member.kind === 'set' || isFixed(member.call.returns, bare)),
      clauseId,
    };
  });
}

const NOTHING = /^(?:Promise(?:Like)?<\s*)?(?:void|undefined|null|never)\s*>?$|^:?\s*asserts\b/u;

/** Whether no other value of the declared type can be given than `wrong` would give anyway. */
function isFixed(returns: SgNode | null, bare: ReadonlySet<string>): boolean {
  const text = returns?.text() ?? '';
  return NOTHING.test(text) || bare.has(text);
}

/** A class of whose objects only the class can be asserted. */
function isBare(item: Declaration): boolean {
  return (
    item.kind === 'class' &&
    item.base === null &&
    item.members.every((member) => member.kind === 'constructor')
  );
}
