/**
 * Examples are tried at `seed`, on stubs that only say that they were called: one that cannot be evaluated, names what nobody
 * defines or passes arguments that the declaration does not take would be refused for every code (issue: nobody could build it).
 * One room a language, whatever the number of nodes.
 */
import { randomUUID } from 'node:crypto';
import { type ExampleProblem, exampleProblems } from '../../core/contract/example-check.ts';
import { pythonModule } from '../../core/gate/code/wall.ts';
import { exportedNames } from '../../core/contract/declaration.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import { runnerCommand } from '../../core/stubs/runner-command.ts';
import { dependencyClosure } from '../../core/projection/paths.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { Failure } from '../../schemas/runner-report.ts';
import { RunnerLine } from '../../schemas/runner-report.ts';
import { stubSandbox } from '../../adapters/stubs/run-in-sandbox.ts';
import type { StubBuild } from '../../adapters/stubs/stub-build.ts';
import { initFiles, textFile } from '../../adapters/stubs/stub-trees.ts';
import type { Machine } from '../machine.ts';
import { overScaffold } from '../scaffold-files.ts';
import { strictJson } from '../../core/text/strict-json.ts';

/** A node whose stubs stand, so that its examples can be tried. */
interface Tried {
  readonly contract: ResolvedContract;
  readonly stubs: Extract<StubBuild, { ok: true }>;
}

export interface NodeExampleProblem extends ExampleProblem {
  readonly contract: ResolvedContract;
}

const EXAMPLE_TIMEOUT_MS = 2_000;
const ASKED = '.examples';

/** Problems of all examples of these nodes; those whose stubs could not be made are told elsewhere. */
export async function seedExampleProblems(
  machine: Machine,
  all: readonly ResolvedContract[],
  built: ReadonlyMap<string, StubBuild>,
  scaffold: readonly SandboxFile[] = [],
): Promise<readonly NodeExampleProblem[]> {
  const nodes = all.filter((each) => built.has(each.id) && each.examples.length > 0);
  const told = nodes.flatMap((contract) =>
    exampleProblems(contract, dependencyClosure(all, contract.id)).map((problem) => ({
      ...problem,
      contract,
    })),
  );
  const python = nodes.filter((each) => each.language === 'python');
  const others = nodes.filter((each) => each.language !== 'python');
  const tried = await Promise.all(
    [python, others].map((some) => tryAll(machine, all, built, some, scaffold)),
  );
  const isTold = (problem: NodeExampleProblem): boolean =>
    told.some((each) => each.contract === problem.contract && each.index === problem.index);
  return [...told, ...tried.flat().filter((problem) => !isTold(problem))];
}

async function tryAll(
  machine: Machine,
  all: readonly ResolvedContract[],
  built: ReadonlyMap<string, StubBuild>,
  contracts: readonly ResolvedContract[],
  scaffold: readonly SandboxFile[],
): Promise<readonly NodeExampleProblem[]> {
  const nodes = contracts.flatMap((contract) => triedOf(contract, built.get(contract.id)));
  const [first] = nodes;
  if (first === undefined) return [];
  const { sandbox, image, runners } = machine;
  const room = stubSandbox({
    sandbox,
    image,
    owner: 'seed',
    key: `seed-examples-${randomUUID()}`,
    runnerFiles: runners.files(
      nodes.some((each) => each.contract.language === 'typescript') ? 'typescript' : first.contract.language,
    ),
  });
  const run = overScaffold(room, scaffold);
  const { argv, env } = runnerCommand(first.contract.language === 'python' ? 'py_examples' : 'node_examples');
  const script = `for f in /work/${ASKED}/*.json; do "$@" < "$f" > /dev/null 2>&1; done; cat /tmp/examples-*.jsonl 2>/dev/null || true`;
  const text = await run({
    command: { argv: ['sh', '-c', script, 'sh', ...argv], env },
    stdin: '',
    files: [...stubFiles(built, all), ...nodes.map((node, at) => question(node, at, all))],
  });
  return nodes.flatMap((node, at) => readAnswers(node, failuresOf(text, at)));
}

function triedOf(contract: ResolvedContract, stubs: StubBuild | undefined): Tried[] {
  return stubs?.ok === true ? [{ contract, stubs }] : [];
}

/** Stubs of all nodes together: their files are disjoint. */
function stubFiles(
  built: ReadonlyMap<string, StubBuild>,
  all: readonly ResolvedContract[],
): readonly SandboxFile[] {
  const files = new Map<string, SandboxFile>();
  for (const contract of all) {
    const stubs = built.get(contract.id);
    if (stubs?.ok !== true) continue;
    const inits = contract.language === 'python' ? initFiles(contract) : [];
    for (const file of [...inits, ...stubs.stubs.raise]) files.set(file.path, file);
  }
  return [...files.values()];
}

function question({ contract }: Tried, at: number, all: readonly ResolvedContract[]): SandboxFile {
  const offered =
    contract.language === 'python' ? dependencyClosure(all, contract.id).flatMap(importLine) : [];
  const asked = {
    nonce: nonceOf(at),
    reportPath: `/tmp/examples-${nonceOf(at)}.jsonl`,
    testTimeoutMs: EXAMPLE_TIMEOUT_MS,
    contentFile: contract.contentFile,
    module: pythonModule(contract.contentFile, contract.sourceRoot),
    imports: [...contract.interface.imports, ...offered],
    examples: contract.examples,
  };
  return textFile(`${ASKED}/${nonceOf(at)}.json`, JSON.stringify(asked));
}

/** Code that uses a dependency imports its names, and so may an example. */
function importLine(dependency: ResolvedContract): string[] {
  const names = exportedNames('python', dependency.interface.exports);
  return names.length === 0
    ? []
    : [`from ${pythonModule(dependency.contentFile, dependency.sourceRoot)} import ${names.join(', ')}`];
}

function nonceOf(at: number): string {
  return `node${String(at).padStart(6, '0')}`;
}

/** Failures by the number of the example. Lines of the report between its own start and end. */
function failuresOf(text: string, at: number): ReadonlyMap<number, Failure> {
  const failures = new Map<number, Failure>();
  let isOwn = false;
  for (const row of text.split('\n')) {
    const line = RunnerLine.safeParse(strictJson(row));
    if (!line.success) continue;
    if (line.data.kind === 'start') isOwn = line.data.nonce === nonceOf(at);
    if (!isOwn || line.data.kind !== 'test' || line.data.failure === null) continue;
    const index = /^example (\d+)$/.exec(line.data.id.name)?.[1];
    if (index !== undefined) failures.set(Number(index), line.data.failure);
  }
  return failures;
}

function readAnswers({ contract }: Tried, failures: ReadonlyMap<number, Failure>): NodeExampleProblem[] {
  return [...failures].flatMap(([index, failure]) => {
    const suggestion = suggestionFor(contract, failure);
    if (suggestion === null) return [];
    const reason = `it cannot be evaluated: ${failure.exceptionType}: ${failure.message.split('\n', 1)[0] ?? ''}`;
    return [{ contract, index, field: 'call' as const, reason, suggestion }];
  });
}

/** Null for what a stub is expected to do: say that it was called, or give a value of its own. */
function suggestionFor(contract: ResolvedContract, { exceptionType, message }: Failure): string | null {
  const type = exceptionType.split('.').at(-1) ?? '';
  if (type === 'SyntaxError' || type === 'IndentationError')
    return contract.language === 'python'
      ? "Write one Python expression, such as parse_money('12.30')"
      : "Write one JavaScript expression, such as parseMoney('12.30') or await load('a')";
  if (type === 'NameError' || type === 'ReferenceError')
    return 'Use names that the node exports, its dependencies export, or interface.imports brings in';
  if (type === 'AttributeError' && /has no attribute/u.test(message))
    return 'Use members that the declarations list';
  if (type !== 'TypeError') return null;
  if (/argument/u.test(message)) return 'Give the arguments that the declaration takes';
  return / is not a (function|constructor)\b/u.test(message)
    ? 'Use members that the declarations list'
    : null;
}
