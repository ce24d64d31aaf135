/** Fold of a changed contract's texts: what stays, what goes aside, and what comes back with its evidence. */
import type { NodeChange } from '../../schemas/contract-change.ts';
import type { LedgerEventOf } from '../../schemas/ledger.ts';
import { keptMax } from '../stage/fold-change.ts';
import { type DocDraft, type NodeTexts, newest } from './session-doc.ts';

/** Texts of a first seed. */
export function seedTexts(draft: DocDraft, data: LedgerEventOf<'seeded'>['data'], at: string): void {
  draft.contractsRef = data.contractsRef;
  for (const node of data.nodes) {
    draft.digests[node.id] = node.digest;
    draft.nodes[node.id] = freshTexts(draft.nodes[node.id], at);
  }
}

/** Texts follow their node: what is void goes aside, and comes back with the evidence that it belongs to. */
export function changeTexts(
  draft: DocDraft,
  data: LedgerEventOf<'contract_changed'>['data'],
  at: string,
): void {
  const texts = Object.fromEntries(
    data.nodes.map(({ id }) => [id, textsAfter(draft, id, data.changes?.[id], at)] as const),
  );
  for (const [id, change] of Object.entries(data.changes ?? {})) {
    const before = draft.nodes[id];
    if (before === undefined || change.former === null || change.voids === 'nothing') continue;
    const others = (draft.keptTexts[id] ?? []).filter((each) => each.evidence !== change.former);
    const kept = [...others, { evidence: change.former, texts: before }];
    draft.keptTexts = { ...draft.keptTexts, [id]: newest(kept, keptMax) };
  }
  draft.contractsRef = data.contractsRef;
  for (const node of data.nodes) draft.digests[node.id] = node.digest;
  Object.assign(draft.nodes, texts);
}

function textsAfter(draft: DocDraft, nodeId: string, change: NodeChange | undefined, at: string): NodeTexts {
  const before = draft.nodes[nodeId];
  const fresh = freshTexts(before, at);
  if (change === undefined) return fresh;
  const kept = (draft.keptTexts[nodeId] ?? []).findLast((each) => each.evidence === change.evidence)?.texts;
  if (change.voids === 'nothing') return before ?? fresh;
  const of = kept ?? (change.voids === 'verdict' ? before : undefined);
  if (of === undefined) return fresh;
  const { exports, testContract, prNote, facts, factsAt } = of;
  const isBack = kept !== undefined;
  return { ...fresh, exports, testContract, prNote, ...(isBack && { facts, factsAt }) };
}

/** A changed contract keeps its history, not what was derived from the old text. */
export function freshTexts(before: NodeTexts | undefined, at: string): NodeTexts {
  return {
    createdAt: before?.createdAt ?? at,
    suspensionDetail: null,
    retryContext: [],
    prNote: null,
    testContract: null,
    exports: null,
    committedFiles: before?.committedFiles ?? [],
    pendingFiles: [],
    tags: before?.tags ?? [],
    facts: null,
    factsAt: null,
    iterations: before?.iterations ?? [],
    chronicle: before?.chronicle ?? [],
    findings: [],
  };
}
