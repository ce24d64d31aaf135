/**
 * A reader beside the judge: what it names is a finding, never a verdict (G2).
 *
 * R1. Every builder's work that passed is read once, where a reviewer is configured. A commit does not wait for it.
 * R2. With `require_review` the commit waits: for the review, and where it found something, or where nobody reads, for whoever
 *     decides. COMMIT, REDISPATCH and SUSPEND are the answers; the harness and a policy never give one.
 */
import type { LedgerEventOf } from '../../schemas/ledger.ts';
import type { ReviewFinding } from '../../schemas/review.ts';
import { addCost, nodeOf, patchNode, runOf, type Draft } from './draft.ts';
import type { NodeState, PendingWork, StageState } from './types.ts';

/** Work that nobody has read yet, in order of arrival. */
export function reviewsDue(state: StageState): PendingWork[] {
  if (runOf(state).options.reviewer !== true) return [];
  return Object.values(state.validated).filter(
    (work) => isReviewable(work) && nodeOf(state, work.nodeId).review?.tree !== work.tree,
  );
}

/** Reviews that are out. */
export function reviewsOut(state: StageState): { nodeId: string; dispatchId: string; tree: string }[] {
  return Object.entries(state.nodes).flatMap(([nodeId, { review }]) =>
    review?.findings === 'asked' ? [{ nodeId, dispatchId: review.dispatchId, tree: review.tree }] : [],
  );
}

/** Whether the reviewer still reads the code that waits for its commit. */
export function isBeingRead(state: StageState, nodeId: string): boolean {
  const review = reviewOf(state, nodeId);
  return nodeOf(state, nodeId).requireReview === true && review?.findings === 'asked';
}

/** Whether validated code waits for somebody's answer to its review. */
export function isHeldForReview(state: StageState, nodeId: string): boolean {
  const work = state.validated[nodeId];
  if (work === undefined || !isReviewable(work)) return false;
  if (nodeOf(state, nodeId).requireReview !== true) return false;
  return reviewOf(state, nodeId)?.findings !== 0;
}

/** Validated nodes that whoever decides must look at. */
export function heldForReview(state: StageState): string[] {
  return Object.keys(state.validated).filter(
    (nodeId) => isHeldForReview(state, nodeId) && !isBeingRead(state, nodeId),
  );
}

/** Of these, what a model or a person decides about; a policy leaves it to a person. */
export function heldForManager(state: StageState): string[] {
  return runOf(state).options.manager === 'policy' ? [] : heldForReview(state);
}

/** A run without a reviewer waits for none: what an earlier one was asked is void. */
export function foldReviewersOf(draft: Draft): void {
  if (runOf(draft).options.reviewer === true) return;
  for (const { nodeId } of reviewsOut(draft)) patchNode(draft, nodeId, { review: undefined });
}

export function foldReview(draft: Draft, event: LedgerEventOf<'review_asked' | 'reviewed'>): void {
  const { nodeId, tree, dispatchId } = event.data;
  if (event.type === 'review_asked') {
    patchNode(draft, nodeId, { review: { tree, dispatchId, findings: 'asked' } });
    return;
  }
  addCost(draft, event.data.costMicroUsd);
  if (draft.nodes[nodeId]?.review?.tree !== tree) return;
  patchNode(draft, nodeId, { review: { tree, dispatchId, findings: event.data.findings.length } });
}

/** `hard_coded at price/money.py:12: returns 42 for the example`. */
export function findingText({ kind, file, line, text }: ReviewFinding): string {
  const place = file === null ? '' : ` at ${file}${line === null ? '' : `:${String(line)}`}`;
  return `${kind}${place}: ${text}`;
}

function isReviewable(work: PendingWork): boolean {
  return work.role === 'builder' && work.gate?.verdict === 'PASS';
}

/** The review of the very tree that waits for its commit. */
function reviewOf(state: StageState, nodeId: string): NodeState['review'] {
  const { review } = nodeOf(state, nodeId);
  return review?.tree === state.validated[nodeId]?.tree ? review : undefined;
}
