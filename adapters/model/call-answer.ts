/**
 * Storing an answer so that no crash loses it: beside the rows first, then as an object, then `received`.
 * Whoever finds an answer without its `received` row finishes the job (G6).
 */
import { costOf } from '../../core/model/cost.ts';
import type { ObjectStore } from '../../core/ports/objects.ts';
import type { ReceivedRow, SentRow } from '../../schemas/model-call.ts';
import { StoredAnswer } from '../../schemas/model.ts';
import { addRow, dropSpool, readSpool, spoolAnswer } from './call-files.ts';
import type { CallStep } from './call-step.ts';

/** Answers that could not be written (full disk), by folder: the next attempt of this process tries again. */
export type HeldAnswers = Map<string, { readonly attempt: number; readonly text: string }>;

export interface AnswerContext {
  readonly folder: string;
  readonly objects: ObjectStore;
  readonly held: HeldAnswers;
  readonly onStep: (step: CallStep) => Promise<void>;
}

/** Stores the answer of a sent attempt. @throws when it cannot be written; it is then held for the next attempt. */
export async function finishAnswer(context: AnswerContext, sent: SentRow, text: string): Promise<void> {
  const { folder } = context;
  context.held.set(folder, { attempt: sent.attempt, text });
  const spooled = spoolAnswer(folder, sent.attempt, text).then(() => context.onStep('answer_arrived'));
  const [answerRef] = await Promise.all([context.objects.put(text), spooled]);
  await context.onStep('answer_stored');
  await addRow(folder, receivedRow(sent, answerRef, StoredAnswer.parse(JSON.parse(text))));
  context.held.delete(folder);
  await context.onStep('received');
  await dropSpool(folder, sent.attempt);
}

/** Finishes an answer that an interrupted attempt left; false when there is none. */
export async function finishSpooled(context: AnswerContext, sent: SentRow): Promise<boolean> {
  const found = context.held.get(context.folder) ?? (await readSpool(context.folder));
  if (found?.attempt !== sent.attempt) return false;
  await finishAnswer(context, sent, found.text);
  return true;
}

/** As much of it as a person is told. */
const SHOWN_CHARS_MAX = 200;

function receivedRow(sent: SentRow, answerRef: ReceivedRow['answerRef'], answer: StoredAnswer): ReceivedRow {
  const calls = answer.message.tool_calls ?? [];
  return {
    kind: 'received',
    attempt: sent.attempt,
    answerRef,
    summary: {
      textChars: answer.message.content?.length ?? 0,
      ...(answer.garbage !== null && { garbage: answer.garbage.slice(0, SHOWN_CHARS_MAX) }),
      toolCalls: calls.map((call) => ({ id: call.id, name: call.function.name.slice(0, 64) })),
    },
    finishReason: answer.finishReason,
    usage: answer.usage,
    costMicroUsd: costOfAnswer(sent, answer),
    atMs: Date.now(),
  };
}

/** Without usage the worst case is charged: the cap must hold. */
function costOfAnswer(sent: SentRow, answer: StoredAnswer): number | null {
  if (sent.price === null) return null;
  return answer.usage === null ? sent.worstCase.microUsd : costOf(answer.usage, sent.price);
}
