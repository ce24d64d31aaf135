/** Fold of agents: dispatched, restarted, returned, suspended. */
import type { LedgerEventOf } from '../../schemas/ledger.ts';
import type { AgentResult, DispatchRecord } from '../../schemas/stage.ts';
import { A7Error } from '../errors.ts';
import { addCost, nodeOf, patchNode, setStatus, without, type Draft } from './draft.ts';
import { heal } from './poison.ts';
import { claimOf, pendingWork } from './work.ts';
import type { LastWork, OpenDispatch } from './types.ts';

export function foldDispatched(draft: Draft, record: DispatchRecord): void {
  draft.dispatchSeq = record.dispatchSeq;
  if (record.role !== 'analyst') giveUp(draft, record.nodeId);
  draft.open[record.dispatchId] = { record, phase: 'running', resume: null };
  if (record.role === 'analyst') return;
  const node = nodeOf(draft, record.nodeId);
  if (node.status === 'suspended') setStatus(draft, record.nodeId, 'near');
  const counter = record.role === 'builder' ? 'retries' : 'suiteRetries';
  patchNode(draft, record.nodeId, {
    dispatches: (node.dispatches ?? 0) + 1,
    suspect: undefined,
    suiteFault: undefined,
    ...(record.attempt > 0 && { [counter]: record.attempt }),
  });
}

export function foldRestarted(draft: Draft, data: LedgerEventOf<'dispatch_restarted'>['data']): void {
  const open = openOf(draft, data.dispatchId);
  draft.open[data.dispatchId] = { ...open, phase: 'running', resume: data.resume };
  if (data.why === 'answered' && nodeOf(draft, data.nodeId).status === 'suspended') {
    setStatus(draft, data.nodeId, 'near');
  }
}

export function foldReturned(draft: Draft, data: LedgerEventOf<'returned'>['data']): void {
  const open = openOf(draft, data.dispatchId);
  addCost(draft, data.result.usage.costMicroUsd);
  const phase = phaseAfter(data.result, open);
  if (phase === null) draft.open = without(draft.open, [data.dispatchId]);
  else draft.open[data.dispatchId] = { ...open, phase, resume: resumeAfter(data.result, open) };
  if (open.record.role !== 'analyst') foldWork(draft, open.record, data.result);
  const { told = 0 } = data;
  if (told > 0) patchNode(draft, data.nodeId, { told: (nodeOf(draft, data.nodeId).told ?? 0) + told });
}

/**
 * The same bytes were given another verdict: who was charged for the first one is charged no more. The code that it refused is
 * gated again, without a model.
 */
export function foldWithdrawn(draft: Draft, data: LedgerEventOf<'verdict_withdrawn'>['data']): void {
  const node = draft.nodes[data.nodeId];
  if (node?.refusedBy !== data.reportDigest) return;
  if (node.root === true) heal(draft, data.nodeId);
  const { retries = 0, last, status } = nodeOf(draft, data.nodeId);
  patchNode(draft, data.nodeId, {
    refusedBy: undefined,
    retries: retries > 1 ? retries - 1 : undefined,
    // A suspended node waits for a decision: nothing is gated behind its back.
    ...(last !== undefined && status === 'near' && data.again === 'PASS' && { regateLast: true }),
  });
}

/** A person's answer without an agent behind it: the node can be dispatched again. */
export function foldAnswered(draft: Draft, nodeId: string): void {
  if (nodeOf(draft, nodeId).status === 'suspended') setStatus(draft, nodeId, 'near');
}

export function foldSuspended(draft: Draft, data: LedgerEventOf<'suspended'>['data']): void {
  draft.returns = without(draft.returns, [data.nodeId]);
  draft.validated = without(draft.validated, [data.nodeId]);
  const wild = nodeOf(draft, data.nodeId).wild ?? 0;
  setStatus(draft, data.nodeId, 'suspended', {
    reason: data.type,
    cap: undefined,
    regateLast: undefined,
    ...(data.type === 'wild' && { wild: wild + 1 }),
  });
}

function foldWork(draft: Draft, record: DispatchRecord, result: AgentResult): void {
  const node = nodeOf(draft, record.nodeId);
  switch (result.status) {
    case 'submitted':
      draft.returns[record.nodeId] = pendingWork(node, record, result.submission);
      patchNode(draft, record.nodeId, { platformFaults: undefined });
      return;
    case 'failed': {
      patchNode(draft, record.nodeId, {
        suspect: result.suspect === 'suite' ? 'suite' : undefined,
        suiteFault: result.suspect === 'suite' ? result.suiteFault : undefined,
        refusedBy:
          record.role === 'builder' && result.suspect === 'code'
            ? (result.reportDigest ?? undefined)
            : undefined,
        ...(result.suspect === 'platform' && { platformFaults: (node.platformFaults ?? 0) + 1 }),
        ...(record.role === 'builder' && result.tree !== null && { last: lastOf(record, result.tree) }),
      });
      return;
    }
    case 'platform': {
      patchNode(draft, record.nodeId, { platformFaults: (node.platformFaults ?? 0) + 1 });
      return;
    }
    case 'wild':
    case 'parked':
    case 'rested':
    case 'cancelled':
      return;
  }
}

function lastOf(record: DispatchRecord, tree: string): LastWork {
  const isCapped = claimOf(record, 'grounded') === 'provisional';
  return { tree, dispatchId: record.dispatchId, ...(isCapped && { claim: 'provisional' }) };
}

/** A new dispatch gives up what the node had before: a parked or held agent, returns of a poisoned node. */
function giveUp(draft: Draft, nodeId: string): void {
  for (const open of Object.values(draft.open)) {
    const same = open.record.nodeId === nodeId && open.record.role !== 'analyst';
    if (same && open.phase !== 'running') draft.open = without(draft.open, [open.record.dispatchId]);
  }
  draft.returns = without(draft.returns, [nodeId]);
  draft.validated = without(draft.validated, [nodeId]);
}

/** Null: the dispatch is over. */
function phaseAfter(result: AgentResult, open: OpenDispatch): OpenDispatch['phase'] | null {
  if (result.status === 'rested' || result.status === 'cancelled') return 'held';
  return result.status === 'parked' && open.record.role !== 'analyst' ? 'parked' : null;
}

function resumeAfter(result: AgentResult, open: OpenDispatch): OpenDispatch['resume'] {
  return result.status === 'parked' ? { head: result.head, tree: result.tree, answer: null } : open.resume;
}

function openOf(draft: Draft, dispatchId: string): OpenDispatch {
  const open = draft.open[dispatchId];
  if (open === undefined) throw new A7Error('EVENT_ORDER', `Cannot find an open dispatch "${dispatchId}"`);
  return open;
}
