/** Everything on a board beside the nodes themselves, within the limits of a level. */
import type { Board } from '../../schemas/board.ts';
import { edgesOf } from '../graph/edges.ts';
import type { SessionDoc } from '../ledger/session-doc.ts';
import { runOf } from '../stage/draft.ts';
import { runningDispatches } from '../stage/ready.ts';
import { findingText, isHeldForReview } from '../stage/review.ts';
import type { PendingWork, StageState } from '../stage/types.ts';
import { commitKind } from '../stage/work.ts';
import { cut, type Fidelity } from './board-node.ts';
import type { BoardShared } from './board-shared.ts';

export interface BoardPage {
  readonly ready: readonly string[];
  readonly shown: readonly string[];
  readonly hidden: readonly string[];
  readonly fidelity: Fidelity;
  readonly pageMax: number;
}

const textMax: Readonly<Record<Fidelity, number>> = { full: 4000, short: 1000, line: 300 };
const itemsMax: Readonly<Record<Fidelity, number>> = { full: 20, short: 10, line: 3 };

/** The board without nodes and budget; both are filled in by `boardView`. */
export function boardFrame(shared: BoardShared, page: BoardPage): Board {
  const { doc } = shared;
  const run = runOf(doc.state);
  const { fidelity, pageMax } = page;
  const max = textMax[fidelity];
  const ready = page.ready.slice(0, pageMax);
  const { managerMaxTurns, drainTurn } = run.options.limits;
  return {
    lifecycle: run.lifecycle === 'new' ? 'new' : 'resumed',
    turn: run.turn,
    manager_max_turns: managerMaxTurns,
    drain_turn: drainTurn,
    mode: run.mode,
    in_flight: runningDispatches(doc.state)
      .map((open) => open.record.nodeId)
      .slice(0, pageMax),
    active_stage: {
      stage_id: run.stage,
      name: cut(doc.state.stages[run.stage]?.name ?? run.stage, max),
      status: doc.state.stages[run.stage]?.status ?? 'active',
    },
    nodes: {},
    collapsed: countByStatus(doc.state, page.hidden),
    dependencies: dependenciesAmong(doc.state, page),
    ready,
    ready_more: page.ready.length - ready.length,
    valid_dispatch_targets: dispatchTargets(doc.state, page.ready).slice(0, pageMax),
    global_tombstones: doc.graveyard.filter((stone) => stone.scope === 'global').slice(-itemsMax[fidelity]),
    sealed_stages: sealedStages(doc, fidelity),
    planning: {
      narrative: cut(doc.planning.narrative, max),
      checklist: doc.planning.checklist
        .slice(0, itemsMax[fidelity])
        .map((item) => ({ ...item, text: cut(item.text, max) })),
      updated_at: doc.planning.updated_at,
    },
    recent_events: doc.recentEvents.slice(-itemsMax[fidelity]),
    pending_returns: pending(doc, doc.state.returns, 'validate', page),
    pending_commits: pending(doc, doc.state.validated, 'commit', page),
    pending_consult: run.consult?.status === 'answered' ? { verdict: cut(run.consult.verdict, max) } : null,
    human_input: doc.state.inputs
      .slice(0, itemsMax[fidelity])
      .map((input) => ({ action: input.kind, detail: cut(input.text, max) })),
    last_error: run.lastError === null ? null : cut(run.lastError, max),
    resume_warning:
      run.lifecycle === 'new' ? null : `This run is ${run.lifecycle}: it goes on from the ledger`,
    context_pressure: 0,
    token_budget: { allocated: 0, consumed: 0, nodes_count: 0, ready_count: 0 },
  };
}

/** Ready nodes, poisoned roots, and what is in flight or pending without being suspended (seed 001). */
export function dispatchTargets(state: StageState, ready: readonly string[]): string[] {
  const { stage } = runOf(state);
  const under = new Set([
    ...Object.values(state.open).map((open) => open.record.nodeId),
    ...Object.keys(state.returns),
    ...Object.keys(state.validated),
  ]);
  const others = Object.entries(state.nodes).filter(([id, node]) => {
    if (node.stage !== stage) return false;
    return (
      (node.root === true && node.heldBy === undefined) || (under.has(id) && node.status !== 'suspended')
    );
  });
  return [...new Set([...ready, ...others.map(([id]) => id)])];
}

function countByStatus(state: StageState, nodeIds: readonly string[]): Board['collapsed'] {
  const counts: Board['collapsed'] = {};
  for (const id of nodeIds) {
    const status = state.nodes[id]?.status ?? 'near';
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

function dependenciesAmong(state: StageState, page: BoardPage): Board['dependencies'] {
  const shown = new Set(page.shown);
  const graph = Object.fromEntries(page.shown.map((id) => [id, state.nodes[id] ?? {}]));
  return edgesOf(graph)
    .filter((edge) => shown.has(edge.to))
    .slice(0, page.pageMax === Infinity ? undefined : 5 * page.pageMax)
    .map((edge) => ({ from_node: edge.from, to_node: edge.to, type: edge.kind }));
}

function sealedStages(doc: SessionDoc, fidelity: Fidelity): Board['sealed_stages'] {
  const ids = doc.state.stageOrder.filter((id) => doc.state.stages[id]?.status === 'sealed');
  return ids.slice(-itemsMax[fidelity]).map((id) => ({
    stage_id: id,
    name: cut(doc.state.stages[id]?.name ?? id, 60),
    summary: cut(doc.sealed[id]?.summary ?? '', textMax[fidelity]),
    exported_interfaces: fidelity === 'full' ? { ...doc.sealed[id]?.exportedInterfaces } : {},
  }));
}

/** Findings about the very dispatch that waits for its commit. */
function reviewOf(doc: SessionDoc, { nodeId, dispatchId }: PendingWork): readonly string[] | null {
  const review = doc.nodes[nodeId]?.review;
  return review?.dispatchId === dispatchId ? review.findings.map(findingText) : null;
}

function pending(
  doc: SessionDoc,
  work: Readonly<Record<string, PendingWork>>,
  awaiting: 'validate' | 'commit',
  page: BoardPage,
): Board['pending_returns'] {
  const items = Object.values(work).slice(0, page.pageMax);
  return Object.fromEntries(
    items.map((item) => {
      const kind = commitKind(doc.state, item);
      const note = doc.nodes[item.nodeId]?.prNote ?? null;
      return [
        item.nodeId,
        {
          node_id: item.nodeId,
          awaiting,
          role: item.role,
          status: kind === 'code' ? 'grounded' : kind === 'suite' ? 'near' : 'provisional',
          escalate: item.escalate,
          pr_note: note === null ? null : cut(note, textMax[page.fidelity]),
          review: reviewOf(doc, item)?.slice(0, itemsMax[page.fidelity]) ?? null,
          require_review: isHeldForReview(doc.state, item.nodeId),
        },
      ];
    }),
  );
}
