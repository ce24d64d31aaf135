/** Small pieces of the performer: whom it tells, the sandbox queue's activities, and a cap that was reached as an input. */
import { type ActivityInterfaceFor, proxyActivities } from '@temporalio/workflow';
import type { StageActivities } from '../activities/stage/index.ts';
import type { JudgeActivities } from '../activities/judge/index.ts';
import type { GateOutcome, ProjectOutcome } from '../schemas/stage.ts';
import type {
  ProjectCheckInput,
  SealCheckInput,
  SealCheckResult,
  StageCoordinates,
} from '../schemas/stage-io.ts';
import { type CapStand, budgetText } from '../core/stage/agent-result.ts';
import type { StageCommand, StageInput } from '../core/stage/types.ts';
import type { UnknownCall } from '../schemas/agent-io.ts';
import { MODEL_OPTIONS, SANDBOX_OPTIONS } from './activity-options.ts';
import { reasonOf, unavailable } from './failures.ts';

const model = proxyActivities<StageActivities>(MODEL_OPTIONS);

/** What a performer tells the workflow that it works for. */
export interface StageListener {
  /** How something ended that was started. */
  readonly feed: (input: StageInput) => void;
  /** A step that no retry can mend: the workflow ends by it. */
  readonly fail: (error: unknown) => void;
}

/** Activities of the workers that have sandboxes. */
export function judgeOn(queue: string): ActivityInterfaceFor<JudgeActivities> {
  return proxyActivities<JudgeActivities>({ ...SANDBOX_OPTIONS, taskQueue: queue });
}

/** A seal check, and why nothing was judged where its activity failed. */
type NodeCheck = SealCheckResult & { readonly unjudged?: string };

/** Every node and, where the command asks for it, the project's own plan. */
export async function checkSeal(
  queue: string,
  request: ProjectCheckInput,
  { nodeIds, project }: Extract<StageCommand, { kind: 'check_seal' }>,
): Promise<StageInput> {
  const [checks, whole] = await Promise.all([
    Promise.all(
      nodeIds.map(async (nodeId) => [nodeId, await checkNode(queue, { ...request, nodeId })] as const),
    ),
    project === true ? checkProject(queue, request) : undefined,
  ]);
  const unjudged = checks.flatMap(([nodeId, check]) =>
    check.unjudged === undefined ? [] : [[nodeId, check.unjudged] as const],
  );
  return {
    kind: 'seal_checked',
    head: request.head,
    verdicts: Object.fromEntries(checks.map(([nodeId, check]) => [nodeId, check.outcome])),
    exportedInterfaces: Object.fromEntries(
      checks.map(([nodeId, check]) => [nodeId, check.exportedInterface]),
    ),
    ...(unjudged.length > 0 && { unjudged: Object.fromEntries(unjudged) }),
    ...(whole !== undefined && { project: whole }),
  };
}

/** One node on the whole tree, with its interface. A gate that cannot be run at all is INVALID platform. */
async function checkNode(queue: string, request: SealCheckInput): Promise<NodeCheck> {
  try {
    const summary = `Seal check of ${request.nodeId}`;
    return await judgeOn(queue).checkSealNode.executeWithOptions({ summary }, [request]);
  } catch (error) {
    const exportedInterface = { exports: [], raises: [], guarantees: [], assumptions: [] };
    return { outcome: NOT_JUDGED, exportedInterface, unjudged: reasonOf(error) };
  }
}

/** The project's own gate plan on the whole tree; null: it could not be asked at all. */
async function checkProject(queue: string, request: ProjectCheckInput): Promise<ProjectOutcome | null> {
  try {
    const summary = "The project's gate plan";
    return await judgeOn(queue).checkSealProject.executeWithOptions({ summary }, [request]);
  } catch {
    return null;
  }
}

/** The stage's words for a call that the cap does not allow. */
export function budgetReached(stand: CapStand): StageInput {
  if (stand.unit === 'tokens') {
    return { kind: 'call_rested', code: 'BUDGET_REACHED', message: budgetText(stand) };
  }
  return {
    kind: 'budget_reached',
    spentMicroUsd: stand.spent,
    capMicroUsd: stand.cap,
    nextMicroUsd: stand.worstCase,
  };
}

/** A reviewer's reading of code that passed, as an input. */
export async function review(
  at: StageCoordinates,
  run: number,
  { nodeId, dispatchId, tree }: Extract<StageCommand, { kind: 'review' }>,
): Promise<StageInput> {
  const request = { at, run, turn: 0, nodeId, dispatchId, tree };
  try {
    const answer = await model.review.executeWithOptions({ summary: `Review ${nodeId}` }, [request]);
    if (answer.kind === 'rested') return { kind: 'call_rested', code: answer.code, message: answer.message };
    if (answer.kind === 'budget') return budgetReached(answer);
    const { findings, callKey, costMicroUsd } = answer;
    return { kind: 'reviewed', nodeId, dispatchId, tree, findings, callKey, costMicroUsd };
  } catch (error) {
    return callAway(error);
  }
}

/** A call of the manager's that nothing answered: the stage rests. */
export function callAway(error: unknown): StageInput {
  const { code, message } = unavailable(error);
  return { kind: 'call_rested', code, message };
}

/** A call that may have been billed for nothing: the session's budget has charged its worst case, the ledger names it. */
export function unknownCall(call: UnknownCall, dispatchId: string | null): StageInput {
  return {
    kind: 'noted',
    event: { type: 'call_unknown', data: { ...call, dispatchId } },
  };
}

/** A gate that ended without any report. */
export const NOT_JUDGED: GateOutcome = {
  verdict: 'INVALID',
  level: 'L0',
  reportDigest: `sha256:${'0'.repeat(64)}`,
  fault: 'platform',
  projection: null,
};
