/** When code that fails its suite makes the suite the suspect, and when that is proven (gate.md part 3). */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { ExampleResult, Finding, GateTier } from '../../../schemas/report.ts';
import type { Frame } from '../../../schemas/runner-report.ts';
import type { Execution } from '../execution.ts';
import { finding } from '../finding.ts';
import { clausesOf } from '../suite/clauses.ts';
import { deniedCall, deniedExample, suiteFrame, type SuiteWords } from '../suite/contradiction.ts';

interface SuspectFacts {
  readonly contract: ResolvedContract;
  readonly runs: readonly Execution[];
  readonly tier?: GateTier | undefined;
  readonly suiteWords?: (frame: Frame) => SuiteWords | null;
}

/** The first failed test whose assertion denies an example that the code passes. */
export function contradictions(facts: SuspectFacts): Finding[] {
  const [first] = facts.runs;
  const { contract, suiteWords } = facts;
  if (first?.kind !== 'complete' || suiteWords === undefined) return [];
  const names = clausesOf(contract.interface).flatMap((clause) =>
    clause.kind === 'export' ? (clause.exportName ?? []) : [],
  );
  for (const test of first.run.tests) {
    const frame = suiteFrame(test.failure?.frames ?? [], (file) => file === test.id.file);
    const words = frame === null ? null : suiteWords(frame);
    // What was called is told by the trusted side of the wall only.
    const called = facts.tier === 'glass_wall' ? (test.counterexample ?? null) : null;
    const example =
      deniedExample(words, contract.examples, names) ??
      (called === null ? null : deniedCall(words, called, contract.examples, names));
    if (example === null) continue;
    const text = `The suite denies the contract's example ${example}, which the code passes: the suite is wrong`;
    return [finding('suite_contradicts_example', 'L1', text, { testId: test.id })];
  }
  return [];
}

/** The code passes every example of a person and only tests of the suite are red. */
export function isSuiteSuspect(
  contractFindings: readonly Finding[],
  suite: readonly Finding[],
  examples: readonly ExampleResult[],
): boolean {
  const onlyTests = suite.length > 0 && suite.every((found) => found.code === 'test_failed');
  const examplesPass = examples.length > 0 && examples.every((example) => example.outcome === 'passed');
  return contractFindings.length === 0 && onlyTests && examplesPass;
}
