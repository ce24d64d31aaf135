/** Edges of the node graph: who depends on whom. Nodes name their dependencies; everything else is computed here. */

/** The part of a node that graph algorithms read. */
export interface GraphNode {
  readonly structural?: readonly string[];
  readonly assumption?: readonly string[];
}
export type Graph = Readonly<Record<string, GraphNode>>;
export type EdgeKind = 'structural' | 'assumption';

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
}

/** All edges, by node in the graph's order, structural first: the seed's root-level `dependencies`. */
export function edgesOf(graph: Graph): Edge[] {
  return Object.entries(graph).flatMap(([from, node]) => [
    ...(node.structural ?? []).map((to): Edge => ({ from, to, kind: 'structural' })),
    ...(node.assumption ?? []).map((to): Edge => ({ from, to, kind: 'assumption' })),
  ]);
}

/** Direct dependents of every node, over the given kinds of edges. */
export function dependentsIndex(graph: Graph, kinds: readonly EdgeKind[]): Map<string, string[]> {
  const index = new Map<string, string[]>();
  for (const edge of edgesOf(graph)) {
    if (!kinds.includes(edge.kind)) continue;
    const list = index.get(edge.to);
    if (list === undefined) index.set(edge.to, [edge.from]);
    else if (!list.includes(edge.from)) list.push(edge.from);
  }
  return index;
}

/** Everything reachable from `start` by `next`, without `start`, in breadth-first order. */
export function reach(start: string, next: (nodeId: string) => readonly string[]): string[] {
  const seen = new Set([start]);
  const order: string[] = [];
  const queue = [start];
  for (let at = 0; at < queue.length; at += 1) {
    for (const other of next(queue[at] ?? start)) {
      if (seen.has(other)) continue;
      seen.add(other);
      order.push(other);
      queue.push(other);
    }
  }
  return order;
}

/** Who stands on a node: all transitive dependents over structural edges. */
export function dependentsOf(graph: Graph, nodeId: string): string[] {
  const index = dependentsIndex(graph, ['structural']);
  return reach(nodeId, (id) => index.get(id) ?? []);
}

/** Who falls with `root`: all transitive dependents over structural and assumption edges, without `root` (G8). */
export function poisonSet(graph: Graph, root: string): string[] {
  const index = dependentsIndex(graph, ['structural', 'assumption']);
  return reach(root, (id) => index.get(id) ?? []).filter((id) => id !== root);
}
