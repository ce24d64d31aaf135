/** The bounds of an order, each with its name and value (O2). */
import type { OrderState } from './types.ts';

/** The same failure is told the second time and ends the order the third. */
const SAME_FAILURES_MAX = 3;
/** A machine that could not judge that often in a row is not asked again. */
export const PLATFORM_FAULTS_MAX = 3;

/** The bound that the next iteration would pass; null for none. */
export function boundHit(state: OrderState): { readonly code: string; readonly message: string } | null {
  const { limits } = state.order;
  const last = state.iterations.at(-1)?.headline ?? 'nothing was judged';
  if (state.repeats + 1 >= SAME_FAILURES_MAX)
    return {
      code: 'same_failure',
      message: `The same failure ${String(SAME_FAILURES_MAX)} times in a row: ${last}`,
    };
  if (state.iterations.length >= limits.iterationsMax)
    return {
      code: 'budget_iterations',
      message: `No iteration is left: max-iterations is ${String(limits.iterationsMax)}; the last failure: ${last}`,
    };
  if (state.spentMs >= limits.timeMs)
    return {
      code: 'budget_time',
      message: `No time is left: max-time is ${String(Math.round(limits.timeMs / 1000))} s; the last failure: ${last}`,
    };
  const { costMicroUsd } = state.usage;
  if (costMicroUsd !== null && costMicroUsd > 0 && costMicroUsd >= limits.costMicroUsd)
    return {
      code: 'budget_cost',
      message: `No money is left: max-cost is ${(limits.costMicroUsd / 1e6).toFixed(2)} USD; the last failure: ${last}`,
    };
  return null;
}
