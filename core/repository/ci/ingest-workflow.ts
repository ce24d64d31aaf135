/**
 * A CI workflow as parts of the gate plan (design part 8).
 *  W1. Every step is accounted for: KEPT, REPLACED by what the clean room has, DROPPED because it judges nothing, or REFUSED.
 *  W2. What is refused refuses the plan: a check that is left out in silence would make a weaker judge.
 *  W3. A command that shows no test ran is kept as a check; only known test commands count tests.
 *  W4. It is read as for a pull request: secrets are empty, the branch is none of those that a condition names.
 * Example: `- run: pytest` in a matrix of four cells is KEPT once, and the cell that judges is named.
 */
import type { RepositoryStep } from '../../../schemas/repository-steps.ts';
import { ingestJob } from './ingest-job.ts';
import { UNPINNED } from './ingested-step.ts';
import {
  account,
  type Fields,
  fieldsOf,
  type Ingested,
  refusedPart,
  refusedStep,
  sourceOf,
} from './ingested.ts';
import type { Accounted, LocalFiles, Workflow } from './workflow.ts';

const NO_FILES: LocalFiles = { read: () => null, script: () => null };

/** Steps of the plan, and the account of where each came from or went. */
export function ingestWorkflow(
  workflow: Workflow,
  local: LocalFiles = NO_FILES,
): {
  readonly steps: readonly RepositoryStep[];
  readonly account: readonly Accounted[];
} {
  const [problem] = workflow.problems;
  if (problem !== undefined) {
    const source = { kind: 'workflow' as const, detail: `${workflow.file}:${String(problem.line)}` };
    const why = `the CI service would refuse it: ${problem.message}`;
    return {
      steps: [refusedStep(source, workflow.file, why)],
      account: [account('REFUSED', workflow.file, why, source)],
    };
  }
  const whole = fieldsOf(workflow.value);
  const jobs = Object.entries(fieldsOf(whole['jobs']));
  if (jobs.length === 0) {
    const source = sourceOf(workflow, ['jobs']);
    return {
      steps: [refusedStep(source, workflow.file, 'it has no jobs')],
      account: [account('REFUSED', workflow.file, 'it has no jobs', source)],
    };
  }
  const parts = jobs.map(([name, job]) =>
    ingestJob({ workflow, local, event: eventOf(whole), depth: 0, inputs: {} }, name, job),
  );
  return withPins(workflow, {
    steps: parts.flatMap((part) => part.steps),
    account: parts.flatMap((part) => part.account),
  });
}

/** A file that nobody could read: what it would judge is not known. */
export function unreadWorkflow(file: string, why: string): Ingested {
  return refusedPart(file, why, { kind: 'workflow', detail: file });
}

/** Packages that CI fetches are pinned nowhere: one part of the plan says so, and refuses it. */
function withPins(workflow: Workflow, ingested: Ingested): Ingested {
  if (!ingested.account.some(({ why }) => why === UNPINNED)) return ingested;
  const source = sourceOf(workflow, ['jobs']);
  const why = 'it fetches packages, and the clean room has no network: a7-rt gate init pins them';
  return { ...ingested, steps: [...ingested.steps, refusedStep(source, workflow.file, why)] };
}

/** Whether a workflow runs for changes: only then it is a gate. */
export function isGate({ value }: Workflow): boolean {
  const events = eventsOf(fieldsOf(value));
  return (
    ['push', 'pull_request', 'merge_group', 'pull_request_target'].some((event) => events.includes(event)) &&
    !isForTags(value)
  );
}

/** A workflow that runs for tags alone publishes: it judges no change. */
function isForTags(value: unknown): boolean {
  const on = fieldsOf(fieldsOf(value)['on']);
  const push = fieldsOf(on['push']);
  return !('pull_request' in on) && 'tags' in push && !('branches' in push) && !('branches-ignore' in push);
}

function eventOf(whole: Fields): string {
  return eventsOf(whole).includes('pull_request') ? 'pull_request' : 'push';
}

function eventsOf(whole: Fields): readonly unknown[] {
  const { on } = whole;
  if (typeof on === 'string') return [on];
  return Array.isArray(on) ? on : Object.keys(fieldsOf(on));
}
