/** Which commit is made in the same step as its intent is written: it saves the server a step and history a copy. */
import type { LedgerEvent } from '../../schemas/ledger.ts';
import type { CommitIntent } from '../../schemas/stage.ts';
import type { StageCommand } from './types.ts';

/** The intent among events that are written together; a stage has one at a time. */
export function intentOf(events: readonly LedgerEvent[]): CommitIntent | null {
  const found = events.findLast((event) => event.type === 'commit_intent');
  return found === undefined ? null : found.data.intent;
}

/** The commit that was decided together with its intent; null where it was not. */
export function joinedCommit(
  events: readonly LedgerEvent[],
  commands: readonly StageCommand[],
): CommitIntent | null {
  const intent = intentOf(events);
  const isDue = commands.some(
    (command) => command.kind === 'commit' && command.intent.intentId === intent?.intentId,
  );
  return isDue ? intent : null;
}
