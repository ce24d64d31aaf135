/** Activity `consult`: one hard question of the manager, answered by a model without tools (seed 001, CONSULT). */
import { contractView } from '../../core/views/contract-view.ts';
import { renderPrompt } from '../../roles/index.ts';
import type { ChatMessage } from '../../schemas/model.ts';
import type { ConsultAnswer, ConsultInput } from '../../schemas/stage-io.ts';
import { readAnswer } from '../shared/transcript.ts';
import { callStageModel } from './ask-manager.ts';
import type { StagePorts } from './ports.ts';

const VERDICT_MAX_CHARS = 4_000;

/** The verdict as text; a retry finds the stored answer. */
export async function consult(ports: StagePorts, input: ConsultInput): Promise<ConsultAnswer> {
  const session = await ports.sessions.open(input.at.sessionDir);
  const { resolved } = await session.book();
  const concerned = resolved.filter((contract) => input.relevantNodeIds.includes(contract.id));
  const parts = [
    `Question: ${input.question}`,
    ...input.constraints.map((constraint) => `Constraint: ${constraint}`),
    ...concerned.map((each) => contractView(each, concerned)),
  ];
  const messages: readonly ChatMessage[] = [
    { role: 'system', content: renderPrompt('oracle', {}) },
    { role: 'user', content: parts.join('\n\n') },
  ];
  const callKey = `${input.at.stageId}/consult/r${String(input.run)}.${String(input.seq)}`;
  const result = await callStageModel(ports, session, {
    ...input,
    callKey,
    messages,
    tools: [],
    role: 'oracle',
  });
  if (result.kind === 'platform') return { kind: 'rested', code: 'unavailable', message: result.reason };
  if (result.kind !== 'answered') return result;
  const answer = await readAnswer(session.objects, result.answerRef);
  const verdict = (answer.message.content ?? answer.garbage ?? '').slice(0, VERDICT_MAX_CHARS);
  return { kind: 'answered', verdict, callKey, costMicroUsd: result.usage.costMicroUsd };
}
