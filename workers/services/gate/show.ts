/** `gate show`: each part of the plan, and where it came from. Runs nothing. */
import { describePlan } from '../../../core/repository/describe-plan.ts';
import type { GatePlanReport } from '../../../core/ports/gate-services.ts';
import type { Result } from '../../../core/ports/services.ts';
import type { Surroundings } from '../common.ts';
import { planOf, planText, withRepository } from './plan-of.ts';

/** The plan of the work tree. */
export async function gateShow(around: Surroundings, repo: string): Promise<Result<GatePlanReport>> {
  return withRepository(repo, around.env, async (repository) => {
    const listing = await repository.list({ kind: 'work_tree', revision: null });
    const found = await planText(listing);
    const resolved = await planOf(repository.root, found, listing);
    if (!resolved.ok) return resolved;
    const { plan, profile, account } = resolved.value;
    return {
      ok: true,
      value: {
        repo: repository.root,
        file: found?.file ?? null,
        profile,
        parts: describePlan(plan),
        account,
        plan,
      },
    };
  });
}
