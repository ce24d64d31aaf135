/** A stream of choices for a simulation: numbers that fast-check made, so that a failure shrinks and replays. */
import type { AgentResult, GateOutcome, SeedNode, StageOptions } from '../../schemas/stage.ts';
import type { ManagerAction } from '../../schemas/actions.ts';
import { reviewsOut } from '../../core/stage/review.ts';
import type { StageState } from '../../core/stage/types.ts';
import { digest, failed, gate, oid, seedNode, submitted, usage } from './stage-world.ts';

/** Thrown when the numbers are used up: the sequence ends. */
export class NoMoreChoices extends Error {}

export class Choices {
  private at = 0;
  private readonly numbers: readonly number[];
  constructor(numbers: readonly number[]) {
    this.numbers = numbers;
  }

  /** 0 .. below - 1 */
  number(below: number): number {
    const value = this.numbers[this.at];
    if (value === undefined) throw new NoMoreChoices();
    this.at += 1;
    return value % below;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.number(items.length)] as T;
  }

  chance(percent: number): boolean {
    return this.number(100) < percent;
  }

  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    const total = items.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.number(total);
    for (const [weight, item] of items) {
      if (left < weight) return item;
      left -= weight;
    }
    throw new Error('weights must be positive');
  }
}

/** Two stages, pure then io; dependencies point to earlier nodes only. */
export function chooseNodes(choose: Choices): SeedNode[] {
  const count = 2 + choose.number(5);
  const split = choose.chance(60) ? count : 1 + choose.number(count);
  const earlier = (index: number, percent: number) =>
    Array.from({ length: index }, (_, at) => `n${at}`).filter(() => choose.chance(percent));
  return Array.from({ length: count }, (_, index) => {
    const shape = choose.number(100);
    const structural = earlier(index, 35);
    return seedNode(`n${index}`, {
      stage: index < split ? 'core' : 'app',
      structural,
      assumption: choose.chance(25) ? earlier(index, 30).filter((id) => !structural.includes(id)) : [],
      weight: shape < 12 ? 'none' : 'lean',
      noTests: shape >= 12 && shape < 28,
      mode: shape % 3 === 0 ? 'B' : 'A',
      maxRetries: choose.chance(12) ? 0 : 1 + choose.number(3),
      ...(choose.chance(20) && { requireReview: true as const }),
    });
  });
}

export function chooseOptions(choose: Choices, nodeIds: readonly string[]): StageOptions {
  const managerMaxTurns = 2 + choose.number(14);
  return {
    manager: choose.weighted([
      [6, 'llm'],
      [2, 'policy'],
      [2, 'human'],
    ] as const),
    strictTurns: choose.chance(35),
    onlyNodes: choose.chance(12) ? [choose.pick(nodeIds)] : null,
    ...(choose.chance(60) && { reviewer: true as const }),
    limits: {
      managerMaxTurns,
      drainTurn: 1 + choose.number(managerMaxTurns + 1),
      inFlightMax: 1 + choose.number(3),
      provisionalDepthLimit: 1 + choose.number(3),
      costCapMicroUsd: null,
      platformFaultsMax: choose.number(2),
    },
  };
}

export function chooseGate(choose: Choices, fresh: number): GateOutcome {
  return choose.weighted<GateOutcome>([
    [70, gate({ reportDigest: digest(fresh) })],
    [10, gate({ verdict: 'FAIL', reportDigest: digest(fresh) })],
    [8, gate({ verdict: 'INVALID', fault: 'platform', reportDigest: digest(fresh) })],
    [6, gate({ verdict: 'INVALID', fault: 'author', reportDigest: digest(fresh) })],
    [6, gate({ verdict: 'INVALID', fault: 'builder', reportDigest: digest(fresh) })],
  ]);
}

export function chooseResult(choose: Choices, analyst: boolean, fresh: number): AgentResult {
  if (analyst) {
    const finding = { scope: 'node', findings: ['x'], confidence: 'high', sources: [] } as const;
    return submitted({ finding: { ...finding, findings: [...finding.findings], sources: [] } });
  }
  const pass = gate({ reportDigest: digest(fresh) });
  return choose.weighted<() => AgentResult>([
    [62, () => submitted({ tree: oid(fresh), gate: pass })],
    [3, () => submitted({ tree: oid(fresh), gate: { ...pass, level: 'L0' } })],
    [10, () => submitted({ tree: oid(fresh), gate: pass, status: 'provisional' })],
    [2, () => submitted({ tree: oid(fresh), gate: { ...pass, verdict: 'FAIL' } })],
    [1, () => submitted({ tree: oid(fresh), gate: null })],
    [8, () => failed({ tree: oid(fresh) })],
    [3, () => failed({ suspect: 'suite', tree: oid(fresh) })],
    [2, () => failed({ suspect: 'platform', tree: null })],
    [5, () => ({ status: 'wild', reason: 'silence', iterationsUsed: 3, usage })],
    [4, () => ({ status: 'parked', need: 'question', detail: 'Which?', head: 'h', tree: oid(fresh), usage })],
    [1, () => ({ status: 'rested', code: 'auth', message: 'no key', usage })],
    [3, () => ({ status: 'platform', reason: 'engine gone', usage })],
    [1, () => ({ status: 'cancelled', usage })],
  ])();
}

/** An action that is often legal and often nearly so. */
export function chooseAction(choose: Choices, state: StageState): ManagerAction {
  const nodeIds = [...Object.keys(state.nodes), ...(choose.chance(4) ? ['no.such'] : [])];
  const any = () => choose.pick(nodeIds);
  const of = (ids: string[]) => (ids.length > 0 && choose.chance(75) ? choose.pick(ids) : any());
  const failedIds = () =>
    nodeIds.filter((id) => ['suspended', 'poisoned'].includes(state.nodes[id]?.status ?? ''));
  const role = () => choose.pick(['builder', 'test_author'] as const);
  const again = (nodeId: string): ManagerAction => {
    const fitting = state.nodes[nodeId]?.suite === undefined ? 'test_author' : 'builder';
    const parameters = {
      node_id: nodeId,
      role: choose.chance(70) ? fitting : role(),
      manager_note: 'again',
    } as const;
    return { action_type: 'REDISPATCH', parameters };
  };
  const roots = () => nodeIds.filter((id) => state.nodes[id]?.root === true);
  const provisional = () => nodeIds.filter((id) => state.nodes[id]?.status === 'provisional');
  return choose.weighted<() => ManagerAction>([
    [14, () => again(of(roots()))],
    [8, () => ({ action_type: 'DISPATCH', parameters: { node_id: of(provisional()), role: 'builder' } })],
    [
      20,
      () => ({ action_type: 'DISPATCH', parameters: { node_id: any(), role: role(), focus_hints: [any()] } }),
    ],
    [4, () => ({ action_type: 'DISPATCH', parameters: analyst(choose, any(), any()) })],
    [18, () => again(of(failedIds()))],
    [
      2,
      () => ({
        action_type: 'REDISPATCH',
        parameters: { node_id: any(), role: choose.pick(['builder', 'analyst']) },
      }),
    ],
    [12, () => ({ action_type: 'VALIDATE', parameters: { node_id: of(Object.keys(state.returns)) } })],
    [
      14,
      () => {
        const status = choose.pick(['grounded', 'provisional', 'suspended', 'poisoned', undefined] as const);
        const parameters = {
          node_id: of(Object.keys(state.validated)),
          ...(status !== undefined && { status }),
        };
        return { action_type: 'COMMIT', parameters };
      },
    ],
    [
      reviewsOut(state).length > 0 ? 60 : 0,
      () => {
        const read = reviewsOut(state).map(({ nodeId }) => nodeId);
        return { action_type: 'COMMIT', parameters: { node_id: of(read) } };
      },
    ],
    [
      8,
      () => {
        const type = choose.pick(['near', 'far', 'void', 'wild'] as const);
        return { action_type: 'SUSPEND', parameters: { node_id: any(), type, detail: 'stop' } };
      },
    ],
    [6, () => ({ action_type: 'CONSULT', parameters: { question: 'Which?', relevant_node_ids: [any()] } })],
    [6, () => ({ action_type: 'SEAL', parameters: { summary: 'done' } })],
    [1, () => ({ action_type: 'HALT', parameters: { reason: 'enough' } })],
    [4, () => ({ action_type: 'UPDATE_PLAN', parameters: { narrative: 'n', checklist: [] } })],
  ])();
}

function analyst(choose: Choices, nodeId: string, target: string) {
  const base = { node_id: nodeId, role: 'analyst' as const };
  if (choose.chance(20)) return base;
  return { ...base, scope: 'node' as const, query: 'why', target_nodes: [target] };
}
