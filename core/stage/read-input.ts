/** What a person typed: a slash command, a manager's action (`ACTION node_id [key=value …]`, seed 001), an answer, or text. */
import { ACTION_TYPES, ManagerAction } from '../../schemas/actions.ts';
import type { HumanInput } from '../../schemas/ledger.ts';
import { nearestWord } from '../text/nearest.ts';

export type ReadInput =
  | { readonly ok: true; readonly input: Omit<HumanInput, 'id' | 'by'> }
  | { readonly ok: false; readonly message: string };

const ACTIONS: readonly string[] = ACTION_TYPES;
const LISTS = ['focus_hints', 'clear_findings', 'target_nodes', 'relevant_node_ids', 'constraints'];
const NUMBERS = ['expected_iterations'];
/** What people type for a parameter's long name. */
const SHORT: Readonly<Record<string, string>> = { note: 'manager_note' };
const PLAIN = { nodeId: null, action: null } as const;

/** Reads `text`; `answersNode` makes it an answer to that node's question. */
export function readInput(text: string, answersNode: string | null): ReadInput {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, message: 'Cannot record an empty input: say something' };
  if (answersNode !== null)
    return { ok: true, input: { kind: 'answer', text: trimmed, nodeId: answersNode, action: null } };
  if (trimmed.startsWith('/')) return { ok: true, input: { kind: 'slash', text: trimmed, ...PLAIN } };
  const all = words(trimmed);
  if (!ACTIONS.includes(all[0] ?? '')) return { ok: true, input: { kind: 'text', text: trimmed, ...PLAIN } };
  return readAction(all);
}

/** One of the nine actions, a word each: `DISPATCH`, `price.money`, `role=builder`, `note=try again`. */
export function readAction(all: readonly string[]): ReadInput {
  const [word = '', ...rest] = all;
  if (!ACTIONS.includes(word)) {
    const near = nearestWord(word.toUpperCase(), ACTIONS);
    const hint = near === null ? `the actions are ${ACTIONS.join(', ')}` : `did you mean ${near}?`;
    return { ok: false, message: `Cannot read the action "${word}": ${hint}` };
  }
  const trimmed = all.map((each) => (/\s/u.test(each) ? each.replace(/=(.*)$/su, '="$1"') : each)).join(' ');
  const action = ManagerAction.safeParse({ action_type: word, parameters: parameters(rest) });
  if (action.success)
    return { ok: true, input: { kind: 'action', text: trimmed, nodeId: null, action: action.data } };
  const given = parameters(rest);
  const problems = action.error.issues
    .map(({ path, message }) => problemText(path.slice(1).join('.'), message, given))
    .join('; ');
  return {
    ok: false,
    message: `Cannot read the action "${word}": ${problems}. Form: ${word} ${FORMS[word as ManagerAction['action_type']]}`,
  };
}

function problemText(name: string, message: string, given: Readonly<Record<string, unknown>>): string {
  if (name === '') return message.replace('Unrecognized key', 'it takes no parameter');
  return name.includes('.') || name in given ? `${name}: ${message}` : `${name} is missing`;
}

const NOTE = 'manager_note="what failed, what to do differently"';
/** What is typed behind each action. */
const FORMS: Readonly<Record<ManagerAction['action_type'], string>> = {
  DISPATCH: 'NODE role=builder (or test_author, analyst) note="..."',
  REDISPATCH: `NODE role=builder (or test_author) ${NOTE}`,
  VALIDATE: 'NODE',
  COMMIT: 'NODE',
  SUSPEND: 'NODE type=near (or far) detail="..."',
  CONSULT: 'question="..."',
  SEAL: 'summary="..."',
  HALT: 'reason="..."',
  UPDATE_PLAN: 'narrative="..." checklist="first thing; second thing"',
};

function parameters(rest: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [index, part] of rest.entries()) {
    const equals = part.indexOf('=');
    if (equals === -1) {
      if (index === 0) found['node_id'] = part;
      continue;
    }
    const key = part.slice(0, equals);
    const value = part.slice(equals + 1);
    found[SHORT[key] ?? key] = valueOf(key, value);
  }
  return found;
}

function valueOf(key: string, value: string): unknown {
  if (LISTS.includes(key)) return value.split(',');
  if (NUMBERS.includes(key)) return Number(value);
  if (key !== 'checklist') return value;
  const texts = value.split(';').map((text) => text.trim());
  return texts
    .filter((text) => text !== '')
    .map((text, index) => ({ id: `c${String(index + 1)}`, text, status: 'pending' }));
}

/** Splits at spaces; double quotes hold a value together: `manager_note="try again"`. */
function words(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map((match) => match[0].replaceAll('"', ''));
}
