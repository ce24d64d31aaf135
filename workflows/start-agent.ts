/** Starts the child workflow of one dispatch and waits for it; every way in which it ends is a result. */
import { ParentClosePolicy, WorkflowIdReusePolicy, executeChild, isCancellation } from '@temporalio/workflow';
import type { AgentResult } from '../schemas/stage.ts';
import type { StageCommand } from '../core/stage/types.ts';
import { agentResultOf } from '../core/stage/agent-result.ts';
import type { RunAgentInput, UnknownCall } from '../schemas/agent-io.ts';
import type { BuildStageInput } from '../schemas/stage-io.ts';
import { reasonOf } from './failures.ts';
import { runAgent } from './run-agent.ts';
import { agentAttributes } from './search-attributes.ts';
import { typed } from '../core/text/typed.ts';

export interface AgentEnd {
  readonly result: AgentResult;
  readonly unknownCalls: readonly UnknownCall[];
  /** Counterexamples that it was told; absent: none. */
  readonly told?: number;
  /** Program and version that did it; absent: our own loop. */
  readonly program?: string;
}

const NO_USAGE = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };

/** The child's id holds the run, so that a taken-over stage never collides with a child that is still being cancelled. */
export async function startAgent(
  stage: BuildStageInput,
  run: number,
  command: Extract<StageCommand, { kind: 'start_agent' }>,
): Promise<AgentEnd> {
  const { record } = command;
  try {
    const outcome = await executeChild(runAgent, {
      workflowId: `${idPrefixOf(stage)}/${record.dispatchId}/r${String(run)}`,
      args: [agentInput(stage, run, command)],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      cancellationType: 'WAIT_CANCELLATION_COMPLETED',
      staticSummary: `${titleOf(record.role)} of ${record.nodeId}${record.agent === undefined ? '' : ` (${record.agent.name})`}`,
      staticDetails: detailsOf(stage, record),
      ...(stage.searchable && { typedSearchAttributes: agentAttributes(stage, record) }),
    });
    const { unknownCalls, told, program } = outcome.judged;
    return {
      result: agentResultOf(outcome),
      unknownCalls,
      ...(told !== undefined && { told }),
      ...(program !== undefined && { program }),
    };
  } catch (error) {
    if (isCancellation(error)) return { result: { status: 'cancelled', usage: NO_USAGE }, unknownCalls: [] };
    return { result: { status: 'platform', reason: reasonOf(error), usage: NO_USAGE }, unknownCalls: [] };
  }
}

function agentInput(
  stage: BuildStageInput,
  run: number,
  { record, resume }: Extract<StageCommand, { kind: 'start_agent' }>,
): RunAgentInput {
  const { nodeId, role, dispatchId, parameters, baseCommit, suite, agent } = record;
  return {
    at: { ...stage.at, run, nodeId, role, dispatchId },
    guidance: parameters,
    baseCommit,
    suite,
    ...(agent !== undefined && { agent }),
    resume,
    title: `${titleOf(role)} of ${nodeId}`,
    sandboxQueue: stage.sandboxQueue,
    ...(stage.agentQueue !== undefined && { agentQueue: stage.agentQueue }),
    ...(stage.searchable && { searchable: true }),
    ...(stage.joinsOpenings && { joinsOpening: true }),
    ...(stage.historyBounds === undefined ? {} : { eventsMax: stage.historyBounds.agentMax }),
    carry: null,
  };
}

function idPrefixOf({ idPrefix, at }: BuildStageInput): string {
  return idPrefix ?? `a7/${at.sessionId}/${at.stageId}`;
}

function detailsOf(
  { at }: BuildStageInput,
  { nodeId, role, dispatchId, parameters }: Extract<StageCommand, { kind: 'start_agent' }>['record'],
): string {
  const note = parameters.managerNote;
  return [
    `The ${titleOf(role)} of \`${nodeId}\`, stage ${at.stageId}, dispatch \`${dispatchId}\`.`,
    ...(note === undefined || note === '' ? [] : ['', `Note of the manager: ${note}`]),
    '',
    `Its log: \`${at.sessionDir}/sessions/${nodeId}/${dispatchId}.jsonl\``,
    typed`Why the node is where it is: \`a7-rt why ${at.sessionDir} ${nodeId}\``,
  ].join('\n');
}

function titleOf(role: string): string {
  return role.replace('_', ' ');
}
