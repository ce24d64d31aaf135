/** Which nodes matter most to the next move: the order in which a board shows and drops them. */
import type { StageState } from '../stage/types.ts';

/** Pending and failed nodes first, then in flight, ready, their dependencies, the rest; the contract's order among equals. */
export function byCloseness(
  state: StageState,
  nodeIds: readonly string[],
  ready: readonly string[],
): string[] {
  const readySet = new Set(ready);
  const inFlight = new Set(Object.values(state.open).map((open) => open.record.nodeId));
  const below = new Set([...readySet, ...inFlight].flatMap((id) => state.nodes[id]?.structural ?? []));
  const rank = (id: string): number => {
    const node = state.nodes[id];
    if (state.returns[id] !== undefined || state.validated[id] !== undefined) return 0;
    if (node?.root === true || node?.status === 'suspended') return 1;
    if (inFlight.has(id)) return 2;
    if (readySet.has(id)) return 3;
    return below.has(id) ? 4 : 5;
  };
  const ranked = nodeIds.map((id, at) => ({ id, at, rank: rank(id) }));
  ranked.sort((left, right) => left.rank - right.rank || left.at - right.at);
  return ranked.map((item) => item.id);
}
