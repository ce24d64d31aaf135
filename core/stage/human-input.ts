/** What people send: halt, text, slash commands, answers, the manager's move made by hand (design part 6, messages). */
import type { HumanInput } from '../../schemas/ledger.ts';
import { takeAction } from './apply-action.ts';
import { runOf } from './draft.ts';
import { beginHalt, emit, poisonRoot, type Work } from './effects.ts';
import { freeSlots } from './ready.ts';

type Outcome = { readonly outcome: 'applied' | 'read' | 'rejected'; readonly message: string } | 'later';

/** Consumes the first input that can be consumed now. True: one was. */
export function takeHumanInput(work: Work): boolean {
  for (const input of work.draft.inputs) {
    const result = take(work, input);
    if (result === 'later') continue;
    emit(work, { type: 'input_consumed', data: { id: input.id, ...result } });
    return true;
  }
  return false;
}

function take(work: Work, input: HumanInput): Outcome {
  switch (input.kind) {
    case 'halt':
      return rejected('A halt without a running stage stops nothing');
    case 'text':
      return takeText(runOf(work.draft).options.manager);
    case 'slash':
      return takeSlash(work, input.text);
    case 'answer':
      return takeAnswer(work, input);
    case 'action':
      return takeManualAction(work, input);
  }
}

/** A model reads it with its next board. A person has it before their eyes: no move is held back for it. */
function takeText(manager: 'llm' | 'policy' | 'human'): Outcome {
  switch (manager) {
    case 'llm':
      return 'later';
    case 'policy':
      return { outcome: 'read', message: 'The policy manager reads no text' };
    case 'human':
      return { outcome: 'read', message: 'Shown to the person who decides' };
  }
}

function applied(message: string): Outcome {
  return { outcome: 'applied', message };
}

function rejected(message: string): Outcome {
  return { outcome: 'rejected', message };
}

function takeSlash(work: Work, text: string): Outcome {
  const [command = '', first = '', ...rest] = text.trim().split(/\s+/);
  switch (command) {
    case '/halt':
      return rejected('A halt without a running stage stops nothing');
    case '/poison':
      return takePoison(work, first, rest.join(' '));
    case '/verify':
      return takeVerify(work, first, rest[0] ?? '');
    default:
      return rejected(`Unknown command "${command}": use /halt WHY, /poison NODE WHY or /verify FROM TO`);
  }
}

function takePoison(work: Work, nodeId: string, why: string): Outcome {
  const node = work.draft.nodes[nodeId];
  if (node === undefined) return rejected(`Cannot poison "${nodeId}": there is no such node`);
  if (work.draft.stages[node.stage]?.status === 'sealed') {
    return rejected(`Cannot poison "${nodeId}": stage "${node.stage}" is sealed`);
  }
  if (node.root === true) return rejected(`Cannot poison "${nodeId}": it is poisoned already`);
  poisonRoot(work, nodeId, 'by_hand', why === '' ? 'Poisoned by hand' : why);
  return applied(`poisoned "${nodeId}"`);
}

function takeVerify(work: Work, from: string, to: string): Outcome {
  if (work.draft.nodes[from]?.unverified?.includes(to) !== true) {
    return rejected(`Cannot verify: "${from}" has no unverified assumption about "${to}"`);
  }
  emit(work, { type: 'assumption_verified', data: { from, to, by: 'human' } });
  return applied(`verified "${from}" about "${to}"`);
}

/** An answer starts the parked agent again where it stopped, or makes a far node near; it waits for a free slot. */
function takeAnswer(work: Work, input: HumanInput): Outcome {
  const { draft } = work;
  const nodeId = input.nodeId ?? '';
  const node = draft.nodes[nodeId];
  if (node?.status !== 'suspended' || node.reason !== 'far' || node.stage !== runOf(draft).stage) {
    return rejected(`Cannot take the answer: node "${nodeId}" does not wait for a person`);
  }
  const parked = Object.values(draft.open).find(
    (open) => open.phase === 'parked' && open.record.nodeId === nodeId,
  );
  if (parked?.resume === undefined || parked.resume === null) {
    emit(work, { type: 'answered', data: { nodeId, inputId: input.id, text: input.text } });
    return applied(`"${nodeId}" is near again`);
  }
  if (freeSlots(draft) === 0) return 'later';
  const { record } = parked;
  const resume = { ...parked.resume, answer: input.text };
  const data = { nodeId, dispatchId: record.dispatchId, why: 'answered', resume } as const;
  emit(work, { type: 'dispatch_restarted', data });
  work.commands.push({ kind: 'start_agent', record, resume });
  return applied(`${record.dispatchId} goes on`);
}

function takeManualAction(work: Work, input: HumanInput): Outcome {
  if (input.action === null) return rejected('Cannot take the action: it is empty');
  const source = { by: 'human', forced: false, callKey: null, costMicroUsd: null } as const;
  const refusal = takeAction(work, input.action, source);
  return refusal === null ? applied(input.action.action_type) : rejected(refusal);
}

/** Texts that the manager has read with its last board. */
export function consumeRead(work: Work, ids: readonly string[]): void {
  for (const input of work.draft.inputs) {
    if (input.kind !== 'text' || !ids.includes(input.id)) continue;
    emit(work, {
      type: 'input_consumed',
      data: { id: input.id, outcome: 'read', message: 'On the board of the manager' },
    });
  }
}

/** A halt is taken at once, in every phase; one that comes while the run ends anyway must not stop the next run. */
export function takeHaltAtOnce(work: Work, input: HumanInput): void {
  const isHalt = input.kind === 'halt' || (input.kind === 'slash' && /^\/halt(\s|$)/.test(input.text.trim()));
  if (!isHalt) return;
  const reason = input.text.trim().replace(/^\/halt\s*/, '');
  beginHalt(work, reason === '' ? 'Halted by a person' : reason, null, 'human');
  emit(work, { type: 'input_consumed', data: { id: input.id, outcome: 'applied', message: 'halting' } });
}
