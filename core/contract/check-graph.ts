/** Faults between nodes: ids, stages, dependencies, cycles (design part 6, gate.md part 1). */
import type { ContractNode, Contracts, StageSpec } from '../../schemas/contract.ts';
import { suggestNearest } from '../text/nearest.ts';
import { contractProblem, type ContractProblem } from './problem.ts';

const DEPENDENCY_FIELDS = ['structural_deps', 'assumption_deps'] as const;

/** Problems of the graph as a whole, in the order of the document; a cycle is named once, at its first node. */
export function checkGraph(contracts: Contracts): ContractProblem[] {
  const { nodes, stages } = contracts;
  const ids = [...checkStageIds(stages), ...checkNodeIds(nodes)];
  const graph: GraphIndex = {
    nodes: firstById(nodes, (node) => node),
    stages: firstById(stages, (stage, order) => ({ ...stage, order })),
  };
  const edges = nodes.flatMap((node, index) => checkEdges(node, index, graph));
  return [...ids, ...edges, ...checkCycles(nodes)];
}

/** Of two entries of one id, which is a problem of its own, the first counts. */
function firstById<T extends { readonly id: string }, V>(
  entries: readonly T[],
  valueOf: (entry: T, index: number) => V,
): Map<string, V> {
  const found = new Map<string, V>();
  entries.forEach((entry, index) => {
    if (!found.has(entry.id)) found.set(entry.id, valueOf(entry, index));
  });
  return found;
}

interface GraphIndex {
  readonly nodes: ReadonlyMap<string, ContractNode>;
  readonly stages: ReadonlyMap<string, StageSpec & { readonly order: number }>;
}

function checkStageIds(stages: readonly StageSpec[]): ContractProblem[] {
  return stages.flatMap((stage, index) => {
    const first = stages.findIndex((other) => other.id === stage.id);
    if (first === index) return [];
    return [
      contractProblem(
        ['stages', index, 'id'],
        `Cannot use stage "${stage.id}": ids must be unique, stages[${first}] has it too`,
      ),
    ];
  });
}

function checkNodeIds(nodes: readonly ContractNode[]): ContractProblem[] {
  const first = new Map<string, number>();
  const problems: ContractProblem[] = [];
  nodes.forEach((node, index) => {
    const other = first.get(node.id);
    if (other === undefined) first.set(node.id, index);
    else {
      const message = `Cannot use node "${node.id}": ids must be unique, nodes[${other}] has it too`;
      problems.push(contractProblem(['nodes', index, 'id'], message));
    }
  });
  return [...problems, ...checkPrefixes(nodes, first)];
}

/** `auth` would own the folder that `auth.jwt` lies in, so both must say what they own. */
function checkPrefixes(
  nodes: readonly ContractNode[],
  indexes: ReadonlyMap<string, number>,
): ContractProblem[] {
  return nodes.flatMap((node, index) => {
    const outer = prefixesOf(node.id).find((id) => indexes.has(id));
    const outerNode = outer === undefined ? undefined : nodes[indexes.get(outer) ?? -1];
    if (outerNode === undefined || (node.files !== undefined && outerNode.files !== undefined)) return [];
    const message = `Cannot use node "${node.id}": its id continues that of node "${outerNode.id}", so their default files would overlap`;
    return [
      contractProblem(
        ['nodes', index, 'id'],
        message,
        `Give both nodes "files", or rename one, for example "${node.id.replaceAll('.', '_')}"`,
      ),
    ];
  });
}

function prefixesOf(id: string): string[] {
  const parts = id.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
}

function checkEdges(node: ContractNode, index: number, graph: GraphIndex): ContractProblem[] {
  if (!graph.stages.has(node.stage)) {
    const message = `Cannot use node "${node.id}": stage "${node.stage}" is not in "stages"`;
    return [
      contractProblem(
        ['nodes', index, 'stage'],
        message,
        suggestNearest(node.stage, [...graph.stages.keys()]),
      ),
    ];
  }
  return DEPENDENCY_FIELDS.flatMap((field) =>
    node[field].flatMap((dependency, at) => {
      const fault = edgeFault(node, { field, at, dependency }, graph);
      if (fault === null) return [];
      const message = `Cannot use node "${node.id}": ${fault.rule}`;
      return [contractProblem(['nodes', index, field, at], message, fault.suggestion)];
    }),
  );
}

interface EdgeFault {
  readonly rule: string;
  readonly suggestion?: string | undefined;
}

function edgeFault(
  node: ContractNode,
  edge: {
    readonly field: (typeof DEPENDENCY_FIELDS)[number];
    readonly at: number;
    readonly dependency: string;
  },
  graph: GraphIndex,
): EdgeFault | null {
  const { field, at, dependency } = edge;
  if (dependency === node.id) return { rule: 'it must not depend on itself' };
  if (node[field].indexOf(dependency) !== at)
    return { rule: `dependency "${dependency}" must be listed once` };
  const target = graph.nodes.get(dependency);
  if (target !== undefined) return stageFault(node, target, graph);
  const names = [...graph.nodes.keys()].filter((id) => id !== node.id);
  return { rule: `dependency "${dependency}" does not exist`, suggestion: suggestNearest(dependency, names) };
}

function stageFault(node: ContractNode, target: ContractNode, graph: GraphIndex): EdgeFault | null {
  const own = graph.stages.get(node.stage);
  const other = graph.stages.get(target.stage);
  if (own === undefined || other === undefined) return null;
  if (other.order > own.order) {
    return {
      rule: `dependency "${target.id}" is in stage "${target.stage}", which is built after "${node.stage}"`,
    };
  }
  if (own.kind === 'pure' && other.kind === 'io') {
    return {
      rule: `it is in the pure stage "${own.id}" and must not depend on "${target.id}" of the io stage "${other.id}"`,
    };
  }
  return null;
}

/** Each cycle once. Iterative, so that a chain of 10,000 nodes does not end the stack. */
function checkCycles(nodes: readonly ContractNode[]): ContractProblem[] {
  const indexes = firstById(nodes, (_, index) => index);
  const state = new Map<string, 'open' | 'done'>();
  const problems: ContractProblem[] = [];
  for (const start of nodes) {
    if (state.has(start.id)) continue;
    const stack = [{ id: start.id, next: 0 }];
    state.set(start.id, 'open');
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const dependency = dependenciesOf(nodes[indexes.get(top.id) ?? -1])[top.next];
      top.next += 1;
      if (dependency === undefined) {
        state.set(top.id, 'done');
        stack.pop();
      } else if (state.get(dependency) === 'open' && dependency !== top.id) {
        problems.push(
          cycleProblem(
            stack.map((entry) => entry.id),
            dependency,
            indexes,
          ),
        );
      } else if (!state.has(dependency) && indexes.has(dependency)) {
        state.set(dependency, 'open');
        stack.push({ id: dependency, next: 0 });
      }
    }
  }
  return problems;
}

function cycleProblem(
  trail: readonly string[],
  closing: string,
  indexes: ReadonlyMap<string, number>,
): ContractProblem {
  const cycle = [...trail.slice(trail.indexOf(closing)), closing];
  const message = `Cannot order the nodes: dependencies must not form a cycle, current cycle is ${cycle.join(' -> ')}`;
  return contractProblem(['nodes', indexes.get(closing) ?? 0], message, 'Remove one of these dependencies');
}

function dependenciesOf(node: ContractNode | undefined): string[] {
  return node === undefined ? [] : [...node.structural_deps, ...node.assumption_deps];
}
