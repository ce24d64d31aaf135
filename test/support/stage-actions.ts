/** Short forms of actions, inputs and worlds for tests of the rules. */
import type { ManagerAction } from '../../schemas/actions.ts';
import type { HumanInput } from '../../schemas/ledger.ts';
import { seeded, seedNode, StageWorld } from './stage-world.ts';

export const llm = { manager: 'llm' };
export const dispatch = (
  node_id: string,
  role: 'builder' | 'test_author' | 'analyst' = 'builder',
): ManagerAction => ({
  action_type: 'DISPATCH',
  parameters: { node_id, role },
});
export const redispatch = (node_id: string, role: 'builder' | 'test_author' = 'builder'): ManagerAction => ({
  action_type: 'REDISPATCH',
  parameters: { node_id, role, manager_note: 'again' },
});
export const commit = (
  node_id: string,
  status?: 'grounded' | 'provisional' | 'suspended' | 'poisoned',
): ManagerAction => ({
  action_type: 'COMMIT',
  parameters: { node_id, ...(status !== undefined && { status }) },
});

export function input(over: Partial<HumanInput>): { kind: 'input'; input: HumanInput } {
  return {
    kind: 'input',
    input: { id: 'i1', by: 'me', kind: 'text', text: '', nodeId: null, action: null, ...over },
  };
}

export function answer(world: StageWorld, action: ManagerAction): void {
  const turn = world.state.run?.turn ?? 0;
  world.send({
    kind: 'manager_answered',
    turn,
    answer: { kind: 'action', action },
    callKey: 'k',
    costMicroUsd: 1,
  });
}

export function world(nodes = [seedNode('a')], options: Record<string, unknown> = {}): StageWorld {
  const made = new StageWorld(seeded(nodes));
  made.open(options);
  return made;
}
