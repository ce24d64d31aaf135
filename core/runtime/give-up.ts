/** Whether a submission gives the task back (seed 001: `status: suspended`, or a `suspension`). */
import type { Suspension, SubmitPrInput } from '../../schemas/submit-pr.ts';

/** The suspension that it means, with an empty `detail` where it has no reason; null for work that is handed in. */
export function givesUp(submit: SubmitPrInput): Suspension | null {
  if (submit.status !== 'suspended') return null;
  return submit.suspension ?? { type: 'near', detail: submit.pr_note ?? '' };
}
