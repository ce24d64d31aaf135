/**
 * Whether CI runs a job or a step for a change, and whether it judges there. A condition on what other jobs print (which files
 * changed, whether a run may be saved) is known to the CI service alone: a gate that judges more is no weaker, so such a part is read
 * as one that runs, and the account says so (decision 0120).
 */
import type { PlanSource } from '../../../schemas/gate-limits.ts';
import { type CiContext, conditionHolds, plainText } from './expressions.ts';
import { account, type Fields, type Ingested, type Reading, refusedPart } from './ingested.ts';

/** Not run for a change, allowed to fail, or undecidable: null where it judges. */
export function skippedBy(
  { workflow: { evaluate } }: Reading,
  part: Fields,
  context: CiContext,
  what: string,
  source: PlanSource,
): Ingested | null {
  if (part['if'] !== undefined) {
    const decided = conditionHolds(part['if'], evaluate, context);
    if (!decided.isKnown && !OF_OTHER_JOBS.test(decided.why))
      return refusedPart(what, `its condition cannot be decided: ${decided.why}`, source);
    if (decided.isKnown && !decided.holds)
      return dropped(what, `CI does not run it for such a change (if: ${plainText(part['if'])})`, source);
  }
  const { 'continue-on-error': lenient } = part;
  if (lenient === undefined || lenient === false) return null;
  const decided = conditionHolds(lenient, evaluate, context);
  if (!decided.isKnown)
    return refusedPart(what, `"continue-on-error" cannot be decided: ${decided.why}`, source);
  return decided.holds
    ? dropped(what, 'CI goes on where it fails (continue-on-error): it judges nothing', source)
    : null;
}

/** The row of a part whose condition rests on other jobs; none for others. */
export function readAsRun(
  { workflow: { evaluate } }: Reading,
  part: Fields,
  context: CiContext,
  what: string,
  source: PlanSource,
): Ingested {
  const decided = part['if'] === undefined ? null : conditionHolds(part['if'], evaluate, context);
  if (decided === null || decided.isKnown) return { steps: [], account: [] };
  const why = `${decided.why}: it is read as one that runs, which judges no less`;
  return { steps: [], account: [account('REPLACED', `condition of ${what}`, why, source)] };
}

/** What the parser's words for an unknown value begin with. */
const OF_OTHER_JOBS = /^"needs\.[\w-]+\.outputs(?:\.|")/u;

function dropped(what: string, why: string, source: PlanSource): Ingested {
  return { steps: [], account: [account('DROPPED', what, why, source)] };
}
