/** The gate plan of an order, from its base and from nothing that an agent can write (G5). */
import { parseVerifyProfile } from '../../../adapters/contracts/verify-profile.ts';
import type { FrozenPlan } from '../../../schemas/order-files.ts';
import { defaultText } from '../../../core/repository/describe-plan.ts';
import { type ResolvedPlan, resolveRepositoryPlan } from '../../../core/repository/resolve-plan.ts';
import type { Listing } from '../../../core/ports/user-repository.ts';
import type { OrderGate } from '../../../schemas/order.ts';
import { ingested, planText, runnerOf } from '../gate/plan-of.ts';

type Found = FrozenPlan | { readonly problem: string; readonly next: string };

/** The plan, or why there is none. */
export async function orderPlan(listing: Listing, gate: OrderGate): Promise<Found> {
  const paths = listing.entries.map(({ path }) => path);
  if (gate.from === 'file')
    return profilePlan(
      gate.text ?? '',
      gate.file ?? 'the named file',
      paths,
      `${gate.file ?? ''} of the order`,
    );
  const profile = gate.from === 'ci' || gate.from === 'default' ? null : await planText(listing);
  if (profile !== null) return profilePlan(profile.text, profile.file, paths, `${profile.file} of the base`);
  if (gate.from === 'verify')
    return {
      problem: 'The base has neither verify.yaml nor .a7/verify.yaml',
      next: 'a7-rt gate init writes one; commit it',
    };
  const workflows = gate.from === 'default' ? null : await ingested(listing);
  if (gate.from === 'ci' && workflows === null)
    return {
      problem: 'The base has no CI workflow that runs for changes',
      next: 'Choose --gate verify, default or a file',
    };
  const resolved = resolveRepositoryPlan(null, paths, workflows, await runnerOf(listing));
  return frozen(resolved, `${defaultText(resolved)} of the base`);
}

function profilePlan(text: string, file: string, paths: readonly string[], from: string): Found {
  const loaded = parseVerifyProfile(text, file);
  if (!loaded.ok) {
    const [first] = loaded.problems;
    return {
      problem: `${file}:${String(first?.line ?? 1)}: ${first?.message ?? 'cannot be read'}`,
      next: `edit ${file}`,
    };
  }
  return frozen(resolveRepositoryPlan(loaded.read, paths), from);
}

function frozen({ plan, leaveOut }: ResolvedPlan, planFrom: string): FrozenPlan {
  return { plan, leaveOut: [...leaveOut], planFrom };
}
