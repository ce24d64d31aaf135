/** Reads the run of a contract's examples: a person's, visible to both agents, they judge suite and code alike (gate.md part 3). */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { ExampleResult, Finding } from '../../../schemas/report.ts';
import type { Execution } from '../execution.ts';
import { finding } from '../finding.ts';
import { exceptionOf, importText, outcomeClass, ownPlace, type OwnFiles } from './outcome-class.ts';
import type { RunnerRun } from '../runner-reading.ts';

/** The name under which the examples runner reports example `index` (from 0). */
export function exampleName(index: number): string {
  return `example ${index}`;
}

/** Results by example and what they mean. An example that the report does not name makes the report unusable. */
export function readExamples(
  execution: Execution | null,
  contract: ResolvedContract,
  own: OwnFiles,
): { readonly results: ExampleResult[]; readonly findings: Finding[] } {
  if (execution === null) return { results: [], findings: [] };
  if (execution.kind === 'unusable') return { results: notRun(contract), findings: [execution.finding] };
  const run = execution.run;
  const results: ExampleResult[] = [];
  const findings: Finding[] = [];
  for (const [index, example] of contract.examples.entries()) {
    const test = run.tests.find((candidate) => candidate.id.name === exampleName(index));
    results.push({
      index,
      call: example.call,
      outcome: test === undefined ? 'not_run' : test.outcome === 'passed' ? 'passed' : 'failed',
    });
    if (test?.outcome !== 'passed')
      findings.push(exampleFinding(example.call, test?.failure ?? null, contract, own));
  }
  return { results, findings: [...findings, ...importFindings(run, contract, own)] };
}

function exampleFinding(
  call: string,
  failure: RunnerRun['tests'][number]['failure'],
  contract: ResolvedContract,
  own: OwnFiles,
): Finding {
  return finding('example_failed', 'L1', `The contract's example ${call} does not hold`, {
    outcome: outcomeClass(failure, contract),
    exceptionType: exceptionOf(failure, contract),
    place: ownPlace(failure, own),
  });
}

function importFindings(run: RunnerRun, contract: ResolvedContract, own: OwnFiles): Finding[] {
  return [...run.collectErrors, ...run.lateErrors].map(({ failure }) =>
    finding('example_failed', 'L1', importText(failure), {
      outcome: outcomeClass(failure, contract),
      exceptionType: exceptionOf(failure, contract),
      place: ownPlace(failure, own),
    }),
  );
}

function notRun(contract: ResolvedContract): ExampleResult[] {
  return contract.examples.map((example, index) => ({ index, call: example.call, outcome: 'not_run' }));
}
