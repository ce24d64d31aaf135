/** The status machine of a node (seed 001, "Valid transitions"): the only table that says what may become what. */
import type { NodeStatus } from '../../schemas/stage.ts';
import { A7Error } from '../errors.ts';

/** `poisoned` has two ways out: `near` for a root that is redispatched, and what it was for a victim that is healed. */
export const transitions: Readonly<Record<NodeStatus, readonly NodeStatus[]>> = {
  near: ['provisional', 'grounded', 'suspended', 'poisoned'],
  provisional: ['grounded', 'suspended', 'poisoned'],
  grounded: ['poisoned'],
  suspended: ['near', 'provisional', 'grounded', 'poisoned'],
  poisoned: ['near'],
};

/** Whether the table has this edge. Healing a victim is not a transition but an undo, and is not asked here. */
export function canBecome(from: NodeStatus, to: NodeStatus): boolean {
  return transitions[from].includes(to);
}

/** @throws {A7Error} TRANSITION_FORBIDDEN if the table has no such edge; staying what it is, is allowed. */
export function assertTransition(nodeId: string, from: NodeStatus, to: NodeStatus): void {
  if (from === to || canBecome(from, to)) return;
  throw new A7Error(
    'TRANSITION_FORBIDDEN',
    `Cannot make node "${nodeId}" ${to}: status must be one that leads there, current value is ${from}`,
  );
}
