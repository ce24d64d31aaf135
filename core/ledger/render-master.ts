/** `master.json` and `manager.json` out of the fold (G7): the same lines give the same bytes. */
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { Manager } from '../../schemas/manager.ts';
import type { Master, MasterInterface, MasterNode, MasterStage } from '../../schemas/master.ts';
import { StageLimits } from '../../schemas/stage.ts';
import { edgesOf } from '../graph/edges.ts';
import { runningDispatches } from '../stage/ready.ts';
import type { NodeState, StageState } from '../stage/types.ts';
import { commitKind } from '../stage/work.ts';
import type { NodeTexts, SessionDoc } from './session-doc.ts';

/** `contracts` is the object that `doc.contractsRef` names. Write it with `prettyJson`. */
export function renderMaster(doc: SessionDoc, contracts: readonly ResolvedContract[]): Master {
  const { state } = doc;
  const limits = state.run?.options.limits ?? StageLimits.parse({});
  const byId = new Map(contracts.map((contract) => [contract.id, contract]));
  return {
    seq: state.seq,
    head_hash: doc.headHash,
    project: {
      project_id: doc.project?.projectId ?? '',
      name: doc.project?.name ?? '',
      description: doc.project?.description ?? '',
      created_at: doc.project?.createdAt ?? '',
      stage_ids: [...state.stageOrder],
      manager_max_turns: limits.managerMaxTurns,
      drain_turn: limits.drainTurn,
      provisional_depth_limit: limits.provisionalDepthLimit,
    },
    stages: Object.fromEntries(state.stageOrder.map((id) => [id, masterStage(doc, id)])),
    nodes: Object.fromEntries(
      Object.entries(state.nodes).map(([id, node]) => [id, masterNode(doc, id, node, byId.get(id))]),
    ),
    dependencies: dependenciesOf(state),
    graveyard: [...doc.graveyard],
  };
}

/** Root-level edges, the same as the node-level lists. An assumption is verified once somebody has proven it. */
export function dependenciesOf(state: StageState): Master['dependencies'] {
  return edgesOf(state.nodes).map(({ from, to, kind }) => ({
    from_node: from,
    to_node: to,
    type: kind,
    verified: kind === 'structural' || state.nodes[from]?.unverified?.includes(to) !== true,
    discovered_by: 'human',
  }));
}

function masterStage(doc: SessionDoc, id: string): MasterStage {
  const stage = doc.state.stages[id];
  const sealed = doc.sealed[id];
  return {
    stage_id: id,
    name: stage?.name ?? id,
    status: stage?.status ?? 'active',
    node_ids: Object.keys(doc.state.nodes).filter((nodeId) => doc.state.nodes[nodeId]?.stage === id),
    sealed_at: sealed?.sealedAt ?? null,
    summary: sealed?.summary ?? null,
    exported_interfaces: { ...sealed?.exportedInterfaces },
  };
}

function masterNode(
  doc: SessionDoc,
  id: string,
  node: NodeState,
  contract: ResolvedContract | undefined,
): MasterNode {
  const texts = doc.nodes[id];
  const poisonedBy = node.status === 'poisoned' ? node.heldBy?.[0] : undefined;
  return {
    node_id: id,
    stage_id: node.stage,
    type: node.type ?? 'feature',
    status: node.status,
    protocol_weight: node.weight ?? 'lean',
    description: contract?.description ?? '',
    interface: interfaceOf(texts, contract),
    structural_deps: [...(node.structural ?? [])],
    assumption_deps: [...(node.assumption ?? [])],
    suspension_reason:
      node.reason === undefined ? null : { type: node.reason, detail: texts?.suspensionDetail ?? '' },
    content_file: contract?.contentFile ?? '',
    created_at: texts?.createdAt ?? '',
    retry_count: Math.max(node.retries ?? 0, node.suiteRetries ?? 0),
    max_retries: node.maxRetries ?? 3,
    retry_context: [...(texts?.retryContext ?? [])],
    pr_note: texts?.prNote ?? null,
    test_contract: texts?.testContract ?? null,
    committed_files: [...(texts?.committedFiles ?? [])],
    tags: [...(texts?.tags ?? [])],
    view_spec: contract?.view_spec ?? { target_fidelity: 'full', struct_dep_fidelity: 'signature' },
    metadata: metadataOf(texts),
    metadata_map: {},
    ...(poisonedBy !== undefined && { poisoned_by: poisonedBy }),
  };
}

/** Exports that a test author froze replace the empty ones of Mode B. */
export function interfaceOf(
  texts: NodeTexts | undefined,
  contract: ResolvedContract | undefined,
): MasterInterface {
  const face = contract?.interface;
  const declared = face?.exports ?? [];
  return {
    exports: declared.length > 0 ? [...declared] : [...(texts?.exports ?? [])],
    assumptions: [...(face?.assumptions ?? [])],
    raises: (face?.raises ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.type)),
    guarantees: [...(face?.guarantees ?? [])],
  };
}

function metadataOf(texts: NodeTexts | undefined): MasterNode['metadata'] {
  const iterations = texts?.iterations ?? [];
  const sum = iterations.reduce((total, count) => total + count, 0);
  return {
    tokens: texts?.facts?.tokens ?? 0,
    lines: texts?.facts?.lines ?? 0,
    content_hash: texts?.facts?.contentHash ?? null,
    first_export_preview: texts?.facts?.firstExportPreview ?? null,
    plumbing_summary: texts?.facts?.plumbingSummary ?? null,
    computed_at: texts?.factsAt ?? null,
    iteration_history: [...iterations],
    avg_iterations: iterations.length === 0 ? 0 : Math.round((100 * sum) / iterations.length) / 100,
    chronicle: [...(texts?.chronicle ?? [])],
    analyst_findings: [...(texts?.findings ?? [])],
  };
}

/** Null when no run is open: the file is there only while a manager is active. */
export function renderManager(doc: SessionDoc): Manager | null {
  const { run } = doc.state;
  if (run === null || run.phase === 'sealed' || run.phase === 'halted' || run.phase === 'rested') return null;
  const { state } = doc;
  const wild = Object.entries(state.nodes).flatMap(([id, node]) =>
    node.wild === undefined ? [] : [[id, node.wild] as const],
  );
  return {
    current_stage_id: run.stage,
    turn: run.turn,
    manager_max_turns: run.options.limits.managerMaxTurns,
    drain_turn: run.options.limits.drainTurn,
    mode: run.mode,
    in_flight: runningDispatches(state).map((open) => open.record.nodeId),
    human_input_queue: state.inputs.map((input) => ({
      action: input.kind,
      detail: input.text,
      timestamp: doc.inputTimes[input.id] ?? '',
    })),
    planning: doc.planning,
    checkpoint_at: doc.at,
    wild_counts: Object.fromEntries(wild),
    pending_commits: Object.fromEntries(
      Object.values(state.validated).map((work) => [
        work.nodeId,
        {
          role: work.role,
          status:
            commitKind(state, work) === 'code'
              ? 'grounded'
              : commitKind(state, work) === 'suite'
                ? 'near'
                : 'provisional',
          files: [...(doc.nodes[work.nodeId]?.pendingFiles ?? [])],
          pr_note: doc.nodes[work.nodeId]?.prNote ?? null,
        },
      ]),
    ),
  };
}
