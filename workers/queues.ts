/** Names of task queues and workflows (design part 6). */

/** Version of the decision rules: a stage of another version is taken over at its last event, never replayed. */
export const RULES_VERSION = 5;

/** Control queue of a session. */
export function controlQueue(sessionId: string): string {
  return `a7-${sessionId}-v${String(RULES_VERSION)}`;
}

/**
 * Queue of the session's workers that offer this sandbox. Its activities open the session's folder, so who has not got it
 * must not take them: on one server a queue of all hosts would hand one's gates to the other.
 */
export function sandboxQueue(sessionId: string, capability: string): string {
  return `a7-${sessionId}-sandbox-${capability}`;
}

/** Queue of the same workers' rooms for agents: an agent's turn lasts as long as its model takes, and gates do not wait for it. */
export function agentQueue(sessionId: string, capability: string): string {
  return `${sandboxQueue(sessionId, capability)}-agents`;
}

export interface OrderQueues {
  readonly control: string;
  readonly rooms: string;
  readonly agents: string;
}

/** Queues of the orders of one data folder: bookkeeping, rooms of gates, rooms of agents. */
export function orderQueues(dataId: string): OrderQueues {
  const name = `a7-orders-${dataId}-v${String(RULES_VERSION)}`;
  return { control: name, rooms: `${name}-rooms`, agents: `${name}-agents` };
}

/** Workflow id of an order. */
export function orderWorkflowId(orderId: string): string {
  return `a7-order/${orderId}`;
}

/** Workflow id of a stage; its agents' ids begin with it. `name` is `workflowNameOf` of the session. */
export function stageWorkflowId(name: string, stageId: string): string {
  return `a7/${name}/${stageId}`;
}
