/** What reading a workflow gives, and the small words that its parts share. */
import type { PlanSource } from '../../../schemas/gate-limits.ts';
import type { DocumentPath } from '../../../schemas/problems.ts';
import type { RepositoryStep } from '../../../schemas/repository-steps.ts';
import type { IngestedStep } from './actions.ts';
import type { Accounted, LocalFiles, Workflow } from './workflow.ts';

export interface Ingested {
  readonly steps: readonly RepositoryStep[];
  readonly account: readonly Accounted[];
}

export type Fields = Readonly<Record<string, unknown>>;

/** Fields of a group; none for anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function sourceOf(
  { file, lineOf }: Pick<Workflow, 'file' | 'lineOf'>,
  path: DocumentPath,
): PlanSource {
  return { kind: 'workflow', detail: `${file}:${String(lineOf(path))}` };
}

export function account(
  outcome: IngestedStep['outcome'],
  what: string,
  why: string,
  source: PlanSource,
): Accounted {
  return { outcome, what, why, from: source.detail };
}

/** A whole part that cannot be taken over. */
export function refusedPart(what: string, why: string, source: PlanSource): Ingested {
  return { steps: [refusedStep(source, what, why)], account: [account('REFUSED', what, why, source)] };
}

export function refusedStep(source: PlanSource, what: string, why: string): RepositoryStep {
  const reason = `Cannot take "${what}" over from the CI workflow: ${why}. Write a verify.yaml (a7-rt gate init)`;
  return { kind: 'refused', level: 'L0', source, reason };
}

export function joined(parts: readonly Ingested[]): Ingested {
  return { steps: parts.flatMap((part) => part.steps), account: parts.flatMap((part) => part.account) };
}

/** What a job is read in. */
export interface Reading {
  readonly workflow: Workflow;
  readonly local: LocalFiles;
  readonly event: string;
  /** Workflows and actions that use each other. */
  readonly depth: number;
  readonly inputs: Fields;
  /** Cells of the job's matrix that run on Linux, too, and do not judge: with them conditions are asked again. */
  readonly otherCells?: readonly Fields[];
}
