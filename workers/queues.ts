/** Names of task queues and workflows (design part 6). */

/** Version of the decision rules: a stage of another version is taken over at its last event, never replayed. */
export const RULES_VERSION = 1;

/** Control queue of a session. */
export function controlQueue(sessionId: string): string {
  return `a7-${sessionId}-v${String(RULES_VERSION)}`;
}

/** Queue of all workers that offer the same sandbox. */
export function sandboxQueue(capability: string): string {
  return `a7-sandbox-${capability}`;
}

/** Workflow id of a stage. */
export function stageWorkflowId(sessionId: string, stageId: string): string {
  return `a7/${sessionId}/${stageId}`;
}
