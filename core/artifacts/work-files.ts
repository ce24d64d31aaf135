/** Texts beside a verification: what the agent said and did, and what it changed and why (seed 003, deliverables of a run). */
import type { TranscriptTurn } from '../runtime/compact.ts';

/** One line a message of the whole conversation: everything that the agent was told and everything it printed. */
export function agentLogText(turns: readonly TranscriptTurn[]): string {
  return turns
    .flatMap(({ turn, messages }) => messages.map((message) => `${JSON.stringify({ turn, ...message })}\n`))
    .join('');
}

/** How often each tool was called, in the order of the first calls (seed 001, telemetry). An agent in a room calls none of ours. */
export function toolUsageOf(turns: readonly TranscriptTurn[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const message of turns.flatMap((turn) => turn.messages)) {
    const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
    for (const { function: called } of calls) counts.set(called.name, (counts.get(called.name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

export interface BuildNotes {
  readonly nodeId: string;
  readonly role: string;
  readonly dispatchId: string;
  /** For example `completion attempt 2` or `end: submitted`. */
  readonly when: string;
  /** The agent's own words; null where it said none. */
  readonly note: string | null;
  readonly changed: readonly string[];
}

/** Markdown: what changed, and why in the agent's own words. */
export function buildNotesText({ nodeId, role, dispatchId, when, note, changed }: BuildNotes): string {
  const files = changed.length === 0 ? ['Nothing was changed.'] : changed.map((path) => `- ${path}`);
  return [
    `# ${nodeId}: ${role.replace('_', ' ')} ${dispatchId}, ${when}`,
    '',
    '## What changed',
    '',
    ...files,
    '',
    '## Why, in the words of the agent',
    '',
    note === null || note.trim() === '' ? 'It left no note.' : note.trim(),
    '',
  ].join('\n');
}
