/** `status`: reads files only, so that it answers at once whether or not anything runs (temporal.md 7.1). */
import { sumUsage } from '../../adapters/model/usage-report.ts';
import type { Result, StatusReport } from '../../core/ports/services.ts';
import type { RunState } from '../../core/stage/types.ts';
import { whyNode } from '../../core/stage/why.ts';
import { stageWorkflowId } from '../queues.ts';
import { type Surroundings, findSession } from './common.ts';
import { othersServe } from './serve-slots.ts';
import { withSession } from './open-session.ts';

/** Stages, nodes, cost, branch and the page of the open stage. */
export async function status(around: Surroundings, dir: string): Promise<Result<StatusReport>> {
  const found = await findSession(dir);
  if (!found.ok) return found;
  return withSession(found.value.dir, async (session) => {
    const doc = await session.doc();
    const { state } = doc;
    const { run } = state;
    const open = run !== null && !['sealed', 'halted', 'rested'].includes(run.phase);
    const { total } = await sumUsage(session.dir);
    return {
      project: doc.project?.name ?? '(not seeded)',
      stages: state.stageOrder.map((id) => {
        const stage = state.stages[id];
        return { id, name: stage?.name ?? id, kind: stage?.kind ?? 'io', status: stage?.status ?? 'active' };
      }),
      nodes: Object.entries(state.nodes).map(([id, node]) => ({
        id,
        stage: node.stage,
        status: node.status,
        note: whyNode(doc, id).reasons[0] ?? '',
        dispatches: node.dispatches ?? 0,
      })),
      run: run === null ? null : runOf(run),
      moving: open && (await othersServe(session.id)),
      page: open ? await pageOfStage(around, stageWorkflowId(session.id, run.stage)) : null,
      usage: total,
      head: state.head,
    };
  });
}

function runOf({ stage, phase, turn, mode, ending }: RunState): StatusReport['run'] {
  const text = ending === null ? null : `${ending.code}: ${ending.message}`;
  return { stage, phase, turn, mode, ending: phase === 'sealed' ? null : text };
}

/** Only an open stage has a page, so only then the client of the server is loaded. */
async function pageOfStage(around: Surroundings, workflowId: string): Promise<string | null> {
  const { findServer, pageOf } = await import('./server.ts');
  const server = await findServer(around);
  return server === null ? null : pageOf(server, workflowId);
}
