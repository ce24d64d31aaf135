/** Failure spreads and names its cause; healing takes back exactly what it took (G8). */
import { poisonSet } from '../graph/edges.ts';
import { nodeOf, patchNode, setStatus, type Draft } from './draft.ts';
import type { NodeState, StageState } from './types.ts';

/** Victims of `root` that may be rewritten: those in stages that are not sealed. */
export function victimsOf(state: StageState, root: string): string[] {
  return poisonSet(state.nodes, root).filter(
    (id) => state.stages[nodeOf(state, id).stage]?.status !== 'sealed',
  );
}

export function poison(draft: Draft, root: string): void {
  if (nodeOf(draft, root).root === true) return;
  fall(draft, root);
  patchNode(draft, root, { root: true });
  for (const victim of victimsOf(draft, root)) {
    fall(draft, victim);
    patchNode(draft, victim, { heldBy: [...(nodeOf(draft, victim).heldBy ?? []), root] });
  }
}

export function heal(draft: Draft, root: string): void {
  patchNode(draft, root, { root: undefined, was: { status: 'near' } });
  release(draft, root);
  for (const victim of victimsOf(draft, root)) {
    const left = (nodeOf(draft, victim).heldBy ?? []).filter((holder) => holder !== root);
    patchNode(draft, victim, { heldBy: left.length > 0 ? left : undefined });
    release(draft, victim);
  }
}

/** After edges changed: every node is held by exactly the roots that it depends on now. */
export function rebindPoison(draft: Draft): void {
  const roots = Object.keys(draft.nodes).filter((id) => nodeOf(draft, id).root === true);
  const victims = new Map(roots.map((root) => [root, new Set(victimsOf(draft, root))]));
  for (const id of Object.keys(draft.nodes)) {
    const holders = roots.filter((root) => victims.get(root)?.has(id) === true);
    if (holders.length > 0) fall(draft, id);
    patchNode(draft, id, { heldBy: holders.length > 0 ? holders : undefined });
    release(draft, id);
  }
}

/** Remembers what a node was, once, and poisons it. */
function fall(draft: Draft, nodeId: string): void {
  const node = nodeOf(draft, nodeId);
  if (node.status === 'poisoned') return;
  const was =
    node.reason === undefined ? { status: node.status } : { status: node.status, reason: node.reason };
  setStatus(draft, nodeId, 'poisoned', { was });
}

/** Gives a node back what it was, unless it failed itself or another root still holds it. */
function release(draft: Draft, nodeId: string): void {
  const node: NodeState = nodeOf(draft, nodeId);
  if (node.status !== 'poisoned' || node.root === true || (node.heldBy ?? []).length > 0) return;
  const was = node.was ?? { status: 'near' };
  patchNode(draft, nodeId, { status: was.status, reason: was.reason, was: undefined });
}
