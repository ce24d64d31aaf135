/** Makes the three stubs of a contract in a clean room: its expressions are evaluated there, never here (gate.md part 2). */
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import { declaredNames } from '../../core/contract/declaration.ts';
import { declaredExceptions } from '../../core/gate/known-types.ts';
import { DEFAULT_LIMITS, suiteRunnerOf } from '../../core/gate/plan.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { CommandRecord, StubKind } from '../../schemas/report.ts';
import { StubAnswer, type StubExport, type StubProblem } from '../../schemas/stub-answer.ts';
import { WORK_DIR } from './programs.ts';
import { runProgram, type RoomContext } from './room.ts';

export type StubSet =
  | {
      readonly status: 'made';
      readonly files: Readonly<Record<StubKind, SandboxFile>>;
      readonly exports: readonly StubExport[];
      readonly record: CommandRecord;
    }
  /** The contract's declarations do not work: `seed` refuses such a contract with these problems. */
  | { readonly status: 'refused'; readonly problems: readonly StubProblem[]; readonly record: CommandRecord }
  | { readonly status: 'lost'; readonly reason: string; readonly record: CommandRecord };

/** @param files the tree that declarations may import from: scaffold and dependencies. */
export async function makeStubs(context: RoomContext, files: readonly SandboxFile[]): Promise<StubSet> {
  const { contract, dependencies = [] } = context.request;
  const runner = suiteRunnerOf(contract);
  if (runner === null)
    throw new RangeError(
      `Cannot make stubs of "${contract.id}": there is no runner for ${contract.language}`,
    );
  const { exports, imports, raises, inert } = contract.interface;
  const { result, record } = await runProgram(context, {
    name: 'stubs',
    runner,
    program: 'stubs',
    files,
    input: {
      exports,
      imports,
      raises,
      inert,
      contentFile: contract.contentFile,
      workDir: WORK_DIR,
      dependencies: dependencies.map(described),
    },
    limits: DEFAULT_LIMITS,
    hashSeed: context.environment.hashSeeds[0],
  });
  if (result.outcome.kind !== 'exited' || result.stdout.truncated) {
    return { status: 'lost', reason: `The stub program ended: ${record.outcome}`, record };
  }
  const answer = parseAnswer(result.stdout.text);
  if (answer === null) return { status: 'lost', reason: 'The stub program gave no usable answer', record };
  if (!answer.ok) return { status: 'refused', problems: answer.problems, record };
  const file = (text: string): SandboxFile => ({
    path: contract.contentFile,
    bytes: new TextEncoder().encode(text),
  });
  const { raise, none, wrong } = answer.files;
  return {
    status: 'made',
    files: { raise: file(raise), none: file(none), wrong: file(wrong) },
    exports: answer.exports,
    record,
  };
}

function described(contract: ResolvedContract): {
  readonly module: string;
  readonly names: readonly string[];
} {
  const stem = contract.contentFile.replace(/\.[^./]+$/u, '').replace(/\/__init__$/u, '');
  const module = contract.language === 'python' ? stem.replaceAll('/', '.') : contract.contentFile;
  return {
    module,
    names: [...declaredNames(contract.language, contract.interface.exports), ...declaredExceptions(contract)],
  };
}

function parseAnswer(text: string): StubAnswer | null {
  try {
    const parsed = StubAnswer.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
