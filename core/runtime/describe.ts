/** A run as Markdown for people: shown as the current details of its workflow, readable without the transcript (seed 002). */
import type { AgentRun } from '../../schemas/runtime.ts';

/** State, open requirements, bounds used and the last journal lines. */
export function describeRun(run: AgentRun): string {
  const { task, limits, usage } = run;
  const cost = usage.costMicroUsd === null ? 'unknown' : `$${(usage.costMicroUsd / 1e6).toFixed(4)}`;
  const lines = [
    `**${task.id}** ${task.state}`,
    '',
    task.goal,
    '',
    `- turn ${String(run.turn)} of ${String(limits.turnsMax)}`,
    `- completion attempts ${String(run.attempts)} of ${String(limits.attemptsMax)}`,
    `- test runs ${String(run.testRuns)} of ${String(limits.testRunsMax)}`,
    `- tokens ${String(usage.inputTokens)} in, ${String(usage.outputTokens)} out, cost ${cost}`,
  ];
  for (const requirement of task.openRequirements) lines.push(`- open: ${requirement.text}`);
  lines.push(
    '',
    ...task.journal.map((event) => `- turn ${String(event.turn)} ${event.kind}: ${oneLine(event.detail)}`),
  );
  return lines.join('\n');
}

/** Reasons have lists of their own, which would become items of this one. */
function oneLine(detail: string): string {
  return detail.replaceAll(/\s*\n(?:- )?\s*/gu, ' · ');
}
