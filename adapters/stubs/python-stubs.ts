/** Stubs of a Python contract: made and imported by `py_stubs.py` inside the sandbox, because its expressions are evaluated. */
import { z } from 'zod';
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

/** Builds the three stub trees. @throws when the sandbox fails or answers something else than `py_stubs.py` does. */
export async function pythonStubs(
  contract: ResolvedContract,
  runInSandbox: RunInSandbox,
  dependencies: readonly StubDependency[],
): Promise<StubBuild> {
  const { exports, imports, raises, inert } = contract.interface;
  const request = {
    exports,
    imports,
    raises,
    inert,
    contentFile: contract.contentFile,
    dependencies: dependencies.map(({ module, names }) => ({ module, names })),
  };
  const text = await runInSandbox({
    command: runnerCommand('py_stubs'),
    stdin: JSON.stringify(request),
    files: [...initFiles(contract.contentFile), ...dependencies.flatMap((dependency) => dependency.files)],
  });
  const answer = Answer.parse(JSON.parse(lastLine(text)));
  if (!answer.ok) return answer;
  return { ok: true, exports: answer.exports, stubs: stubTrees(contract.contentFile, answer.files) };
}
