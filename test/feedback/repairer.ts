/**
 * A scripted repairer: chooses among candidate patches by the fields of the feedback alone (gate.md part 6). Pure. It sees
 * neither suite nor report; a patch says what evidence a reader would have for it, in general terms.
 */
import { z } from 'zod';
import type { BuilderFeedback, FeedbackItem } from '../../schemas/feedback.ts';

/** What the feedback shows if this patch is the right one. Patterns are regular expressions. */
export const Evidence = z.strictObject({
  clause: z.string().optional(),
  export: z.string().optional(),
  outcome: z.string().optional(),
  exception: z.string().optional(),
  /** The line of the builder's own file at the place that is told. */
  at: z.string().optional(),
  note: z.string().optional(),
  call: z.string().optional(),
  result: z.string().optional(),
});
type Evidence = z.infer<typeof Evidence>;

export interface Patch {
  readonly name: string;
  readonly evidence: Evidence;
  readonly from: string;
  readonly to: string;
}

export interface Attempt {
  readonly code: string;
  readonly feedback: BuilderFeedback;
}

export interface Step {
  readonly patch: Patch;
  readonly code: string;
}

const WEIGHTS: Readonly<Record<keyof Evidence, number>> = {
  clause: 1,
  export: 1,
  outcome: 2,
  exception: 2,
  at: 2,
  note: 3,
  call: 3,
  result: 3,
};

/** The next code to submit: the best untried patch on the attempt with the fewest items; null when none is left. */
export function nextStep(
  attempts: readonly Attempt[],
  patches: readonly Patch[],
  tried: ReadonlySet<string>,
): Step | null {
  const best = attempts.toSorted(
    (left, right) => left.feedback.items.length - right.feedback.items.length,
  )[0];
  if (best === undefined) return null;
  const usable = patches.filter((patch) => !tried.has(patch.name) && best.code.includes(patch.from));
  const ranked = usable
    .map((patch) => ({ patch, score: score(patch, best) }))
    .toSorted((left, right) => right.score - left.score || tie(left.patch) - tie(right.patch));
  const chosen = ranked[0]?.patch;
  return chosen === undefined
    ? null
    : { patch: chosen, code: best.code.replace(chosen.from, () => chosen.to) };
}

function score(patch: Patch, { code, feedback }: Attempt): number {
  return Math.max(0, ...feedback.items.map((item) => scoreItem(patch.evidence, item, code)));
}

/** What an item does not tell counts neither for nor against. */
function scoreItem(evidence: Evidence, item: FeedbackItem, code: string): number {
  const line = item.place === null ? null : (code.split('\n')[item.place.line - 1] ?? null);
  const told: Readonly<Record<keyof Evidence, string | null>> = {
    clause: item.clauseId,
    export: item.exportName,
    outcome: item.outcome,
    exception: item.exceptionType,
    at: line,
    note: item.note,
    call: item.counterexample?.call ?? null,
    result: item.counterexample?.result ?? null,
  };
  let sum = 0;
  for (const key of Evidence.keyof().options) {
    const wanted = evidence[key];
    const seen = told[key];
    if (wanted === undefined || seen === null) continue;
    const isExact = key === 'clause' || key === 'export' || key === 'outcome' || key === 'exception';
    const fits = isExact ? seen === wanted : new RegExp(wanted, 'u').test(seen);
    sum += fits ? WEIGHTS[key] : -WEIGHTS[key];
  }
  return sum;
}

/** Patches of equal evidence are taken in an order that has nothing to do with the corpus: by a hash of their text. */
function tie(patch: Patch): number {
  let hash = 2_166_136_261;
  for (const character of patch.to)
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return hash;
}
