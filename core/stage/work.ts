/** An agent's return on its way to the branch: is it well formed, and what status can it earn (G1, G2)? */
import type { DispatchRecord, Submission } from '../../schemas/stage.ts';
import { nodeOf } from './draft.ts';
import type { NodeState, PendingWork, StageState } from './types.ts';

/** Turns a submission into pending work. `faults` are what VALIDATE will refuse it for. */
export function pendingWork(node: NodeState, record: DispatchRecord, submission: Submission): PendingWork {
  return {
    nodeId: record.nodeId,
    dispatchId: record.dispatchId,
    role: record.role === 'test_author' ? 'test_author' : 'builder',
    claim: claimOf(record, submission.status),
    tree: submission.tree,
    baseCommit: submission.baseCommit,
    gate: submission.gate,
    escalate: submission.escalate,
    suite: record.suite,
    faults: returnFaults(node, record, submission),
  };
}

/** Ordered with weight none, a return earns provisional at most, whatever its agent claims and its tests say. */
export function claimOf({ parameters }: DispatchRecord, claim: Submission['status']): Submission['status'] {
  return parameters.weight === 'none' ? 'provisional' : claim;
}

/** What a return lacks. A PASS without a report does not exist (G2). */
export function returnFaults(node: NodeState, record: DispatchRecord, submission: Submission): string[] {
  const faults: string[] = [];
  if (submission.gate === null) faults.push('no gate report');
  else if (submission.gate.verdict !== 'PASS') faults.push(`gate verdict is ${submission.gate.verdict}`);
  // A node of type `test` is its suite: its builder may have nothing to write.
  const mayBeEmpty = node.type === 'test' && record.role === 'builder';
  if (submission.files.length === 0 && !mayBeEmpty) faults.push('no files');
  if (record.role === 'builder' && record.suite !== (node.suite ?? 0)) faults.push('judged by another suite');
  if (record.role === 'test_author' && node.mode === 'B') {
    if ((submission.exports ?? []).length === 0) faults.push('no exports for a Mode B contract');
    if (submission.testContract === null) faults.push('no test contract for a Mode B contract');
  }
  return faults;
}

/** Why work cannot become more than provisional now, or null if it can be grounded. */
export function capOf(state: StageState, work: PendingWork): 'weight' | 'claim' | 'deps' | null {
  const node = nodeOf(state, work.nodeId);
  if (node.weight === 'none' || node.noTests === true) return 'weight';
  if (work.claim === 'provisional' || work.gate?.level === 'L0') return 'claim';
  return depsGrounded(state, node) ? null : 'deps';
}

/** Whether every structural dependency is grounded: the cap from below is lifted. */
export function depsGrounded(state: StageState, node: NodeState): boolean {
  return (node.structural ?? []).every((id) => state.nodes[id]?.status === 'grounded');
}

/** What committing this work makes: a locked suite, provisional code, or code on the branch. */
export function commitKind(state: StageState, work: PendingWork): 'suite' | 'provisional' | 'code' {
  if (work.role === 'test_author') return 'suite';
  return capOf(state, work) === null ? 'code' : 'provisional';
}
