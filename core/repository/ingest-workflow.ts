/**
 * A CI workflow as parts of the gate plan (design part 8): a small, linear subset of `.github/workflows/*`.
 *  W1. Every step is accounted for: KEPT, REPLACED by what the clean room has, DROPPED because it judges nothing, or REFUSED.
 *  W2. What is refused refuses the plan: a check that is left out in silence would make a weaker judge.
 *  W3. A command that shows no test ran is kept as a check; only known test commands count tests.
 */
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

/** Fields that change what a workflow, a job or a step does in ways that only the CI service knows. */
const WORKFLOW_REFUSED = ['env', 'defaults'];
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
  const whole = fieldsOf(workflow.value);
  const field = WORKFLOW_REFUSED.find((each) => each in whole);
  if (field !== undefined)
    return refusedWhole(workflow, [field], `it has "${field}", which is not understood`);
  const jobs = fieldsOf(whole['jobs']);
  if (Object.keys(jobs).length === 0) return refusedWhole(workflow, ['jobs'], 'it has no jobs');
  const parts = Object.entries(jobs).map(([name, job]) => ingestJob(workflow, name, job));
  return { steps: parts.flatMap((part) => part.steps), account: parts.flatMap((part) => part.account) };
}

/** Whether a workflow runs for changes: only then it is a gate. */
export function isGate({ value }: Workflow): boolean {
  const { on } = fieldsOf(value);
  const events: readonly unknown[] =
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
  const job = fieldsOf(value);
  const field = JOB_REFUSED.find((each) => each in job);
  if (field !== undefined)
    return refusedWhole(
      workflow,
      [...path, field],
      `job "${name}" uses "${field}", which the clean room does not have`,
    );
  const { steps } = job;
  if (!Array.isArray(steps)) return refusedWhole(workflow, path, `job "${name}" has no list of steps`);
  const parts = steps.map((step: unknown, index) =>
    ingestStep(workflow, [...path, 'steps', index], fieldsOf(step)),
  );
  return { steps: parts.flatMap((part) => part.steps), account: parts.flatMap((part) => part.account) };
}

function ingestStep(workflow: Workflow, path: DocumentPath, step: Fields): Ingested {
  const source = sourceOf(workflow, path);
  const field = STEP_REFUSED.find((each) => each in step);
  const [run, uses] = [textOf(step['run']), textOf(step['uses'])];
  const what = textOf(step['name']) ?? uses ?? run?.trim().split('\n')[0] ?? 'step';
  const results: IngestedStep[] =
    field !== undefined
      ? [{ outcome: 'REFUSED', what, why: `"${field}" is not understood`, steps: [] }]
      : run !== null
        ? readRun(run, what, source)
        : [readUses(uses ?? '', fieldsOf(step['with']), source)];
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

type Fields = Readonly<Record<string, unknown>>;

/** Fields of a group; none for anything else. */
function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
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
