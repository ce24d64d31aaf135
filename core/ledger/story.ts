/** Ledger lines as sentences for people: live progress and `narrative` tell the same story. */
import type { HumanInput, LedgerEvent, LedgerLine } from '../../schemas/ledger.ts';
import type { NodeChange } from '../../schemas/contract-change.ts';
import type { ManagerAction } from '../../schemas/actions.ts';
import type { ReviewFinding } from '../../schemas/review.ts';
import type { AgentResult, DispatchRecord, GateOutcome } from '../../schemas/stage.ts';
import { counted } from '../text/plural.ts';
import { eventOf } from './lines.ts';
import { findingText } from '../stage/review.ts';

const DETAIL_MAX_CHARS = 160;

/** One sentence, or null for events that only machines need. */
export function storyOf(line: LedgerLine): string | null {
  return sentence(eventOf(line));
}

/** The node that a line is about, or null. */
export function nodeOfLine(line: LedgerLine): string | null {
  return nodeOfEvent(eventOf(line));
}

/** The node that an event is about; null where it is about none or several. */
export function nodeOfEvent({ data }: LedgerEvent): string | null {
  if ('nodeId' in data) return data.nodeId;
  if ('record' in data) return data.record.nodeId;
  if ('intent' in data) return data.intent.nodeId;
  if ('root' in data) return data.root;
  if ('action' in data && data.action !== null && 'node_id' in data.action.parameters)
    return data.action.parameters.node_id;
  return null;
}

function sentence(event: LedgerEvent): string | null {
  switch (event.type) {
    case 'seeded':
      return `Seeded ${counted(event.data.nodes.length, 'node')} in ${counted(event.data.stages.length, 'stage')}`;
    case 'contract_changed':
      return `Contracts changed: ${[...event.data.nodes.map((node) => changedText(node.id, event.data.changes?.[node.id])), ...event.data.removed.map((id) => `${id} (removed)`)].join(', ')}`;
    case 'branch_settled':
      return event.data.removed === 0
        ? null
        : `${counted(event.data.removed, 'file')} that no node owns any more left the branch`;
    case 'stage_reopened':
      return `${event.data.by} opens ${event.data.stages.join(', ')} again: ${cut(event.data.reason)}`;
    case 'replaced':
      return `${event.data.nodeId}: ${event.data.by} brings ${counted(event.data.files.length, 'file')}, to be judged like a builder's`;
    case 'run_opened':
      return `Stage ${event.data.stage} ${event.data.lifecycle === 'new' ? 'begins' : event.data.lifecycle.replace('_', ' ')} (run ${String(event.data.run)}, manager ${event.data.options.manager})`;
    case 'run_taken_over':
      return `Run ${String(event.data.formerRun)} is taken over: ${cut(event.data.reason)}`;
    case 'dispatched':
      return dispatchedText(event.data.record);
    case 'dispatch_restarted':
      return `${event.data.nodeId}: its agent goes on (${event.data.why})`;
    case 'returned':
      return `${event.data.nodeId}: ${event.data.program === undefined ? '' : `${event.data.program}: `}${resultText(event.data.result)}`;
    case 'validation_failed':
      return `${event.data.nodeId}: the return is not valid: ${cut(event.data.reason)}`;
    case 'regate_requested':
      return `${event.data.nodeId}: gated again (${event.data.reason.replace('_', ' ')})`;
    case 'regated':
      return `${event.data.nodeId}: second gate says ${event.data.outcome.verdict}${gateText(event.data.outcome)}`;
    case 'verdict_withdrawn':
      return `${event.data.nodeId}: the verdict ${event.data.verdict} of report ${event.data.reportDigest.slice(7, 19)} is withdrawn: the same bytes are ${event.data.again} now, and nobody is charged`;
    case 'committed':
      return committedText(event.data);
    case 'commit_refused':
      return `${event.data.nodeId}: not committed (${event.data.reason.replace('_', ' ')}): ${cut(event.data.detail)}`;
    default:
      return stageSentence(event);
  }
}

function dispatchedText({ nodeId, role, attempt, dispatchId, agent }: DispatchRecord): string {
  const again = attempt > 0 ? ` again (${String(attempt)})` : '';
  const by = agent === undefined ? '' : ` with ${agent.name}`;
  return `${nodeId}: ${role.replace('_', ' ')} starts${again}${by}, ${dispatchId}`;
}

/** `price.money`, `price.money (a new suite)`. */
function changedText(nodeId: string, change: NodeChange | undefined): string {
  if (change === undefined) return nodeId;
  const voids = { nothing: 'all stays', verdict: 'judged again', suite: 'a new suite', all: 'made anew' };
  return `${nodeId} (${change.former === null ? 'new' : voids[change.voids]})`;
}

function stageSentence(event: LedgerEvent): string | null {
  switch (event.type) {
    case 'action_rejected':
      return `Turn ${String(event.data.turn)}: ${refusedText(event.data)} is refused: ${cut(event.data.message)}`;
    case 'action':
      return event.data.forced
        ? null
        : `Turn ${String(event.data.turn)}: ${event.data.by} says ${actionText(event.data.action)}`;
    case 'suspended':
      return `${event.data.nodeId}: suspended (${event.data.type}): ${cut(event.data.detail)}`;
    case 'poisoned':
      return `${event.data.root}: poisoned (${event.data.cause.replace('_', ' ')}): ${cut(event.data.detail)}`;
    case 'healed':
      return `${event.data.root}: healed, with what waited for it`;
    case 'suite_released':
      return `${event.data.nodeId}: suite ${String(event.data.version)} is withdrawn`;
    case 'consulted':
      return `Consult: ${cut(event.data.verdict)}`;
    case 'reviewed':
      return `${event.data.nodeId}: the reviewer ${reviewText(event.data.findings)}`;
    case 'input_received':
      return inputText(event.data.input);
    case 'input_consumed':
      return event.data.outcome === 'rejected' ? `Refused: ${cut(event.data.message)}` : null;
    case 'input_refused':
      return `Not understood, nothing done: ${cut(event.data.shown)}: ${cut(event.data.reason)}`;
    case 'mode_changed':
      return `Turn ${String(event.data.turn)}: ${event.data.mode}`;
    case 'waiting':
      return `Waiting for a person: ${cut(event.data.detail)} (${event.data.nodes.join(', ')})`;
    case 'resting':
    case 'rested':
      return event.type === 'rested' ? `At rest (${event.data.code}): ${cut(event.data.message)}` : null;
    case 'halting':
      return `Halting: ${cut(event.data.reason)}`;
    case 'halted':
      return `Halted: ${cut(event.data.reason)}`;
    case 'seal_refused':
      return `Not sealed: ${event.data.blockers.map((each) => (each.nodeId === null ? `${each.code}: ${cut(each.detail)}` : `${each.nodeId} ${each.code}`)).join(', ')}`;
    case 'sealed':
      return `Stage ${event.data.stage} is sealed: ${cut(event.data.summary)}`;
    case 'call_unknown':
      return `A crash hid the outcome of call ${event.data.callKey}: charged at its worst case`;
    case 'assumption_verified':
      return `Assumption ${event.data.from} → ${event.data.to} is verified by ${event.data.by}`;
    default:
      return null;
  }
}

/** `found nothing`, `found hard_coded at price/money.py:12: returns 42, and 2 more`. */
function reviewText(findings: readonly ReviewFinding[]): string {
  const [first, ...more] = findings;
  if (first === undefined) return 'found nothing';
  return `found ${cut(findingText(first))}${more.length === 0 ? '' : `, and ${String(more.length)} more`}`;
}

/** `ana says: prefer integers`, `ana asks to halt: lunch`, `ana answers price.money: half up`. */
function inputText({ by, kind, text, nodeId, action }: HumanInput): string {
  switch (kind) {
    case 'halt':
      return `${by} asks to halt: ${cut(text)}`;
    case 'answer':
      return `${by} answers ${nodeId ?? ''}: ${cut(text)}`;
    case 'action':
      // A signal may hold the action and no text.
      return `${by} says: ${text === '' && action !== null ? actionText(action) : cut(text)}`;
    default:
      return `${by} says: ${cut(text)}`;
  }
}

function committedText(data: Extract<LedgerEvent, { type: 'committed' }>['data']): string {
  switch (data.kind) {
    case 'suite':
      return `${data.nodeId}: suite locked (${counted(data.facts.files.length, 'file')})`;
    case 'code':
      return `${data.nodeId}: grounded, commit ${data.commit.slice(0, 8)} (${data.facts.files.length === 0 ? 'its suite alone' : counted(data.facts.lines, 'line')})`;
    case 'provisional':
      return `${data.nodeId}: provisional`;
  }
}

function resultText(result: AgentResult): string {
  switch (result.status) {
    case 'submitted':
      return `work accepted by the gate ${attemptText(result.attempts)}after ${counted(result.iterationsUsed, 'turn')}${gateText(result.submission.gate)}`;
    case 'failed': {
      // What an agent hands in is its own: only another suspect is worth a word, and a test author writes no code.
      const suspect = result.suspect === 'code' ? '' : ` (suspect: ${result.suspect})`;
      return `not accepted after ${counted(result.attempts, 'attempt')}${suspect}: ${cut(result.reasons[0] ?? '')}`;
    }
    case 'wild':
      return `wild: ${cut(result.reason)}`;
    case 'parked':
      return `asks a person: ${cut(result.detail)}`;
    case 'rested':
      return `at rest (${result.code}): ${cut(result.message)}`;
    case 'platform':
      return `platform fault, charged to nobody: ${cut(result.reason)}`;
    case 'cancelled':
      return 'cancelled';
  }
}

/** The refused attempts before an accepted one: what the gate sent back is part of the story. */
function attemptText(attempts = 1): string {
  return attempts === 1 ? '' : `at attempt ${String(attempts)} (${String(attempts - 1)} refused), `;
}

/** Where suite and code shared a process, and where a stored report of the same key answered. */
function gateText(gate: GateOutcome | null): string {
  const tier = gate?.tier === 'in_process' ? ', judged in one process (no wall)' : '';
  return `${tier}${gate?.cached === true ? ' (cached: true, nothing ran)' : ''}`;
}

/** The action and the node that it is about, with the role where it has one: `REDISPATCH price.money role=builder`. */
function actionText({ action_type: type, parameters }: ManagerAction): string {
  const node = 'node_id' in parameters ? ` ${parameters.node_id}` : '';
  const role = 'role' in parameters ? ` role=${parameters.role}` : '';
  return `${type}${node}${role}`;
}

/** Whose move, and which: `the manager's answer`, `human's REDISPATCH price.money`. */
function refusedText({ by, action }: Extract<LedgerEvent, { type: 'action_rejected' }>['data']): string {
  return action === null ? "the manager's answer" : `${by}'s ${actionText(action)}`;
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= DETAIL_MAX_CHARS ? line : `${line.slice(0, DETAIL_MAX_CHARS - 1)}…`;
}
