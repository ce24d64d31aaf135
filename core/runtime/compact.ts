/**
 * Context compaction (seed 002, design part 7): when a transcript outgrows its budget, its oldest turns are replaced by
 * one summary message. The opening (task, contract) and the newest turns are never touched; the full transcript stays
 * in the objects.
 */
import type { ChatMessage } from '../../schemas/model.ts';

/** The messages of one turn: an assistant message with all its answers; turn 0 is the opening. */
export interface TranscriptTurn {
  readonly turn: number;
  readonly messages: readonly ChatMessage[];
}

/** Newest turns that compaction keeps whole. */
export const TURNS_KEPT = 6;
const SUMMARY_LINE_CHARS = 160;
const SUMMARY_LINES_MAX = 120;

export interface Compacted {
  readonly messages: readonly ChatMessage[];
  /** Turns that the summary stands for. */
  readonly droppedTurns: number;
}

/** Messages for the next call, within `maxChars` if that can be had without touching what must stay. */
export function compactTranscript(turns: readonly TranscriptTurn[], maxChars: number): Compacted {
  const all = turns.flatMap((turn) => turn.messages);
  if (charsOf(all) <= maxChars || turns.length <= TURNS_KEPT + 1) return { messages: all, droppedTurns: 0 };
  const [opening, ...rest] = turns;
  const dropped = rest.slice(0, -TURNS_KEPT);
  const kept = rest.slice(-TURNS_KEPT);
  const messages = [
    ...(opening?.messages ?? []),
    summaryOf(dropped),
    ...kept.flatMap((turn) => turn.messages),
  ];
  return { messages, droppedTurns: dropped.length };
}

function summaryOf(turns: readonly TranscriptTurn[]): ChatMessage {
  const lines = turns.flatMap((turn) => turn.messages.map((message) => lineOf(turn.turn, message)));
  const shown = lines.slice(-SUMMARY_LINES_MAX);
  const cut = lines.length - shown.length;
  const head = `[Turns ${String(turns[0]?.turn ?? 0)} to ${String(turns.at(-1)?.turn ?? 0)} in short; read files again if you need them.]`;
  const rest = cut > 0 ? [`[${String(cut)} earlier lines left out]`] : [];
  return { role: 'user', content: [head, ...rest, ...shown].join('\n') };
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
