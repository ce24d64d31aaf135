/** Subject and trailers of a node's commit: who built it and which report allowed it. */
import type { CommitRequest } from '../../core/ports/git.ts';
import { LEDGER_TRAILER, ledgerTrailer } from '../../core/record/trailers.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { CommitIntent } from '../../schemas/stage.ts';
import type { CommitPlan } from '../../schemas/commit-plan.ts';

const SUBJECT_MAX_CHARS = 72;

/** `price.money: parse_money(text) -> int …` and one trailer a fact. */
export function commitMessage(
  contract: ResolvedContract,
  intent: CommitIntent,
  plan: CommitPlan,
): Pick<CommitRequest, 'message' | 'trailers'> {
  const line = `${contract.id}: ${contract.description.replaceAll(/\s+/g, ' ').trim()}`;
  const message = line.length <= SUBJECT_MAX_CHARS ? line : `${line.slice(0, SUBJECT_MAX_CHARS - 1)}…`;
  return {
    message,
    trailers: [
      ['A7-Node', contract.id],
      ['A7-Dispatch', intent.dispatchId],
      ['A7-Report', intent.reportDigest],
      ['A7-Suite', String(intent.suite)],
      ['A7-Tier', plan.tier],
      ['A7-Isolation', plan.isolation],
      ...(plan.ledger === undefined ? [] : [[LEDGER_TRAILER, ledgerTrailer(plan.ledger)] as const]),
    ],
  };
}
