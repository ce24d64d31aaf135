/** Whether the next call fits its cap (design part 10): spent + under way + worst case of this one. */
import type { BudgetStand, ModelCap } from '../ports/model.ts';
import type { WorstCase } from '../../schemas/model-call.ts';
import type { CallCharge } from './call-state.ts';

export type CapDecision = { readonly kind: 'fits' } | ({ readonly kind: 'refused' } & BudgetStand);

/** Priced calls are held to the cap in money, unpriced ones to the cap in tokens. Reaching a cap exactly still fits. */
export function decideCap(options: {
  readonly cap: ModelCap;
  readonly spent: CallCharge;
  readonly reserved: CallCharge;
  readonly worstCase: WorstCase;
}): CapDecision {
  const stand = standOf(options);
  if (stand.spent + stand.reserved + stand.worstCase <= stand.cap) return { kind: 'fits' };
  return { kind: 'refused', ...stand };
}

function standOf({ cap, spent, reserved, worstCase }: Parameters<typeof decideCap>[0]): BudgetStand {
  if (worstCase.microUsd !== null) {
    return {
      unit: 'micro_usd',
      spent: spent.microUsd,
      reserved: reserved.microUsd,
      cap: cap.maxCostMicroUsd,
      worstCase: worstCase.microUsd,
    };
  }
  return {
    unit: 'tokens',
    spent: spent.unpricedTokens,
    reserved: reserved.unpricedTokens,
    cap: cap.maxTokensWhenUnpriced,
    worstCase: worstCase.tokens,
  };
}
