/** What a run behind the glass wall adds: which files lie on which side, and what each side is told (gate.md parts 10 and 11). */
import { defaultExportName, exportedNames } from '../../core/contract/declaration.ts';
import { isNodeFile, isSuiteFile } from '../../core/gate/gate-files.ts';
import { declaredExceptions } from '../../core/gate/exports/known-types.ts';
import { typeShapes, valueShapes } from '../../core/gate/exports/value-shapes.ts';
import { mayExit, mayKeepAssertions, pythonModule } from '../../core/gate/code/wall.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import { RUNNER_MOUNT, runnerCommand } from '../../core/stubs/runner-command.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { GateLimits } from '../../schemas/gate-plan.ts';
import type { Language } from '../../schemas/ids.ts';
import { CODE_DIR } from './programs.ts';

/** What a side of the wall runs. */
export type WallProgram = 'suite' | 'builder' | 'examples';

/** Part of a test's limit that one call may take, and of the wall limit that all calls together may. */
const CALL_SHARE = 0.9;
const BUDGET_SHARE = 0.8;

export interface WallSides {
  /** For the trusted side: the suite, and what says how a folder is imported. */
  readonly trusted: readonly SandboxFile[];
  /** For the builder's side: everything but the suite. */
  readonly guest: readonly SandboxFile[];
}

/** The command of a Python program of the wall. */
export function pythonWallArgv(program: WallProgram | 'scan'): readonly string[] {
  return runnerCommand(`py_wall_${program}`).argv;
}

/** The command of a program of the wall; in JavaScript the runners themselves know the trusted side. */
export function wallArgv(language: Language, program: WallProgram, limits: GateLimits): readonly string[] {
  if (language === 'python') return pythonWallArgv(program);
  if (program === 'builder') {
    // The room's own limit is to be hit before V8 gives up.
    const mebibytes = Math.ceil(limits.memoryBytes / 1_048_576);
    return ['sh', `${RUNNER_MOUNT}/javascript/wall/builder_side/loop.sh`, CODE_DIR, String(mebibytes)];
  }
  return runnerCommand(program === 'suite' ? 'node_joined' : 'node_examples').argv;
}

/** The second process of the builder's code, where a suite can build values of a declared data class (gate.md part 12). */
export function oracleArgv(
  contract: ResolvedContract,
  dependencies: readonly ResolvedContract[],
): readonly string[] | undefined {
  return hasDataClass([contract, ...dependencies]) ? [...pythonWallArgv('builder'), 'oracle'] : undefined;
}

function hasDataClass(nodes: readonly ResolvedContract[]): boolean {
  return nodes.some(
    ({ language, interface: { exports } }) =>
      language === 'python' && exports.some((text) => /^@.*\bdataclass\b|\(.*\bNamedTuple\b/mu.test(text)),
  );
}

/** Who sees what: code lies on the builder's side only, the suite on the trusted side only. */
export function wallSides(
  files: readonly SandboxFile[],
  contract: ResolvedContract,
  dependencies: readonly ResolvedContract[],
): WallSides {
  const isCode = (path: string): boolean =>
    [contract, ...dependencies].some((node) => isNodeFile(path, node));
  const suite = files.filter((file) => isSuiteFile(file.path, contract));
  const packages = files.filter(
    (file) => isPackage(file, contract.language) && !isCode(file.path) && !isSuiteFile(file.path, contract),
  );
  return {
    trusted: [...suite, ...packages],
    guest: files.filter((file) => !isSuiteFile(file.path, contract)),
  };
}

/** An empty `__init__.py`, or the `package.json` that says which module system a folder has. */
function isPackage(file: SandboxFile, language: Language): boolean {
  if (language !== 'python') return /(?:^|\/)package\.json$/u.test(file.path);
  return file.path.endsWith('/__init__.py') && file.bytes.byteLength === 0;
}

/** `wall` of the runner's input: the declarations that the trusted side makes types of, and deadlines. */
export function wallInput(
  contract: ResolvedContract,
  dependencies: readonly ResolvedContract[],
  limits: GateLimits,
): Readonly<Record<string, unknown>> {
  const nodes = [contract, ...dependencies.filter((each) => each.id !== contract.id)];
  const modules = contract.language === 'python' ? pythonModules(nodes) : scriptModules(nodes);
  return {
    modules,
    ...(contract.language === 'python' ? { oracle: hasDataClass(nodes) } : { types: typeShapes(nodes) }),
    exits: mayExit(contract),
    asserts: mayKeepAssertions(contract),
    ...wallTimes(limits),
  };
}

/** How long one call may take, and all together. */
export function wallTimes(limits: GateLimits): {
  readonly callTimeoutMs: number;
  readonly budgetMs: number;
} {
  return {
    callTimeoutMs: Math.round(limits.testTimeoutMs * CALL_SHARE),
    budgetMs: Math.round(limits.wallMs * BUDGET_SHARE),
  };
}

function pythonModules(nodes: readonly ResolvedContract[]): readonly unknown[] {
  const offers = nodes.map((node) => ({
    module: pythonModule(node.contentFile, node.sourceRoot),
    names: offered(node),
  }));
  return nodes.map((node, index) => ({
    module: offers[index]?.module,
    imports: node.interface.imports,
    exports: node.interface.exports,
    raises: node.interface.raises,
    // Nothing depends on the first: what it raises may be defined by another.
    offered: offers.filter((_offer, other) => other !== index && other !== 0),
  }));
}

function scriptModules(nodes: readonly ResolvedContract[]): readonly unknown[] {
  return nodes.map((node) => ({
    module: node.contentFile,
    names: offered(node),
    defaultName: defaultExportName(node.language, node.interface.exports),
    shapes: valueShapes(node, nodes),
  }));
}

/** Names that a node's module offers: its exports and the errors that it raises. */
export function offered(node: ResolvedContract): string[] {
  // An error may stand in both lists, an overloaded function twice in one.
  return [...new Set([...exportedNames(node.language, node.interface.exports), ...declaredExceptions(node)])];
}
