/** Search attributes that find stages, nodes and verdicts in the Temporal pages (design part 11). */
import { SearchAttributeType, type SearchAttributePair, defineSearchAttributeKey } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import type { AgentOutcome } from '../schemas/agent-io.ts';
import type { BuildStageInput } from '../schemas/stage-io.ts';

const SESSION = defineSearchAttributeKey('A7Session', SearchAttributeType.KEYWORD);
const STAGE = defineSearchAttributeKey('A7Stage', SearchAttributeType.KEYWORD);
const NODE = defineSearchAttributeKey('A7Node', SearchAttributeType.KEYWORD);
const VERDICT = defineSearchAttributeKey('A7Verdict', SearchAttributeType.KEYWORD);

/** Attributes that an agent's workflow starts with: no event of its own. */
export function agentAttributes(stage: BuildStageInput, nodeId: string): SearchAttributePair[] {
  return [
    { key: SESSION, value: stage.at.sessionId },
    { key: STAGE, value: stage.at.stageId },
    { key: NODE, value: nodeId },
  ];
}

/** The end of a run, as its last event but one: `completed`, `refused`, `wild` and so on. */
export function markVerdict(end: AgentOutcome['end']): void {
  upsertSearchAttributes([{ key: VERDICT, value: end.kind }]);
}
