/** What an agent reads of a call's result: the text, or that it has not changed; and that its answer was cut, where it was. */
import type { ModelDirectory } from '../../core/ports/model-directory.ts';
import { type TranscriptTurn, compactTranscript } from '../../core/runtime/compact.ts';
import { cutNote } from '../../core/runtime/cut-answer.ts';
import {
  REPEATS_MAX,
  REPEATS_TOLD,
  type ToolCallText,
  repeatedEnd,
  repeatsOf,
  unchangedText,
} from '../../core/runtime/repeats.ts';
import type { RunToolsInput, RunToolsResult } from '../../schemas/agent-io.ts';

/** What of a turn it needs and changes. */
export interface Told {
  suspension: RunToolsResult['suspension'];
  /** Why the task ends: the same call had the same result too often. */
  repeated: string | null;
  /** Turns before this one. */
  readonly before: readonly TranscriptTurn[];
}

interface Result {
  readonly call: ToolCallText;
  readonly text: string;
  /** Nothing stands behind it in the answer. */
  readonly isLast: boolean;
}

/** `result.text` as it is told. */
export async function toldText(
  models: ModelDirectory,
  input: RunToolsInput,
  turn: Told,
  { call, text, isLast }: Result,
): Promise<string> {
  if (input.cut !== undefined) return isLast ? `${cutNote(input.cut)}\n${text}` : text;
  if (turn.suspension !== null || repeatsOf(turn.before, call, text).times < REPEATS_TOLD) return text;
  const { sessionDir, stageId, role } = input.at;
  const choice = await models.choose(sessionDir, stageId, role);
  const seen = turn.before.slice(unseen(turn.before, choice?.transcriptMaxChars ?? Infinity));
  const repeats = repeatsOf(seen, call, text);
  if (repeats.times >= REPEATS_MAX) turn.repeated ??= repeatedEnd(call, repeats.times);
  return repeats.times < REPEATS_TOLD || repeats.since === 0 ? text : unchangedText(call, repeats, text);
}

/** Turns that compaction took out of the model's sight, with the opening. */
function unseen(turns: readonly TranscriptTurn[], maxChars: number): number {
  const { droppedTurns } = compactTranscript(turns, maxChars);
  return droppedTurns === 0 ? 0 : droppedTurns + 1;
}
