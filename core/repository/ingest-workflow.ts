/**
 * A CI workflow as parts of the gate plan (design part 8): a small, linear subset of `.github/workflows/*`.
 *  W1. Every step is accounted for: KEPT, REPLACED by what the clean room has, DROPPED because it judges nothing, or REFUSED.
 *  W2. What is refused refuses the plan: a check that is left out in silence would make a weaker judge.
 *  W3. A command that shows no test ran is kept as a check; only known test commands count tests.
 */
import { z } from 'zod';
import type { PlanSource } from '../../schemas/gate-limits.ts';
import type { DocumentPath } from '../../schemas/problems.ts';
import type { RepositoryStep } from '../../schemas/repository-steps.ts';
import { type IngestedStep, readRun, readUses } from './ingest-steps.ts';

export interface Workflow {
  /** Path in the repository. */
  readonly file: string;
  readonly value: unknown;
  readonly lineOf: (path: DocumentPath) => number;
}

/** What became of one step of a workflow. */
export interface Accounted {
  readonly outcome: IngestedStep['outcome'];
  readonly what: string;
  readonly why: string;
  readonly from: string;
}

const Step = z.object({
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const Job = z.object({ steps: z.array(z.looseObject(Step.shape)) });

/** Fields that change what a job or a step does in ways that only the CI service knows. */
const JOB_REFUSED = [
  'strategy',
  'services',
  'container',
  'uses',
  'if',
  'env',
  'defaults',
  'continue-on-error',
];
const STEP_REFUSED = ['if', 'env', 'working-directory', 'shell', 'continue-on-error', 'timeout-minutes'];

/** Steps of the plan, and the account of where each came from or went. */
export function ingestWorkflow(workflow: Workflow): {
  readonly steps: readonly RepositoryStep[];
  readonly account: readonly Accounted[];
} {
  const read = z.object({ jobs: z.record(z.string(), z.unknown()) }).safeParse(workflow.value);
  if (!read.success) return refusedWhole(workflow, ['jobs'], 'it has no jobs');
  const parts = Object.entries(read.data.jobs).map(([name, job]) => ingestJob(workflow, name, job));
  return { steps: parts.flatMap((part) => part.steps), account: parts.flatMap((part) => part.account) };
}

/** Whether a workflow runs for changes: only then it is a gate. */
export function isGate({ value }: Workflow): boolean {
  const on = typeof value === 'object' && value !== null && 'on' in value ? value.on : null;
  const events =
    typeof on === 'string'
      ? [on]
      : Array.isArray(on)
        ? on
        : typeof on === 'object' && on !== null
          ? Object.keys(on)
          : [];
  return events.includes('push') || events.includes('pull_request');
}

type Ingested = ReturnType<typeof ingestWorkflow>;

function ingestJob(workflow: Workflow, name: string, value: unknown): Ingested {
  const path = ['jobs', name];
  const job = Job.safeParse(value);
  const field = JOB_REFUSED.find((each) => typeof value === 'object' && value !== null && each in value);
  if (field !== undefined)
    return refusedWhole(
      workflow,
      [...path, field],
      `job "${name}" uses "${field}", which the clean room does not have`,
    );
  if (!job.success) return refusedWhole(workflow, path, `job "${name}" has no list of steps`);
  const parts = job.data.steps.map((step, index) => ingestStep(workflow, [...path, 'steps', index], step));
  return { steps: parts.flatMap((part) => part.steps), account: parts.flatMap((part) => part.account) };
}

function ingestStep(
  workflow: Workflow,
  path: DocumentPath,
  step: z.infer<typeof Job>['steps'][number],
): Ingested {
  const source = sourceOf(workflow, path);
  const field = STEP_REFUSED.find((each) => each in step);
  const what = step.name ?? step.uses ?? step.run?.trim().split('\n')[0] ?? 'step';
  const results: IngestedStep[] =
    field !== undefined
      ? [{ outcome: 'REFUSED', what, why: `"${field}" is not understood`, steps: [] }]
      : step.run !== undefined
        ? readRun(step.run, what, source)
        : [readUses(step.uses ?? '', step.with ?? {}, source)];
  return {
    steps: results.flatMap((each) =>
      each.outcome === 'REFUSED' ? [refusedStep(source, each.what, each.why)] : each.steps,
    ),
    account: results.map(({ outcome, what: shown, why }) => ({
      outcome,
      what: shown,
      why,
      from: source.detail,
    })),
  };
}

function refusedWhole(workflow: Workflow, path: DocumentPath, why: string): Ingested {
  const source = sourceOf(workflow, path);
  return {
    steps: [refusedStep(source, workflow.file, why)],
    account: [{ outcome: 'REFUSED', what: workflow.file, why, from: source.detail }],
  };
}

function refusedStep(source: PlanSource, what: string, why: string): RepositoryStep {
  const reason = `Cannot take "${what}" over from the CI workflow: ${why}. Write a verify.yaml (a7-rt gate init)`;
  return { kind: 'refused', level: 'L0', source, reason };
}

function sourceOf({ file, lineOf }: Workflow, path: DocumentPath): PlanSource {
  return { kind: 'workflow', detail: `${file}:${String(lineOf(path))}` };
}
