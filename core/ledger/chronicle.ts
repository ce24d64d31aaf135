/** Which events belong to the story of a node, and how they read there (seed 001, `chronicle`). */
import type { ChronicleEntry } from '../../schemas/chronicle.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import type { StageState } from '../stage/types.ts';

interface Told {
  readonly nodeId: string;
  readonly actor: ChronicleEntry['actor'];
  readonly metadata: ChronicleEntry['metadata'];
  readonly dispatchId?: string;
  readonly thought?: string | undefined;
  readonly intent?: string | undefined;
}

/** The entry that an event leaves with its node, or null. `state` is the one before the event. */
export function chronicleEntry(
  state: StageState,
  event: LedgerEvent,
  at: string,
): { readonly nodeId: string; readonly entry: ChronicleEntry } | null {
  const told = tell(event);
  if (told === null) return null;
  const entry: ChronicleEntry = {
    turn: state.run?.turn ?? 0,
    actor: told.actor,
    action: event.type,
    metadata: told.metadata,
    manager_thought: told.thought ?? null,
    manager_intent: told.intent ?? null,
    dispatch_seq: sequenceOf(told.dispatchId),
    timestamp: at,
  };
  return { nodeId: told.nodeId, entry };
}

function tell(event: LedgerEvent): Told | null {
  switch (event.type) {
    case 'dispatched': {
      const { record } = event.data;
      const { nodeId, dispatchId, role, attempt, parameters } = record;
      const thought = parameters.managerNote;
      return {
        nodeId,
        actor: 'manager',
        metadata: { role, attempt },
        dispatchId,
        thought,
        intent: parameters.intent,
      };
    }
    case 'dispatch_restarted': {
      const { nodeId, dispatchId, why } = event.data;
      return { nodeId, actor: 'harness', metadata: { why }, dispatchId };
    }
    case 'returned': {
      const { nodeId, dispatchId, result } = event.data;
      return { nodeId, actor: 'agent', metadata: { status: result.status }, dispatchId };
    }
    case 'analyst_found': {
      const { nodeId, dispatchId, finding } = event.data;
      // A builder's work brings findings too: those that the gate has to tell of a PASS.
      const actor = /\.a\d+$/u.test(dispatchId) ? 'analyst' : 'harness';
      return { nodeId, actor, metadata: { confidence: finding.confidence }, dispatchId };
    }
    case 'validation_failed': {
      const { nodeId, dispatchId, reason } = event.data;
      return { nodeId, actor: 'harness', metadata: { reason: reason.slice(0, 500) }, dispatchId };
    }
    case 'regated': {
      const { nodeId, outcome } = event.data;
      return {
        nodeId,
        actor: 'harness',
        metadata: { verdict: outcome.verdict, report: outcome.reportDigest },
      };
    }
    case 'verdict_withdrawn': {
      const { nodeId, verdict, again, reportDigest } = event.data;
      return { nodeId, actor: 'human', metadata: { verdict, again, report: reportDigest } };
    }
    case 'committed': {
      const { nodeId, kind, commit } = event.data;
      return { nodeId, actor: 'harness', metadata: { kind, commit } };
    }
    case 'commit_refused':
      return { nodeId: event.data.nodeId, actor: 'harness', metadata: { reason: event.data.reason } };
    case 'suspended': {
      const { nodeId, type, detail, by } = event.data;
      const actor = by === 'human' || by === 'harness' ? by : 'manager';
      return { nodeId, actor, metadata: { type, detail: detail.slice(0, 500) } };
    }
    case 'answered':
      return { nodeId: event.data.nodeId, actor: 'human', metadata: { input: event.data.inputId } };
    case 'poisoned':
      return { nodeId: event.data.root, actor: 'harness', metadata: { cause: event.data.cause } };
    case 'healed':
      return { nodeId: event.data.root, actor: 'manager', metadata: {} };
    case 'suite_released':
      return { nodeId: event.data.nodeId, actor: 'manager', metadata: { version: event.data.version } };
    default:
      return null;
  }
}

/** The number at the end of a dispatch id. */
function sequenceOf(dispatchId: string | undefined): number | null {
  const digits = /(\d+)$/.exec(dispatchId ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}
