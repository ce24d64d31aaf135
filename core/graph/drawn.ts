/** What of a session's state is drawn. */
import type { StageState } from '../stage/types.ts';
import type { DrawnGraph } from './draw.ts';

export function nodesOfGraph({ nodes, stageOrder }: Pick<StageState, 'nodes' | 'stageOrder'>): DrawnGraph {
  return {
    stages: stageOrder,
    nodes: Object.entries(nodes).map(([id, node]) => ({
      id,
      stage: node.stage,
      status: node.status,
      structural: node.structural ?? [],
      assumption: node.assumption ?? [],
    })),
  };
}
