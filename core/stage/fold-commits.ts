/** Fold of gates and commits: the only place where a node becomes grounded (G1, G2). */
import type { LedgerEventOf } from '../../schemas/ledger.ts';
import type { CommitIntent, NodeStatus } from '../../schemas/stage.ts';
import { A7Error } from '../errors.ts';
import { nodeOf, patchNode, setStatus, without, type Draft, type NodePatch } from './draft.ts';
import { capOf } from './work.ts';
import type { LastWork, OpenGate, PendingWork } from './types.ts';

export function foldRegateRequested(draft: Draft, data: LedgerEventOf<'regate_requested'>['data']): void {
  draft.dispatchSeq += 1;
  draft.gates[data.gateId] = data;
  patchNode(draft, data.nodeId, { regateLast: undefined });
}

/** A PASS makes validated work again; anything else takes the work away. A platform fault leaves it to be gated again. */
export function foldRegated(draft: Draft, data: LedgerEventOf<'regated'>['data']): void {
  const gate = draft.gates[data.gateId];
  if (gate === undefined) throw new A7Error('EVENT_ORDER', `Cannot find an open gate "${data.gateId}"`);
  draft.gates = without(draft.gates, [data.gateId]);
  const node = nodeOf(draft, gate.nodeId);
  if (data.outcome.verdict === 'PASS') {
    draft.validated[gate.nodeId] = {
      ...(draft.validated[gate.nodeId] ?? workOf(gate, node.last)),
      gate: data.outcome,
      baseCommit: gate.baseCommit,
      suite: gate.suite,
    };
    patchNode(draft, gate.nodeId, { platformFaults: undefined });
    return;
  }
  if (data.outcome.fault === 'platform') {
    patchNode(draft, gate.nodeId, {
      platformFaults: (node.platformFaults ?? 0) + 1,
      ...(gate.reason === 'new_suite' && { regateLast: true }),
    });
    return;
  }
  draft.validated = without(draft.validated, [gate.nodeId]);
  // Code that its suite is to blame for waits for the next suite.
  if (data.outcome.fault === 'author') patchNode(draft, gate.nodeId, { suspect: 'suite' });
  else if (gate.reason === 'new_suite') patchNode(draft, gate.nodeId, { last: undefined });
}

export function foldCommitted(draft: Draft, data: LedgerEventOf<'committed'>['data']): void {
  const intent = intentOf(draft, data.intentId);
  const work = draft.validated[data.nodeId];
  draft.intent = null;
  draft.head = data.head;
  draft.validated = without(draft.validated, [data.nodeId]);
  if (data.kind === 'suite') {
    foldSuite(draft, intent);
    return;
  }
  const { tree, dispatchId } = intent;
  const done = { regateLast: undefined, platformFaults: undefined, done: { tree, dispatchId } };
  if (data.kind === 'code') {
    land(draft, data.nodeId, 'grounded', { ...done, cap: undefined, last: undefined });
    return;
  }
  const cap = (work === undefined ? null : capOf(draft, work)) ?? 'claim';
  land(draft, data.nodeId, 'provisional', {
    ...done,
    cap,
    last: cap === 'deps' ? { tree: intent.tree, dispatchId: intent.dispatchId } : undefined,
  });
}

/** Work that lands on a node which was poisoned meanwhile counts once the node is healed. */
function land(draft: Draft, nodeId: string, status: NodeStatus, patch: NodePatch): void {
  if (nodeOf(draft, nodeId).status === 'poisoned') patchNode(draft, nodeId, { ...patch, was: { status } });
  else setStatus(draft, nodeId, status, patch);
}

export function foldCommitRefused(draft: Draft, data: LedgerEventOf<'commit_refused'>['data']): void {
  intentOf(draft, data.intentId);
  draft.intent = null;
  if (data.reason === 'head_moved') draft.head = data.head;
  if (data.reason === 'conflict' || data.reason === 'not_pass')
    draft.validated = without(draft.validated, [data.nodeId]);
}

/** Locking a suite: the node stays what it is. A builder's last tree is gated against it before any new builder. */
function foldSuite(draft: Draft, intent: CommitIntent): void {
  const node = nodeOf(draft, intent.nodeId);
  patchNode(draft, intent.nodeId, {
    suite: intent.suite,
    suiteMax: intent.suite,
    ...(node.last !== undefined && { regateLast: true }),
  });
}

function workOf(gate: OpenGate, last: LastWork | undefined): PendingWork {
  return {
    nodeId: gate.nodeId,
    dispatchId: gate.dispatchId,
    role: 'builder',
    claim: (last?.dispatchId === gate.dispatchId ? last.claim : undefined) ?? 'grounded',
    tree: gate.tree,
    baseCommit: gate.baseCommit,
    gate: null,
    escalate: false,
    suite: gate.suite,
    faults: [],
  };
}

function intentOf(draft: Draft, intentId: string): CommitIntent {
  if (draft.intent?.intentId === intentId) return draft.intent;
  throw new A7Error('EVENT_ORDER', `Cannot resolve the commit intent "${intentId}": it is not open`);
}
