/** What an agent hands in beside its tree, read from its room as from any stranger: `submit.json`, and its notes. */
import { ROOM } from '../../core/ports/agent-driver.ts';
import { givesUp } from '../../core/runtime/give-up.ts';
import { readCalls } from '../../core/runtime/read-answer.ts';
import type { AgentEndFacts } from '../../core/runtime/agent-end.ts';
import type { AgentTurnInput } from '../../schemas/agent-turn.ts';
import type { StoredAnswer } from '../../schemas/model.ts';
import { PR_NOTE_MAX_CHARS } from '../../schemas/submit-pr.ts';
import type { AgentRoomEnd } from '../order/agent-room.ts';

const SUBMIT_BYTES_MAX = 256 * 1024;

export interface HandedIn {
  /** As a message that calls `submit_pr`: judged like one. */
  readonly answer: StoredAnswer;
  readonly read: AgentEndFacts['handed'];
}

export function handedIn({ turn }: AgentTurnInput, { result, notes }: AgentRoomEnd): HandedIn {
  const file = result.files[ROOM.out]?.find(({ path }) => path === ROOM.submitFile);
  const text = file === undefined ? '{}' : new TextDecoder().decode(file.bytes.subarray(0, SUBMIT_BYTES_MAX));
  const answer = answerOf(turn, text, notes);
  const [call] = readCalls(answer, ['submit_pr']);
  if (call?.kind !== 'submit')
    return {
      answer,
      read: {
        kind: 'unreadable',
        message: `${ROOM.out}/${ROOM.submitFile}: ${call?.kind === 'invalid' ? call.message : 'not read'}`,
      },
    };
  const suspension = givesUp(call.input);
  if (suspension === null) return { answer, read: { kind: 'submit' } };
  const detail = suspension.detail === '' ? 'no reason given' : suspension.detail;
  return { answer, read: { kind: 'suspend', suspension: { ...suspension, detail } } };
}

function answerOf(turn: number, text: string, notes: string | null): StoredAnswer {
  const call = {
    id: `room-${String(turn)}`,
    type: 'function' as const,
    function: { name: 'submit_pr', arguments: withNote(text, notes) },
  };
  return {
    version: 1,
    message: { role: 'assistant', content: null, tool_calls: [call] },
    finishReason: 'tool_calls',
    usage: null,
    provider: { responseId: null, model: null },
    garbage: null,
  };
}

/** Its notes are the note to the manager, unless the file has one. */
function withNote(text: string, notes: string | null): string {
  if (notes === null || notes.trim() === '') return text;
  try {
    const given: unknown = JSON.parse(text);
    if (typeof given !== 'object' || given === null || 'pr_note' in given) return text;
    return JSON.stringify({ ...given, pr_note: notes.trim().slice(0, PR_NOTE_MAX_CHARS) });
  } catch {
    return text;
  }
}
