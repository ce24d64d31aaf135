/**
 * The same tool call with the same result, again and again: the third time it is told so instead of the text, the sixth ends the
 * task. A loop of two calls in turn is met as well, because each call is counted for itself. A write in between changes results.
 */
import { canonicalJson } from '../model/canonical-request.ts';
import type { TranscriptTurn } from './compact.ts';
import { strictJson } from '../text/strict-json.ts';

/** From this time on the text is not repeated. */
export const REPEATS_TOLD = 3;
/** This time ends the task. */
export const REPEATS_MAX = 6;

const CALL_CHARS_MAX = 200;
const NOTE = /^Unchanged since turn \d+:/u;

export interface ToolCallText {
  readonly name: string;
  readonly arguments: string;
}

export interface Repeats {
  /** How often in a row this call had this result, with this time. */
  readonly times: number;
  /** Turn that holds the text; 0 where there is none before. */
  readonly since: number;
}

/** Counts `call` with the result `text` in the turns before. The last line of a text, `Next...`, does not count. */
export function repeatsOf(turns: readonly TranscriptTurn[], call: ToolCallText, text: string): Repeats {
  const key = keyOf(call);
  const said = splitNext(text).said;
  let times = 1;
  let since = 0;
  // Notes say "as before": they count once the text that they speak of is found to be the same.
  let notes = 0;
  for (const { turn, messages } of turns.toReversed()) {
    const last = resultsOf(messages, key).at(-1);
    if (last === undefined) continue;
    if (NOTE.test(last)) {
      notes += 1;
      continue;
    }
    if (splitNext(last).said !== said) break;
    times += 1 + notes;
    notes = 0;
    since = turn;
  }
  return { times, since };
}

/** What the agent reads instead of the text. */
export function unchangedText(call: ToolCallText, { times, since }: Repeats, text: string): string {
  const { next } = splitNext(text);
  const note = `Unchanged since turn ${String(since)}: ${shown(call)} gave the same result ${String(times)} times. At ${String(REPEATS_MAX)} times your task ends: do something else.`;
  return next === '' ? note : `${note}\n${next}`;
}

/** Why the task ends. */
export function repeatedEnd(call: ToolCallText, times: number): string {
  return `the same tool call with the same result ${String(times)} times (limit ${String(REPEATS_MAX)}): ${shown(call)}`;
}

function resultsOf(messages: TranscriptTurn['messages'], key: string): readonly string[] {
  const ids = new Set(
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? (message.tool_calls ?? []).filter((call) => keyOf(call.function) === key).map(({ id }) => id)
        : [],
    ),
  );
  return messages.flatMap((message) =>
    message.role === 'tool' && ids.has(message.tool_call_id) ? [message.content] : [],
  );
}

/** Arguments in another order are the same; why a call is made is none of them. */
function keyOf(call: ToolCallText): string {
  const json = strictJson(call.arguments);
  if (typeof json !== 'object' || json === null) return `${call.name} ${call.arguments}`;
  return `${call.name} ${canonicalJson({ ...json, intent: undefined })}`;
}

function splitNext(text: string): { readonly said: string; readonly next: string } {
  const at = text.lastIndexOf('\nNext');
  return at === -1 ? { said: text, next: '' } : { said: text.slice(0, at), next: text.slice(at + 1) };
}

function shown({ name, arguments: text }: ToolCallText): string {
  const call = `${name} ${text}`;
  return call.length <= CALL_CHARS_MAX ? call : `${call.slice(0, CALL_CHARS_MAX)}…`;
}
