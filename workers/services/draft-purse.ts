/** What a draft may cost and has cost: each answer is held to the cap before it is asked for, and counted after. */
import { decideCap } from '../../core/model/cap.ts';
import { costOf, formatMicroUsd, worstCaseOf } from '../../core/model/cost.ts';
import { counted } from '../../core/text/plural.ts';
import type { ModelCap, ModelTarget } from '../../core/ports/model.ts';
import type { DraftUse, Failed } from '../../core/ports/services.ts';
import type { ChatMessage, ModelUsage } from '../../schemas/model.ts';
import { failed } from './common.ts';

interface Purse {
  /** Null: the next answer fits, at its worst case. */
  refusal(messages: readonly ChatMessage[]): Failed | null;
  /** `usage` null: the endpoint did not say; then the worst case is charged. */
  pay(messages: readonly ChatMessage[], usage: ModelUsage | null): void;
  use(): DraftUse;
  /** `; 2 answers cost $0.0031`, or nothing. */
  told(): string;
}

interface PurseAsk {
  readonly target: ModelTarget;
  readonly cap: ModelCap;
  /** That each answer is asked with. */
  readonly maxOutputTokens: number;
}

/** Nothing is spent yet. */
export function createPurse({ target, cap, maxOutputTokens }: PurseAsk): Purse {
  const { price } = target;
  let use: DraftUse = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: price === null ? null : 0 };
  const worstOf = (messages: readonly ChatMessage[]): ReturnType<typeof worstCaseOf> =>
    worstCaseOf({
      requestBytes: Buffer.byteLength(JSON.stringify(messages)),
      messages: messages.length,
      tools: 0,
      maxOutputTokens,
      price,
    });
  return {
    refusal(messages) {
      const spent = { microUsd: use.costMicroUsd ?? 0, unpricedTokens: use.inputTokens + use.outputTokens };
      const none = { microUsd: 0, unpricedTokens: 0 };
      const decision = decideCap({ cap, spent, reserved: none, worstCase: worstOf(messages) });
      if (decision.kind === 'fits') return null;
      const amount = (value: number): string =>
        decision.unit === 'micro_usd' ? formatMicroUsd(value) : counted(value, 'token');
      const flag = decision.unit === 'micro_usd' ? '--max-cost USD' : '--max-tokens COUNT';
      return failed(
        3,
        `Cannot draft: an answer may cost ${amount(decision.worstCase)}, ${amount(decision.spent)} of ${amount(decision.cap)} are spent`,
        `Raise the cap with ${flag}, or shorten the text`,
      );
    },
    pay(messages, usage) {
      const worst = worstOf(messages);
      const inputTokens = usage?.inputTokens ?? worst.tokens - maxOutputTokens;
      const outputTokens = usage?.outputTokens ?? maxOutputTokens;
      const cost = price === null ? null : usage === null ? worst.microUsd : costOf(usage, price);
      use = {
        calls: use.calls + 1,
        inputTokens: use.inputTokens + inputTokens,
        outputTokens: use.outputTokens + outputTokens,
        costMicroUsd: cost === null ? null : (use.costMicroUsd ?? 0) + cost,
      };
    },
    use: () => use,
    told: () =>
      use.calls === 0 ? '' : `; ${counted(use.calls, 'answer')} cost ${formatMicroUsd(use.costMicroUsd)}`,
  };
}
