/** Activity `appendAndCommit`: an intent reaches the ledger, then its commit is tried once, as one step of the server. */
import { intentOf } from '../../core/stage/joined-commit.ts';
import type { AppendLedgerInput } from '../../schemas/stage-io.ts';
import type { CommitResult } from '../../schemas/stage.ts';
import { appendLedger } from './append-ledger.ts';
import { commit } from './commit.ts';
import type { StagePorts } from './ports.ts';

/**
 * The intent is on disk before the commit begins, as with two steps; a repeated step finds both done. Null: the commit
 * could not be made now, and is the activity `commit`'s, which tries again and lets the stage go on meanwhile.
 * @throws LedgerDiverged, FenceLost (non-retryable).
 */
export async function appendAndCommit(
  ports: StagePorts,
  input: AppendLedgerInput,
): Promise<CommitResult | null> {
  await appendLedger(ports, input);
  const intent = intentOf(input.events);
  if (intent === null) return null;
  return commit(ports, { at: input.at, run: input.run, intent }).catch(() => null);
}
