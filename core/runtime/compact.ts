/**
 * Context compaction (seed 002, design part 7): when a transcript outgrows its budget, its oldest turns are replaced by
 * one summary message. The opening (task, contract) is never touched; of the newest turns as many stay whole as fit; the
 * full transcript stays in the objects.
 */
import type { ChatMessage } from '../../schemas/model.ts';
import { thoughtLine, thoughtsOf } from './thoughts.ts';

/** The messages of one turn: an assistant message with all its answers; turn 0 is the opening. */
export interface TranscriptTurn {
  readonly turn: number;
  readonly messages: readonly ChatMessage[];
}

/** Newest turns that compaction keeps whole where they fit. */
export const TURNS_KEPT = 6;
const SUMMARY_LINE_CHARS = 160;
const SUMMARY_LINES_MAX = 120;
/** What is left of a long result in the last turn, however small the budget is. */
const RESULT_CHARS_MIN = 1_000;
const CUT_NOTE = '[N more characters do not fit into your context: ask for a part of it]';

export interface Compacted {
  readonly messages: readonly ChatMessage[];
  /** Turns that the summary stands for. */
  readonly droppedTurns: number;
}

/** Messages for the next call, within `maxChars` if that can be had without touching what must stay. */
export function compactTranscript(turns: readonly TranscriptTurn[], maxChars: number): Compacted {
  const all = turns.flatMap((turn) => turn.messages);
  if (charsOf(all) <= maxChars) return { messages: all, droppedTurns: 0 };
  const most = Math.min(TURNS_KEPT, turns.length - 1);
  for (let kept = most; kept > 0; kept -= 1) {
    const compacted = keeping(turns, kept);
    if (charsOf(compacted.messages) <= maxChars) return compacted;
  }
  return cutResults(keeping(turns, Math.min(1, most)), maxChars);
}

function keeping(turns: readonly TranscriptTurn[], count: number): Compacted {
  const [opening, ...rest] = turns;
  const dropped = rest.slice(0, rest.length - count);
  const kept = rest.slice(dropped.length);
  const failure = lastFailure(kept) === null ? lastFailure(dropped) : null;
  const messages = [
    ...(opening?.messages ?? []),
    ...(dropped.length === 0 ? [] : [summaryOf(dropped, failure)]),
    ...kept.flatMap((turn) => turn.messages),
  ];
  return { messages, droppedTurns: dropped.length };
}

/** Results of the last turn that are too long for the model to read at all: each keeps its begin. */
function cutResults({ messages, droppedTurns }: Compacted, maxChars: number): Compacted {
  const results = messages.filter(({ role }) => role === 'tool').length;
  const other = charsOf(
    messages.map((message) =>
      message.role === 'tool' ? { ...message, content: CUT_NOTE.replace('N', '0'.repeat(8)) } : message,
    ),
  );
  const share = Math.max(RESULT_CHARS_MIN, Math.floor((maxChars - other) / Math.max(1, results)));
  const shorter = messages.map((message): ChatMessage => {
    if (message.role !== 'tool' || message.content.length <= share) return message;
    const left = String(message.content.length - share);
    return { ...message, content: `${message.content.slice(0, share)}\n${CUT_NOTE.replace('N', left)}` };
  });
  return { messages: shorter, droppedTurns };
}

/** What the last completion attempt was answered: it is never put in short (design part 7). */
function lastFailure(turns: readonly TranscriptTurn[]): string | null {
  const messages = turns.flatMap((turn) => turn.messages);
  const ids = messages.flatMap((message) =>
    message.role === 'assistant'
      ? (message.tool_calls ?? []).filter((call) => call.function.name === 'submit_pr').map(({ id }) => id)
      : [],
  );
  const answer = messages.findLast(
    (message) => message.role === 'tool' && ids.includes(message.tool_call_id),
  );
  return answer?.content ?? null;
}

/** What the agent thought is kept in its own words: it wrote that down to have it later. */
function summaryOf(turns: readonly TranscriptTurn[], failure: string | null): ChatMessage {
  const lines = turns.flatMap((turn) => turn.messages.map((message) => lineOf(turn.turn, message)));
  const shown = lines.slice(-SUMMARY_LINES_MAX);
  const cut = lines.length - shown.length;
  const head = `[Turns ${String(turns[0]?.turn ?? 0)} to ${String(turns.at(-1)?.turn ?? 0)} in short; read files again if you need them.]`;
  const rest = cut > 0 ? [`[${String(cut)} earlier lines left out]`] : [];
  const thoughts = thoughtsOf(turns).map(thoughtLine);
  const noted = thoughts.length === 0 ? [] : ['Your thoughts in these turns:', ...thoughts];
  const refused = failure === null ? [] : ['What your last submit_pr was answered:', failure];
  return { role: 'user', content: [head, ...rest, ...shown, ...noted, ...refused].join('\n') };
}

function lineOf(turn: number, message: ChatMessage): string {
  const prefix = `turn ${String(turn)}:`;
  if (message.role === 'assistant') {
    const calls = (message.tool_calls ?? []).map(
      (call) => `${call.function.name} ${firstLine(call.function.arguments)}`,
    );
    return `${prefix} you: ${cut(calls.length > 0 ? calls.join('; ') : firstLine(message.content ?? ''))}`;
  }
  return `${prefix} ${message.role === 'tool' ? 'result' : 'note'}: ${cut(firstLine(message.content))}`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function cut(text: string): string {
  return text.length <= SUMMARY_LINE_CHARS ? text : `${text.slice(0, SUMMARY_LINE_CHARS)}…`;
}

/** Of messages that were counted before: a transcript is counted at every turn. */
const counted = new WeakMap<ChatMessage, number>();

function charsOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => {
    const chars = counted.get(message) ?? JSON.stringify(message).length;
    counted.set(message, chars);
    return sum + chars;
  }, 0);
}
