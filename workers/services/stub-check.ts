/** Contracts are tried before anybody is paid: each declared surface is built and imported in a sandbox (gate.md part 2). */
import { randomUUID } from 'node:crypto';
import { exportedNames } from '../../core/contract/declaration.ts';
import { declaredExceptions } from '../../core/gate/exports/known-types.ts';
import { pythonModule } from '../../core/gate/code/wall.ts';
import { dependencyClosure } from '../../core/projection/paths.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import { buildStubs } from '../../adapters/stubs/build-stubs.ts';
import { stubSandbox } from '../../adapters/stubs/run-in-sandbox.ts';
import type { StubBuild, StubDependency, StubProblem } from '../../adapters/stubs/stub-build.ts';
import type { LoadedContracts } from '../../adapters/contracts/load.ts';
import type { Machine } from '../machine.ts';
import { overScaffold } from '../scaffold-files.ts';
import { type NodeExampleProblem, seedExampleProblems } from './seed-examples.ts';

interface PlacedProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly suggestion: string;
}

type Loaded = Pick<Extract<LoadedContracts, { ok: true }>, 'resolved'> &
  Partial<Pick<Extract<LoadedContracts, { ok: true }>, 'locate' | 'contracts'>>;

/** Every problem of these contracts, with its place in the file. Dependencies are built before their dependents. `scaffold`: a repository's files, which they may import. */
export async function checkStubs(
  machine: Machine,
  loaded: Loaded,
  declared: readonly ResolvedContract[],
  scaffold: readonly SandboxFile[] = [],
): Promise<readonly PlacedProblem[]> {
  const built = new Map<string, StubBuild>();
  const problems: PlacedProblem[] = [];
  for (const contract of declared) {
    const dependencies = dependencyClosure(loaded.resolved, contract.id).flatMap((dep) =>
      dependencyOf(dep, built.get(dep.id)),
    );
    // Nobody else's: a room of the same name, of another session too, would be taken for a former attempt and ended.
    const key = `seed-${contract.id}-${randomUUID()}`;
    const { sandbox, image, runners } = machine;
    const runnerFiles = runners.files(contract.language);
    const run = overScaffold(stubSandbox({ sandbox, image, owner: 'seed', key, runnerFiles }), scaffold);
    const result = await buildStubs(contract, run, dependencies);
    built.set(contract.id, result);
    if (!result.ok) problems.push(...result.problems.map((problem) => placed(loaded, contract, problem)));
  }
  const examples = await seedExampleProblems(machine, loaded.resolved, built, scaffold);
  return [...problems, ...examples.map((problem) => placedExample(loaded, problem))];
}

function placedExample(loaded: Loaded, problem: NodeExampleProblem): PlacedProblem {
  const { contract, index, field, reason, suggestion } = problem;
  const node = loaded.contracts?.nodes.findIndex((each) => each.id === contract.id) ?? -1;
  const at = node === -1 ? undefined : loaded.locate?.(['nodes', node, 'examples', index, field]);
  const call = contract.examples[index]?.call ?? '';
  return {
    line: at?.line ?? 1,
    column: at?.column ?? 1,
    message: `Cannot use example "${call}" of node "${contract.id}": ${reason}`,
    suggestion,
  };
}

function dependencyOf(contract: ResolvedContract, stubs: StubBuild | undefined): StubDependency[] {
  if (stubs?.ok !== true) return [];
  const module =
    contract.language === 'python'
      ? pythonModule(contract.contentFile, contract.sourceRoot)
      : `./${contract.contentFile}`;
  return [
    {
      module,
      names: [
        ...exportedNames(contract.language, contract.interface.exports),
        ...declaredExceptions(contract),
      ],
      files: stubs.stubs.raise,
    },
  ];
}

function placed(loaded: Loaded, contract: ResolvedContract, problem: StubProblem): PlacedProblem {
  const index = loaded.contracts?.nodes.findIndex((node) => node.id === contract.id) ?? -1;
  const path = [
    'nodes',
    index,
    'interface',
    problem.where,
    ...(problem.index === null ? [] : [problem.index]),
  ];
  const at = index === -1 ? undefined : loaded.locate?.(path);
  const entry = problem.index === null ? '' : ` "${entryText(contract, problem)}"`;
  return {
    line: at?.line ?? 1,
    column: at?.column ?? 1,
    message: `Cannot use ${problem.where}${entry} of node "${contract.id}": ${problem.reason}`,
    suggestion: problem.suggestion,
  };
}

function entryText(contract: ResolvedContract, problem: StubProblem): string {
  const entry = contract.interface[problem.where][problem.index ?? 0];
  const text = typeof entry === 'string' ? entry : (entry?.type ?? '');
  return text.split('\n', 1)[0] ?? '';
}
