/**
 * A change of the plan does not judge itself (G5): index and commits whose plan differs from that of the commit before them
 * must pass both, unless a person accepts the new one. A work tree is judged by its own plan: a person is writing it.
 */
import { parseVerifyProfile } from '../../../adapters/contracts/verify-profile.ts';
import { type ResolvedPlan, resolveRepositoryPlan } from '../../../core/repository/resolve-plan.ts';
import type { Listing, UserRepository } from '../../../core/ports/user-repository.ts';
import { planText, type PlanText } from './plan-of.ts';

export interface JudgedPlan {
  readonly resolved: ResolvedPlan;
  readonly planFrom: string;
}

/** The plans that judge before the change's own, and what is said about them. */
export async function basePlan(
  repository: UserRepository,
  listing: Listing,
  own: PlanText | null,
  isAccepted: boolean,
): Promise<{ readonly plans: readonly JudgedPlan[]; readonly notes: readonly string[] }> {
  if (listing.base === null) return { plans: [], notes: [] };
  const before = await planText(await repository.list({ kind: 'commit', revision: listing.base }));
  if (before === null || before.text === own?.text) return { plans: [], notes: [] };
  const at = `${before.file} of ${listing.base.slice(0, 12)}`;
  if (listing.kind === 'work_tree')
    return { plans: [], notes: [`The plan differs from ${at}: this run is judged by the changed one alone`] };
  if (isAccepted) return { plans: [], notes: [`The plan differs from ${at}: the change was accepted`] };
  const loaded = parseVerifyProfile(before.text, before.file);
  if (!loaded.ok) return { plans: [], notes: [`The plan differs from ${at}, which cannot be read`] };
  const paths = listing.entries.map((entry) => entry.path);
  return {
    plans: [{ resolved: resolveRepositoryPlan(loaded.read, paths), planFrom: at }],
    notes: [
      `The plan differs from ${at}: the work must pass both, or run with --accept-plan (in a hook: A7_ACCEPT_PLAN=1)`,
    ],
  };
}
