/** A stage as Markdown for people: current details in the Temporal UI, and the answer of the `board` query. */
import type { StageState } from './types.ts';
import { typed } from '../text/typed.ts';
import { heldForReview } from './review.ts';
import { waitingFor } from './waiting.ts';

/** Nodes listed one by one; larger stages show counts only. */
const NODES_SHOWN_MAX = 60;
const NEEDS_WHY: ReadonlySet<string> = new Set(['poisoned', 'suspended']);

/** Phase, turn, counts, what is in flight and the nodes of the open stage. `dir`: the session, for commands that can be pasted. */
export function describeStage(state: StageState, dir = 'SESSION'): string {
  const { run } = state;
  if (run === null) return 'No run is open.';
  const nodes = Object.entries(state.nodes).filter(([, node]) => node.stage === run.stage);
  const counts = new Map<string, number>();
  for (const [, node] of nodes) counts.set(node.status, (counts.get(node.status) ?? 0) + 1);
  const waits = waitingFor({ state, nodes: {} });
  const phase = waits.length > 0 && run.phase === 'running' ? 'waits for a person' : run.phase;
  const lines = [
    `**${run.stage}** ${phase}, turn ${String(run.turn)} of ${String(run.options.limits.managerMaxTurns)}, ${run.mode}`,
    '',
    [...counts].map(([status, count]) => `${String(count)} ${status}`).join(', '),
    '',
  ];
  for (const { record, phase } of Object.values(state.open)) {
    lines.push(`- ${phase}: ${record.role.replace('_', ' ')} of ${record.nodeId} (${record.dispatchId})`);
  }
  for (const { nodeId } of waits) {
    lines.push(
      nodeId === null
        ? `- **waits for a person**: the manager is a person, and a move is due: \`${typed`a7-rt board ${dir}`}\` shows them, \`${typed`a7-rt act ${dir} ACTION ...`}\` takes one`
        : heldForReview(state).includes(nodeId)
          ? `- **waits for a person**: ${nodeId} passed and was reviewed; signal \`input\` with {"kind": "action", "action": {"action_type": "COMMIT", "parameters": {"node_id": "${nodeId}"}}}`
          : `- **waits for a person**: ${nodeId} has a question; signal \`input\` with {"kind": "answer", "nodeId": "${nodeId}", "text": "..."}`,
    );
  }
  for (const gate of Object.values(state.gates)) lines.push(`- gate of ${gate.nodeId} (${gate.reason})`);
  if (state.intent !== null) lines.push(`- commit of ${state.intent.nodeId}`);
  for (const refused of state.refusedInputs ?? []) lines.push(`- not understood: ${refused.reason}`);
  if (run.ending !== null) lines.push('', `${run.ending.code}: ${run.ending.message}`);
  if (nodes.length <= NODES_SHOWN_MAX) {
    lines.push(
      '',
      ...nodes.map(
        ([id, node]) =>
          `- ${id}: ${node.status}${node.heldBy === undefined ? '' : ` (by ${node.heldBy[0] ?? '?'})`}${NEEDS_WHY.has(node.status) ? `, \`${typed`a7-rt why ${dir} ${id}`}\`` : ''}`,
      ),
    );
  }
  return lines.join('\n');
}
