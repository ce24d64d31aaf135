/**
 * A change of the plan does not judge itself (G5): index and commits whose plan differs from that of the commit before them
 * must pass both, unless a person accepts the new one. A work tree is judged by its own plan: a person is writing it.
 */
import { parseVerifyProfile } from '../../../adapters/contracts/verify-profile.ts';
import { type ResolvedPlan, resolveRepositoryPlan } from '../../../core/repository/resolve-plan.ts';
import type { Listing, UserRepository } from '../../../core/ports/user-repository.ts';
import { ingested, planText, type PlanText } from './plan-of.ts';

export interface JudgedPlan {
  readonly resolved: ResolvedPlan;
  readonly planFrom: string;
}

interface BasePlans {
  readonly plans: readonly JudgedPlan[];
  readonly notes: readonly string[];
}

const NOTHING: BasePlans = { plans: [], notes: [] };

/** The plans that judge before the change's own, and what is said about them. */
export async function basePlan(
  repository: UserRepository,
  listing: Listing,
  own: PlanText | null,
  isAccepted: boolean,
): Promise<BasePlans> {
  if (listing.base === null) return NOTHING;
  const before = await sourceOf(await repository.list({ kind: 'commit', revision: listing.base }));
  if (before === null || before.text === (await sourceOf(listing, own))?.text) return NOTHING;
  const at = `${before.name} of ${listing.base.slice(0, 12)}`;
  if (listing.kind === 'work_tree')
    return said(`The plan differs from ${at}: this run is judged by the changed one alone`);
  if (isAccepted) return said(`The plan differs from ${at}: the change was accepted`);
  const resolved = before.resolve(listing.entries.map((entry) => entry.path));
  if (resolved === null) return said(`The plan differs from ${at}, which cannot judge`);
  return {
    plans: [{ resolved, planFrom: at }],
    notes: [
      `The plan differs from ${at}: the work must pass both, or run with --accept-plan (in a hook: A7_ACCEPT_PLAN=1)`,
    ],
  };
}

function said(note: string): BasePlans {
  return { plans: [], notes: [note] };
}

/** What a state's plan is made of, as far as a change can touch it. */
interface PlanSource {
  readonly name: string;
  /** Equal texts are equal plans. */
  readonly text: string;
  /** The plan on these paths; null where it cannot be read, or refuses a part of itself. */
  resolve(paths: readonly string[]): ResolvedPlan | null;
}

/** The file of a state's plan, else its CI workflows; null where neither is there and the languages alone decide. */
async function sourceOf(listing: Listing, known?: PlanText | null): Promise<PlanSource | null> {
  const found = known === undefined ? await planText(listing) : known;
  if (found !== null) {
    const { file, text } = found;
    return {
      name: file,
      text,
      resolve: (paths) => {
        const loaded = parseVerifyProfile(text, file);
        return loaded.ok ? resolveRepositoryPlan(loaded.read, paths) : null;
      },
    };
  }
  const workflows = await ingested(listing);
  if (workflows === null) return null;
  const isRefused = workflows.steps.some((step) => step.kind === 'refused');
  return {
    name: 'the CI workflows',
    text: JSON.stringify(workflows.steps),
    resolve: (paths) => (isRefused ? null : resolveRepositoryPlan(null, paths, workflows)),
  };
}
