/** Search attributes of an agent's workflow: with which it starts, and the one that its end sets. */
import { SearchAttributeType, type SearchAttributePair, defineSearchAttributeKey } from '@temporalio/common';
import { upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import type { AgentOutcome } from '../schemas/agent-io.ts';
import { SEARCH_ATTRIBUTES } from '../schemas/search-attributes.ts';
import type { BuildStageInput, StageOutcome } from '../schemas/stage-io.ts';

const SESSION = defineSearchAttributeKey(SEARCH_ATTRIBUTES.session, SearchAttributeType.KEYWORD);
const STAGE = defineSearchAttributeKey(SEARCH_ATTRIBUTES.stage, SearchAttributeType.KEYWORD);
const NODE = defineSearchAttributeKey(SEARCH_ATTRIBUTES.node, SearchAttributeType.KEYWORD);
const ROLE = defineSearchAttributeKey(SEARCH_ATTRIBUTES.role, SearchAttributeType.KEYWORD);
const OUTCOME = defineSearchAttributeKey(SEARCH_ATTRIBUTES.outcome, SearchAttributeType.KEYWORD);
const VERDICT = defineSearchAttributeKey(SEARCH_ATTRIBUTES.verdict, SearchAttributeType.KEYWORD);

/** Attributes that an agent's workflow starts with: no event of its own. */
export function agentAttributes(
  stage: BuildStageInput,
  { nodeId, role }: { readonly nodeId: string; readonly role: string },
): SearchAttributePair[] {
  return [
    { key: SESSION, value: stage.at.sessionId },
    { key: STAGE, value: stage.at.stageId },
    { key: NODE, value: nodeId },
    { key: ROLE, value: role },
  ];
}

/** The end of a run, as its last event but one: `completed`, `refused`, `wild` and so on. */
export function markVerdict(end: AgentOutcome['end']): void {
  upsertSearchAttributes([{ key: VERDICT, value: end.kind }]);
}

/** Temporal calls every end that was no failure "Completed": these say which end it was, and why, for as long as the page stays. */
export function markOutcome({ searchable, tellsOutcome }: BuildStageInput, outcome: StageOutcome): void {
  if (tellsOutcome !== true) return;
  upsertMemo({ outcome: `${outcome.status} (${outcome.code}): ${outcome.message}` });
  if (searchable === true) upsertSearchAttributes([{ key: OUTCOME, value: outcome.status }]);
}
