/** What must hold after every decision (G1, G2, G7, G8, G9). Each throws with the name of the guarantee. */
import type { NodeChange } from '../../schemas/contract-change.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import type { CommitIntent } from '../../schemas/stage.ts';
import { poisonSet } from '../../core/graph/edges.ts';
import { runningDispatches } from '../../core/stage/ready.ts';
import type { StageState } from '../../core/stage/types.ts';

function must(guarantee: string, holds: boolean): void {
  if (!holds) throw new Error(guarantee);
}

/** What the world knows to be true, gathered from the events as they come. */
export class Witness {
  /** Report digests that said PASS at L1 or more. */
  readonly passed = new Set<string>();
  private readonly reviewed = new Map<string, number>();
  private readonly answered = new Set<string>();
  /** Nodes to which a person sent an agent again: no budget holds that back. */
  private readonly ordered = new Set<string>();
  private readonly dispatchIds = new Set<string>();
  private readonly intents = new Map<string, string>();
  private readonly earned = new Set<string>();
  /** Tree of the open intent, and of each node's last committed code. */
  private tree = '';
  private readonly code = new Map<string, string>();
  private readonly aside = new Map<string, string>();
  private readonly sealed = new Map<string, string>();

  observe(before: StageState, events: readonly LedgerEvent[], after: StageState): void {
    for (const event of events) this.see(event, before);
    this.statuses(after);
    this.bounds(before, after);
    this.underWay(after);
    this.sealedStages(after);
  }

  private see(event: LedgerEvent, before: StageState): void {
    switch (event.type) {
      case 'dispatched':
        must('G6 dispatch ids are unique', !this.dispatchIds.has(event.data.record.dispatchId));
        this.dispatchIds.add(event.data.record.dispatchId);
        return;
      case 'reviewed':
        this.reviewed.set(event.data.tree, event.data.findings.length);
        return;
      case 'action':
        if (!event.data.forced && event.data.by !== 'policy' && event.data.action.action_type === 'COMMIT')
          this.answered.add(event.data.action.parameters.node_id);
        if (event.data.by === 'human' && event.data.action.action_type === 'REDISPATCH')
          this.ordered.add(event.data.action.parameters.node_id);
        return;
      case 'commit_intent': {
        const { intent } = event.data;
        this.review(before, intent);
        must('G1 one commit intent at a time', this.intents.size === 0);
        must(
          'G1 code is intended with a PASS only',
          intent.kind !== 'code' || this.passed.has(intent.reportDigest),
        );
        this.intents.set(intent.intentId, intent.kind);
        this.tree = intent.tree;
        return;
      }
      case 'committed':
        must('G1 a commit follows its intent', this.intents.get(event.data.intentId) === event.data.kind);
        this.intents.delete(event.data.intentId);
        if (event.data.kind !== 'code') return;
        this.earned.add(event.data.nodeId);
        this.code.set(event.data.nodeId, this.tree);
        return;
      case 'commit_refused':
        must('G1 a refusal follows its intent', this.intents.delete(event.data.intentId));
        return;
      case 'halted':
      case 'rested':
      case 'sealed':
        must('G1 no intent is open at the end of a run', this.intents.size === 0);
        return;
      case 'contract_changed':
        for (const id of [...event.data.nodes.map((node) => node.id), ...event.data.removed])
          this.change(id, event.data.changes?.[id]);
        return;
      case 'stage_reopened':
        for (const stage of event.data.stages) this.sealed.delete(stage);
        return;
      case 'replaced':
        for (const id of [event.data.nodeId, ...event.data.dependents]) this.earned.delete(id);
        return;
      default:
        return;
    }
  }

  /** Code whose contract wants a review is committed when a reviewer found nothing, or somebody said COMMIT. */
  private review(before: StageState, { kind, nodeId, tree }: CommitIntent): void {
    if (kind === 'suite' || before.nodes[nodeId]?.requireReview !== true) return;
    must('a review is answered', this.reviewed.get(tree) === 0 || this.answered.delete(nodeId));
  }

  /** What was earned for one contract counts again for it, as long as the branch has that very code. */
  private change(id: string, change: NodeChange | undefined): void {
    if (change?.voids === 'nothing') return;
    const code = this.code.get(id) ?? '';
    const isBack = change !== undefined && this.aside.get(`${id} ${change.evidence ?? ''}`) === code;
    if (change !== undefined && this.earned.has(id)) this.aside.set(`${id} ${change.former ?? ''}`, code);
    if (isBack) this.earned.add(id);
    else this.earned.delete(id);
  }

  private statuses(state: StageState): void {
    for (const [id, node] of Object.entries(state.nodes)) {
      must('G2 grounded is earned by a commit', node.status !== 'grounded' || this.earned.has(id));
      must(
        'G2 weight none stays below grounded',
        node.status !== 'grounded' || (node.weight !== 'none' && node.noTests !== true),
      );
      const held = node.root === true || node.heldBy !== undefined;
      must('G8 poisoned exactly when a root holds it', (node.status === 'poisoned') === held);
      must(
        'suspended exactly when there is a reason',
        (node.status === 'suspended') === (node.reason !== undefined),
      );
      if (node.root === true) {
        for (const victim of poisonSet(state.nodes, id)) {
          const other = state.nodes[victim];
          if (other === undefined || state.stages[other.stage]?.status === 'sealed') continue;
          must('G8 every dependent of a root is held by it', other.heldBy?.includes(id) === true);
        }
      }
      for (const holder of node.heldBy ?? [])
        must('G8 who holds is a root', state.nodes[holder]?.root === true);
      must(
        'G9 retry budget',
        this.ordered.has(id) ||
          ((node.retries ?? 0) <= (node.maxRetries ?? 3) &&
            (node.suiteRetries ?? 0) <= (node.maxRetries ?? 3)),
      );
    }
  }

  /** A node that a person took away leaves nothing behind that could still count. */
  private underWay({ nodes, returns, validated, gates, open }: StageState): void {
    const named = [
      ...Object.keys(returns),
      ...Object.keys(validated),
      ...Object.values(gates).map(({ nodeId }) => nodeId),
      ...Object.values(open).map(({ record }) => record.nodeId),
      ...Object.values(nodes).flatMap(({ structural = [], heldBy = [] }) => [...structural, ...heldBy]),
    ];
    must(
      'G1 what is under way is of a node that is there',
      named.every((id) => id in nodes),
    );
  }

  private bounds(before: StageState, state: StageState): void {
    const { run } = state;
    if (run === null) return;
    const running = runningDispatches(state);
    must('G9 slots', running.length <= run.options.limits.inFlightMax);
    const nodes = running.filter((open) => open.record.role !== 'analyst').map((open) => open.record.nodeId);
    must('never two agents on one node', new Set(nodes).size === nodes.length);
    const grew = run.turn > (before.run?.turn ?? 0);
    must('G9 turns', !grew || run.turn <= run.options.limits.managerMaxTurns);
    must(
      'an ended run has nothing in flight',
      !['halted', 'rested', 'sealed'].includes(run.phase) || running.length === 0,
    );
  }

  private sealedStages(state: StageState): void {
    for (const [stage, record] of Object.entries(state.stages)) {
      if (record.status !== 'sealed') continue;
      const now = JSON.stringify(
        Object.values(state.nodes)
          .filter((node) => node.stage === stage)
          .map((node) => node.status),
      );
      const then = this.sealed.get(stage);
      if (then === undefined) must('SEAL leaves nothing unresolved', !/near|poisoned/.test(now));
      else must('G5 a sealed stage is immutable', then === now);
      this.sealed.set(stage, now);
    }
  }
}
