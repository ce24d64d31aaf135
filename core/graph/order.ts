/** How deep a node lies in the graph. */
import type { Graph } from './edges.ts';

/** Longest chain of structural dependencies below a node that `counts` says yes to, itself not counted. */
export function depthBelow(graph: Graph, nodeId: string, counts: (nodeId: string) => boolean): number {
  const known = new Map<string, number>();
  const stack = [nodeId];
  while (stack.length > 0) {
    const id = stack[stack.length - 1] ?? nodeId;
    const counted = (graph[id]?.structural ?? []).filter(counts);
    const open = counted.filter((to) => !known.has(to) && !stack.includes(to));
    if (open.length > 0) {
      stack.push(...open.slice(0, 1));
      continue;
    }
    known.set(
      id,
      counted.reduce((deepest, to) => Math.max(deepest, 1 + (known.get(to) ?? 0)), 0),
    );
    stack.pop();
  }
  return known.get(nodeId) ?? 0;
}
