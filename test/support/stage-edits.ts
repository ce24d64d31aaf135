/** What a person does to a simulated session between two runs: edits and undos, files of their own, sealed stages opened again. */
import type { NodeChange, Voids } from '../../schemas/contract-change.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import type { SeedNode } from '../../schemas/stage.ts';
import { dependentsOf } from '../../core/graph/edges.ts';
import { emptyState } from '../../core/stage/draft.ts';
import { foldEvents } from '../../core/stage/fold.ts';
import { stagesAbove } from '../../core/stage/ready.ts';
import type { StageState } from '../../core/stage/types.ts';
import type { Choices } from './stage-choices.ts';
import { digest, oid, seedNode } from './stage-world.ts';

const EDITS: readonly (readonly [number, Voids | 'anew'])[] = [
  [10, 'anew'],
  [15, 'nothing'],
  [25, 'verdict'],
  [25, 'suite'],
  [25, 'all'],
];

function evidenceOf(id: string, version: number): string {
  return digest(10_000 + 10 * Number(id.slice(1)) + version);
}

/** Makes events; the simulation applies them. */
export class Editor {
  private state: StageState = emptyState;
  private apply: (event: LedgerEvent) => void = () => undefined;
  private readonly evidence = new Map<string, string>();
  private readonly removed = new Set<{
    readonly id: string;
    readonly stage: string;
    readonly structural: readonly string[];
    readonly evidence: string;
  }>();
  private readonly choose: Choices;
  private readonly next: () => number;

  constructor(choose: Choices, next: () => number) {
    this.choose = choose;
    this.next = next;
  }

  /** A person edits between two runs: by the old rules, by a plan, back again, or away and back; or opens a sealed stage. */
  change(state: StageState): readonly LedgerEvent[] {
    this.state = state;
    const made: LedgerEvent[] = [];
    this.apply = (event) => {
      this.state = foldEvents(this.state, [event]);
      made.push(event);
    };
    this.edits();
    return made;
  }

  private edits(): void {
    const sealed = this.state.stageOrder.filter((id) => this.state.stages[id]?.status === 'sealed');
    if (sealed.length > 0 && this.choose.chance(40)) this.reopen(this.choose.pick(sealed));
    const open = Object.keys(this.state.nodes).filter(
      (id) => this.state.stages[this.state.nodes[id]?.stage ?? '']?.status === 'active',
    );
    const id = open.length === 0 ? undefined : this.choose.pick(open);
    if (id === undefined) return;
    if (this.choose.chance(15)) this.replace(id);
    else if (this.choose.chance(12)) this.removeOrBringBack(id);
    else this.edit(id, this.choose.weighted(EDITS));
  }

  private reopen(stage: string): void {
    const stages = [stage, ...stagesAbove(this.state, stage)].filter(
      (id) => this.state.stages[id]?.status === 'sealed',
    );
    this.apply({ type: 'stage_reopened', data: { stages, by: 'me', reason: 'again' } });
  }

  private replace(nodeId: string): void {
    const dependents = dependentsOf(this.state.nodes, nodeId);
    const isSealed = dependents.some(
      (id) => this.state.stages[this.state.nodes[id]?.stage ?? '']?.status === 'sealed',
    );
    if (isSealed) return;
    const dispatchId = `${nodeId}.b${this.state.dispatchSeq + 1}`;
    const data = { nodeId, dispatchId, tree: oid(this.next()), files: ['a.py'], by: 'me', dependents };
    this.apply({ type: 'replaced', data });
  }

  /** A node on which nothing stands leaves the contracts; one that left comes back, with its old contract or with another. */
  private removeOrBringBack(id: string): void {
    const [back] = this.removed;
    if (back !== undefined && this.choose.chance(60) && this.state.stages[back.stage]?.status === 'active') {
      this.removed.delete(back);
      const evidence = this.choose.chance(50) ? back.evidence : evidenceOf(back.id, 7);
      this.evidence.set(back.id, evidence);
      const structural = back.structural.filter((each) => each in this.state.nodes);
      const seed = seedNode(back.id, { stage: back.stage, structural, digest: digest(9) });
      this.contractChanged([seed], { [back.id]: { voids: 'all', former: null, evidence } });
      return;
    }
    const { [id]: node, ...others } = this.state.nodes;
    const isStoodOn = Object.values(others).some(
      ({ structural = [], assumption = [] }) => structural.includes(id) || assumption.includes(id),
    );
    const isLast = !Object.values(others).some(({ stage }) => stage === node?.stage);
    if (node === undefined || isStoodOn || isLast) return;
    const former = this.evidence.get(id) ?? evidenceOf(id, 0);
    this.removed.add({ id, stage: node.stage, structural: node.structural ?? [], evidence: former });
    this.contractChanged([], { [id]: { voids: 'all', former, evidence: null } }, [id]);
    this.apply({ type: 'branch_settled', data: { head: this.state.head, removed: 1 } });
  }

  /** Contracts of a node have a few versions, so that an edit is often the undo of another. */
  private edit(id: string, voids: Voids | 'anew'): void {
    const node = this.state.nodes[id];
    if (node === undefined) return;
    const structural = [...(node.structural ?? [])];
    const seed = seedNode(id, {
      ...{ stage: node.stage, structural, digest: digest(9) },
      ...{ weight: node.weight ?? 'lean', noTests: node.noTests ?? false, mode: node.mode ?? 'A' },
    });
    const nodes =
      voids === 'anew' ? [seedNode(id, { stage: node.stage, structural, digest: digest(9) })] : [seed];
    const former = this.evidence.get(id) ?? evidenceOf(id, 0);
    const other = former === evidenceOf(id, 0) ? 1 : 0;
    const evidence = voids === 'nothing' ? former : evidenceOf(id, other);
    this.evidence.set(id, evidence);
    const changes = { [id]: { voids: voids === 'anew' ? ('all' as const) : voids, former, evidence } };
    this.contractChanged(nodes, voids === 'anew' ? undefined : changes);
    if (this.choose.chance(50))
      this.apply({ type: 'branch_settled', data: { head: this.state.head, removed: 1 } });
  }

  private contractChanged(
    nodes: SeedNode[],
    changes: Record<string, NodeChange> | undefined,
    removed: readonly string[] = [],
  ): void {
    const stages = this.state.stageOrder.map((stage) => ({
      id: stage,
      name: stage,
      kind: this.state.stages[stage]?.kind ?? 'pure',
    }));
    this.apply({
      type: 'contract_changed',
      data: {
        contractsRef: digest(5),
        stages,
        nodes,
        removed: [...removed],
        ...(changes !== undefined && { changes }),
      },
    });
  }
}
