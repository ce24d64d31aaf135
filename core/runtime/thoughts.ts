/** What an agent wrote down by `record_thought`, for itself to have later (seed 001): kept where old turns are put in short, and told by `get_current_state`. */
import { RecordThoughtInput } from '../../schemas/agent-tools.ts';
import type { ChatMessage } from '../../schemas/model.ts';
import { strictJson } from '../text/strict-json.ts';

export interface Thought {
  readonly turn: number;
  readonly category: string;
  readonly text: string;
  readonly about: string | null;
}

/** The newest ones that are told. */
const THOUGHTS_MAX = 20;
const THOUGHT_CHARS = 500;

/** The newest thoughts of these turns, oldest first. Calls that could not be read are none. */
export function thoughtsOf(
  turns: readonly { readonly turn: number; readonly messages: readonly ChatMessage[] }[],
): readonly Thought[] {
  return turns
    .flatMap(({ turn, messages }) => messages.flatMap((message) => thoughtsIn(turn, message)))
    .slice(-THOUGHTS_MAX);
}

function thoughtsIn(turn: number, message: ChatMessage): Thought[] {
  if (message.role !== 'assistant') return [];
  return (message.tool_calls ?? [])
    .filter((call) => call.function.name === 'record_thought')
    .flatMap((call) => {
      const read = RecordThoughtInput.safeParse(strictJson(call.function.arguments));
      if (!read.success) return [];
      const { category, thought, relates_to } = read.data;
      return [{ turn, category, text: thought, about: relates_to ?? null }];
    });
}

/** `- turn 3, decision (sum.add): one pass is enough` */
export function thoughtLine({ turn, category, text, about }: Thought): string {
  const shown = text.length <= THOUGHT_CHARS ? text : `${text.slice(0, THOUGHT_CHARS)}…`;
  const place = about === null ? '' : ` (${about})`;
  return `- turn ${String(turn)}, ${category}${place}: ${shown.replaceAll(/\s*\n\s*/gu, ' ')}`;
}
