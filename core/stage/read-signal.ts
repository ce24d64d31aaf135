/**
 * A signal as a person typed it in the server's UI, in its program or in a client of their own: `{"kind":"halt","text":"stop"}`,
 * `"please stop"`. What can be understood becomes an input with id and author; the rest is a reason, which is noted.
 */
import { HumanInput } from '../../schemas/ledger.ts';
import type { SignalRefusal } from '../../schemas/ledger-parts.ts';
import { ManagerAction } from '../../schemas/actions.ts';
import { readInput } from './read-input.ts';

export type ReadSignal =
  { readonly ok: true; readonly input: HumanInput } | { readonly ok: false; readonly refusal: SignalRefusal };

/** Author of a signal that names none: the server does not tell the workflow who sent it. */
export const SIGNAL_AUTHOR = 'a signal of the server';
const SHOWN_MAX_CHARS = 1000;
const REASON_MAX_CHARS = 1000;
const FORMS =
  'Send {"kind":"halt","text":"WHY"}, {"kind":"text","text":"..."}, {"kind":"answer","nodeId":"NODE","text":"..."}, or one line of text such as "REDISPATCH NODE role=builder manager_note=..."';

/** The payload of the signal `input`. `id` is given to one that brings none. */
export function readSignal(payload: unknown, id: string): ReadSignal {
  const fields = fieldsOf(payload);
  const own = { id: textOf(fields?.['id']) ?? id, by: textOf(fields?.['by']) ?? SIGNAL_AUTHOR };
  const refused = (reason: string): ReadSignal => ({
    ok: false,
    refusal: {
      id: own.id.slice(0, 100),
      by: own.by.slice(0, 200),
      shown: shownOf(payload),
      reason: `${reason}. ${FORMS}`.slice(0, REASON_MAX_CHARS),
    },
  });
  if (fields === null) return refused('The signal is neither text nor an object');
  const read = inputOf(fields);
  if (typeof read === 'string') return refused(read);
  const input = HumanInput.safeParse({ ...own, ...read });
  if (input.success) return { ok: true, input: input.data };
  const [issue] = input.error.issues;
  return refused(`${issue?.path.join('.') ?? 'it'}: ${issue?.message ?? 'is not valid'}`);
}

/** A signal of another name: nothing listens to it. */
export function unknownSignal(name: string, payload: unknown, id: string): SignalRefusal {
  return {
    id,
    by: SIGNAL_AUTHOR,
    shown: shownOf(payload),
    reason: `There is no signal "${name.slice(0, 100)}": the signal is named "input". ${FORMS}`,
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(payload: unknown): Fields | null {
  if (typeof payload === 'string') return { text: payload };
  return typeof payload === 'object' && payload !== null && !Array.isArray(payload)
    ? (payload as Fields)
    : null;
}

/** What it says, or why that cannot be told. Fields that nobody knows are left out. */
function inputOf(fields: Fields): Omit<HumanInput, 'id' | 'by'> | string {
  const text = textOf(fields['text']) ?? textOf(fields['reason']) ?? '';
  const nodeId = textOf(fields['nodeId']) ?? textOf(fields['node_id']) ?? textOf(fields['node']);
  const kind = fields['kind'] ?? (fields['action_type'] === undefined ? undefined : 'action');
  switch (kind) {
    case 'halt':
      return { kind: 'halt', text, nodeId: null, action: null };
    case 'answer':
      return nodeId === null
        ? 'An answer names the node whose question it answers (nodeId)'
        : { kind: 'answer', text, nodeId, action: null };
    case 'action':
      return actionOf(fields, text);
    case 'text':
    case 'message':
    case 'input':
    case 'slash':
    case undefined: {
      if (kind === 'text' || kind === 'message') return { kind: 'text', text, nodeId: null, action: null };
      const read = readInput(text, null);
      return read.ok ? read.input : read.message;
    }
    default:
      return `There is no input of kind ${shownOf(kind)}`;
  }
}

/** The action itself, as a field, or in one line of text. */
function actionOf(fields: Fields, text: string): Omit<HumanInput, 'id' | 'by'> | string {
  const given = fields['action'] ?? (fields['action_type'] === undefined ? null : fields);
  if (given === null) {
    const read = readInput(text, null);
    if (!read.ok) return read.message;
    return read.input.kind === 'action'
      ? read.input
      : 'An action is needed: one of the nine, with its parameters';
  }
  const { action_type, parameters } = given as Fields;
  const action = ManagerAction.safeParse({ action_type, parameters });
  if (action.success) return { kind: 'action', text, nodeId: null, action: action.data };
  const problems = action.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  return `The action does not fit: ${problems.join('; ')}`;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A payload as JSON, cut. */
export function shownOf(payload: unknown): string {
  return payload === undefined ? 'nothing' : JSON.stringify(payload).slice(0, SHOWN_MAX_CHARS);
}
