/** Order and shape of the graph: cycles, topological order, depth. */
import { dependentsIndex, type Graph } from './edges.ts';

/** The first cycle over structural edges as a closed path (`a, b, a`), or null. */
export function cycleCheck(graph: Graph): string[] | null {
  const done = new Set<string>();
  for (const start of Object.keys(graph)) {
    const cycle = walk(graph, start, done);
    if (cycle !== null) return cycle;
  }
  return null;
}

/** Depth first without recursion, so that a chain of 10,000 nodes does not overflow the stack. */
function walk(graph: Graph, start: string, done: Set<string>): string[] | null {
  if (done.has(start)) return null;
  const path: { id: string; next: number }[] = [{ id: start, next: 0 }];
  const onPath = new Set([start]);
  while (path.length > 0) {
    const top = path[path.length - 1];
    if (top === undefined) break;
    const dependency = graph[top.id]?.structural?.[top.next];
    if (dependency === undefined) {
      done.add(top.id);
      onPath.delete(top.id);
      path.pop();
      continue;
    }
    top.next += 1;
    if (onPath.has(dependency)) {
      return [
        ...path.slice(path.findIndex((step) => step.id === dependency)).map((step) => step.id),
        dependency,
      ];
    }
    if (done.has(dependency) || graph[dependency] === undefined) continue;
    path.push({ id: dependency, next: 0 });
    onPath.add(dependency);
  }
  return null;
}

/** Dependencies before dependents; among equals the graph's own order. Nodes on a cycle are left out. */
export function topologicalOrder(graph: Graph): string[] {
  const ids = Object.keys(graph);
  const waitsFor = new Map(
    ids.map((id) => [
      id,
      new Set((graph[id]?.structural ?? []).filter((to) => graph[to] !== undefined)).size,
    ]),
  );
  const dependents = dependentsIndex(graph, ['structural']);
  const order = ids.filter((id) => waitsFor.get(id) === 0);
  for (let at = 0; at < order.length; at += 1) {
    for (const dependent of dependents.get(order[at] ?? '') ?? []) {
      const left = (waitsFor.get(dependent) ?? 0) - 1;
      waitsFor.set(dependent, left);
      if (left === 0) order.push(dependent);
    }
  }
  return order;
}

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
