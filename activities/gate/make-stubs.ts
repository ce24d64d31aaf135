/** Has the three stubs of a contract made, with a clean room for what must be evaluated (gate.md parts 2 and 3). */
import { exportedNames } from '../../core/contract/declaration.ts';
import { relativeSpecifier } from '../../core/contract/layout.ts';
import { pythonModule } from '../../core/gate/code/wall.ts';
import { declaredExceptions } from '../../core/gate/exports/known-types.ts';
import { DEFAULT_LIMITS } from '../../core/gate/plan.ts';
import type { GateStubBuild, StubProgramRun } from '../../core/ports/gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import { runProgram, type RoomContext, type RoomEnd } from './room.ts';

/** `ends` are the programs that ran; `lost` when one of them did not come to its end. */
export type StubSet =
  | {
      readonly status: 'made';
      readonly build: GateStubBuild & { readonly ok: true };
      readonly ends: readonly RoomEnd[];
    }
  | {
      readonly status: 'refused';
      readonly build: GateStubBuild & { readonly ok: false };
      readonly ends: readonly RoomEnd[];
    }
  | { readonly status: 'lost'; readonly ends: readonly RoomEnd[] };

/** @param around the tree that declarations may import from: scaffold and dependencies. */
export async function makeStubs(
  context: RoomContext,
  contract: ResolvedContract,
  around: readonly SandboxFile[],
): Promise<StubSet> {
  const ends: RoomEnd[] = [];
  const run = async (program: StubProgramRun): Promise<string> => {
    const end = await runStubProgram(context, program, around, `stubs-${contract.id}-${ends.length + 1}`);
    ends.push(end);
    const { outcome, stdout } = end.result;
    if (outcome.kind !== 'exited' || outcome.exitCode !== 0 || stdout.truncated)
      throw new LostProgram(end.record.outcome);
    return stdout.text;
  };
  try {
    const build = await buildStubs(context, contract, run);
    return build.ok ? { status: 'made', build, ends } : { status: 'refused', build, ends };
  } catch (error) {
    if (error instanceof LostProgram) return { status: 'lost', ends };
    throw error;
  }
}

/** Has stubs built by whoever runs the program that makes them. */
export function buildStubs(
  context: RoomContext,
  contract: ResolvedContract,
  run: (program: StubProgramRun) => Promise<string>,
): Promise<GateStubBuild> {
  const { dependencies = [] } = context.request;
  const others = dependencies.filter((dependency) => dependency.id !== contract.id);
  const offered = others.map((dependency) => offer(dependency, contract));
  return context.parts.stubs.build(contract, run, offered);
}

class LostProgram extends Error {
  constructor(outcome: string) {
    super(`Cannot make stubs: the program must end with exit code 0, it ended with ${outcome}`);
    this.name = 'LostProgram';
  }
}

function runStubProgram(
  context: RoomContext,
  program: StubProgramRun,
  around: readonly SandboxFile[],
  name: string,
): Promise<RoomEnd> {
  const files = new Map([...program.files, ...around].map((file) => [file.path, file]));
  return runProgram(context, {
    name,
    argv: program.command.argv,
    env: program.command.env,
    files: [...files.values()],
    stdin: program.stdin,
    limits: DEFAULT_LIMITS,
  });
}

/** What a dependency offers to declarations; its files already lie in the room. */
function offer(
  dependency: ResolvedContract,
  contract: ResolvedContract,
): { readonly module: string; readonly names: readonly string[]; readonly files: readonly SandboxFile[] } {
  const { language, contentFile, sourceRoot } = dependency;
  const folder = contract.contentFile.split('/').slice(0, -1).join('/');
  const module =
    language === 'python' ? pythonModule(contentFile, sourceRoot) : relativeSpecifier(folder, contentFile);
  const names = [...exportedNames(language, dependency.interface.exports), ...declaredExceptions(dependency)];
  return { module, names, files: [] };
}
