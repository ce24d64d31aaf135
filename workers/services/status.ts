/** `status`: reads files only, so that it answers at once whether or not anything runs (temporal.md 7.1). */
import { sumUsage } from '../../adapters/model/usage-report.ts';
import { workflowNameOf } from '../../adapters/store/session.ts';
import type { Result, StatusReport } from '../../core/ports/services.ts';
import { eventOf } from '../../core/ledger/lines.ts';
import type { Session } from '../../core/ports/session.ts';
import type { LedgerLine } from '../../schemas/ledger.ts';
import type { GateOutcome } from '../../schemas/stage.ts';
import type { RunState } from '../../core/stage/types.ts';
import { waitingFor } from '../../core/stage/waiting.ts';
import { whyNode } from '../../core/stage/why.ts';
import { stageWorkflowId } from '../queues.ts';
import { type Surroundings, findToRead } from './common.ts';
import { branchState } from './record/branch-state.ts';
import { isStageOpen } from '../../core/stage/under-way.ts';
import { othersServe } from './serve-slots.ts';
import { withSession } from './open-session.ts';
import { inShell } from '../../core/text/typed.ts';

/** Stages, nodes, cost, branch and the page of the open stage. */
export async function status(around: Surroundings, dir: string): Promise<Result<StatusReport>> {
  const found = await findToRead(dir);
  if (!found.ok) return found;
  return withSession(found.value.dir, async (session) => {
    const doc = await session.doc();
    const { state } = doc;
    const { run } = state;
    const open = run !== null && isStageOpen(state);
    const { total } = await sumUsage(session.dir);
    const cached = await cachedNodes(session);
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
        note: [whyNode(doc, id).reasons[0] ?? '', cached.has(id) ? CACHED : ''].filter(Boolean).join('; '),
        dispatches: node.dispatches ?? 0,
      })),
      run: run === null ? null : runOf(run, state.refusedInputs ?? []),
      waiting: waitingFor(doc).map((each) => ({
        ...each,
        command: each.command.replace('SESSION', () => inShell(dir)),
      })),
      moving: open && (await othersServe(session.id)),
      page: open
        ? await pageOfStage(around, stageWorkflowId(await workflowNameOf(session.dir, session.id), run.stage))
        : null,
      usage: total,
      head: state.head,
      branchProblem: await branchState(session, dir),
    };
  });
}

const CACHED = 'last verdict cached: true';

/** Nodes whose last verdict was a stored report of the same key. */
async function cachedNodes(session: Session): Promise<ReadonlySet<string>> {
  const read = await session.ledger.read();
  const found = new Set<string>();
  for (const line of read.kind === 'read' ? read.lines : []) {
    const verdict = verdictOf(line);
    if (verdict?.gate.cached === true) found.add(verdict.nodeId);
    else if (verdict !== null) found.delete(verdict.nodeId);
  }
  return found;
}

function verdictOf(line: LedgerLine): { readonly nodeId: string; readonly gate: GateOutcome } | null {
  if (line.type !== 'returned' && line.type !== 'regated') return null;
  const event = eventOf(line);
  if (event.type === 'regated') return { nodeId: event.data.nodeId, gate: event.data.outcome };
  if (event.type !== 'returned' || event.data.result.status !== 'submitted') return null;
  const { gate } = event.data.result.submission;
  return gate === null ? null : { nodeId: event.data.nodeId, gate };
}

function runOf(
  { stage, phase, turn, mode, ending }: RunState,
  refused: readonly { readonly reason: string }[],
): StatusReport['run'] {
  const text = ending === null ? null : `${ending.code}: ${ending.message}`;
  const reasons = refused.map(({ reason }) => reason);
  return { stage, phase, turn, mode, ending: phase === 'sealed' ? null : text, refused: reasons };
}

/** Only an open stage has a page, so only then the client of the server is loaded. */
async function pageOfStage(around: Surroundings, workflowId: string): Promise<string | null> {
  const { findServer, pageOf } = await import('./server.ts');
  const server = await findServer(around);
  return server === null ? null : pageOf(server, workflowId);
}
