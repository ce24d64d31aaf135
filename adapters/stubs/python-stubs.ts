/** Stubs of a Python contract: made and imported by `py_stubs.py` inside the sandbox, because its expressions are evaluated. */
import { z } from 'zod';
import { pythonModule } from '../../core/gate/code/wall.ts';
import { runnerCommand } from '../../core/stubs/runner-command.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { RunInSandbox, StubBuild, StubDependency } from './stub-build.ts';
import { initFiles, lastLine, stubTrees } from './stub-trees.ts';

const Answer = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    files: z.strictObject({ raise: z.string(), none: z.string(), wrong: z.string() }),
    exports: z.array(
      z.strictObject({
        name: z.string(),
        kind: z.enum(['function', 'class', 'method', 'constant', 'dataclass', 'enum', 'exception', 'alias']),
        callable: z.boolean(),
        async: z.boolean(),
        inert: z.boolean(),
        fixed: z.boolean(),
        clauseId: z.string(),
      }),
    ),
  }),
  z.strictObject({
    ok: z.literal(false),
    problems: z.array(
      z.strictObject({
        where: z.enum(['exports', 'imports', 'raises']),
        index: z.int().nullable(),
        line: z.int(),
        reason: z.string(),
        suggestion: z.string(),
      }),
    ),
  }),
]);

/**
 * Builds the stubs of several contracts without dependencies in one room, each in a process and a folder of its own; null where
 * nothing was proven. @throws as {@link pythonStubs} does.
 */
export async function pythonStubsTogether(
  contracts: readonly ResolvedContract[],
  runInSandbox: RunInSandbox,
): Promise<readonly (StubBuild | null)[]> {
  const text = await runInSandbox({
    command: runnerCommand('py_stubs'),
    stdin: JSON.stringify({
      requests: contracts.map((contract, at) => ({ ...requestOf(contract, []), workDir: `/work/${at}` })),
    }),
    files: contracts.flatMap((contract, at) =>
      initFiles(contract).map((file) => ({ ...file, path: `${at}/${file.path}` })),
    ),
  });
  const answers = z
    .array(Answer.nullable())
    .length(contracts.length)
    .parse(JSON.parse(lastLine(text)));
  return contracts.map((contract, at) => {
    const answer = answers[at] ?? null;
    return answer === null ? null : buildOf(contract, answer);
  });
}

/** Builds the three stub trees. @throws when the sandbox fails or answers something else than `py_stubs.py` does. */
export async function pythonStubs(
  contract: ResolvedContract,
  runInSandbox: RunInSandbox,
  dependencies: readonly StubDependency[],
): Promise<StubBuild> {
  const text = await runInSandbox({
    command: runnerCommand('py_stubs'),
    stdin: JSON.stringify(requestOf(contract, dependencies)),
    files: [...initFiles(contract), ...dependencies.flatMap((dependency) => dependency.files)],
  });
  return buildOf(contract, Answer.parse(JSON.parse(lastLine(text))));
}

function requestOf(contract: ResolvedContract, dependencies: readonly StubDependency[]): object {
  const { exports, imports, raises, inert } = contract.interface;
  return {
    exports,
    imports,
    raises,
    inert,
    contentFile: contract.contentFile,
    module: pythonModule(contract.contentFile, contract.sourceRoot),
    dependencies: dependencies.map(({ module, names }) => ({ module, names })),
  };
}

function buildOf(contract: ResolvedContract, answer: z.infer<typeof Answer>): StubBuild {
  if (!answer.ok) return answer;
  return { ok: true, exports: answer.exports, stubs: stubTrees(contract.contentFile, answer.files) };
}
