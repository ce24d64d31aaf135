/** Runs a suite on the three stubs of a contract. */
import { THROUGH } from '../../core/gate/suite/doubts.ts';
import { buildStubs } from '../../adapters/stubs/build-stubs.ts';
import { initFiles } from '../../adapters/stubs/stub-trees.ts';
import type { RunnerProgram } from '../../core/stubs/runner-command.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { StubKind } from '../../schemas/report.ts';
import { asText, runLocally } from './run-locally.ts';
import { runSuite } from './run-runner.ts';
import type { Files, SuiteRun } from './run-runner.ts';

export type StubRuns = Readonly<Record<StubKind | 'through', SuiteRun>>;

const KINDS = ['raise', 'none', 'wrong'] as const;

/** Report of `suite` on each stub. `scaffold` adds files such as package.json. */
export async function onStubs(
  contract: ResolvedContract,
  suite: Files,
  scaffold: Files = {},
): Promise<StubRuns> {
  const built = await buildStubs(contract, runLocally);
  if (!built.ok) throw new Error(JSON.stringify(built.problems));
  const program: RunnerProgram = contract.language === 'python' ? 'pytest' : 'node';
  const inits = program === 'pytest' ? asText(initFiles(contract)) : {};
  const runs: Partial<Record<StubKind, SuiteRun>> = {};
  for (const stub of KINDS) {
    const files = { ...scaffold, ...inits, ...suite, ...asText(built.stubs[stub]) };
    runs[stub] = await runSuite(files, { program, stub, testFiles: Object.keys(suite) });
  }
  const { raise, none, wrong } = runs;
  if (raise === undefined || none === undefined || wrong === undefined) throw new Error('unreachable');
  const files = { ...scaffold, ...inits, ...suite, ...asText(built.stubs.wrong) };
  const testFiles = Object.keys(suite);
  const through = await runSuite(files, { program, stub: 'wrong', variant: THROUGH, testFiles });
  return { raise, none, wrong, through };
}

/** What a test calls and reads on any stub, sorted. */
export function reachedOf(runs: StubRuns, name: string): string[] {
  const lines = Object.values(runs).flatMap(({ tests }) => tests.filter((line) => line.id.name === name));
  return [...new Set(lines.flatMap((line) => line.reached))].toSorted();
}

/** `raise`, `none`, `wrong` as r(ed) or g(reen) by test name, for example `rrg`. */
export function colours(runs: StubRuns): Record<string, string> {
  const names = Object.keys(runs.raise.outcomes);
  return Object.fromEntries(
    names.map((name) => [
      name,
      KINDS.map((kind) => (runs[kind].outcomes[name] === 'passed' ? 'g' : 'r')).join(''),
    ]),
  );
}
