// What an edit of contracts does to a node, computed anew: what stays, what goes aside, what comes back.
import { freshNode } from './nodes.mjs';

/** What a change of its contract leaves of a node: all, its suite, nothing; or what was put aside for this very contract. */
export function changed(state, seed, change) {
  const before = state.nodes[seed.id];
  const fresh = { ...freshNode(seed), dispatches: before?.dispatches ?? 0, work: before?.work ?? null };
  if (change === undefined) return fresh;
  if (change.voids === 'nothing' && before !== undefined) {
    const proven = before.assumption.filter((id) => !before.unverified.includes(id));
    const { stage, structural, assumption } = fresh;
    return {
      ...structuredClone(before),
      stage,
      structural,
      assumption,
      unverified: assumption.filter((id) => !proven.includes(id)),
    };
  }
  const aside =
    change.evidence === change.former
      ? undefined
      : (state.aside[seed.id] ?? []).findLast((each) => each.evidence === change.evidence)?.node;
  if (aside !== undefined) {
    const isThere = aside.work !== null && before?.work === aside.work;
    const isEarned = aside.status === 'grounded' || aside.status === 'provisional';
    if (isThere && isEarned) {
      const { stage, structural, assumption } = fresh;
      return {
        ...structuredClone(aside),
        stage,
        structural,
        assumption,
        unverified: assumption.filter((id) => aside.unverified.includes(id)),
        dispatches: Math.max(fresh.dispatches, aside.dispatches),
      };
    }
    return { ...fresh, suite: aside.suite, dispatches: Math.max(fresh.dispatches, aside.dispatches) };
  }
  return change.voids === 'verdict' && before !== undefined ? { ...fresh, suite: before.suite } : fresh;
}

/** Work under the name of its evidence, as long as something of it is there. */
export function putAside(state, id, change) {
  const node = state.nodes[id];
  if (node === undefined || change === undefined || change.former === null || change.voids === 'nothing')
    return;
  const others = (state.aside[id] ?? []).filter((each) => each.evidence !== change.former);
  state.aside[id] = [...others, { evidence: change.former, node: structuredClone(node) }].slice(-4);
}
