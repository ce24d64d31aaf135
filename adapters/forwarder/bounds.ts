/** The bounds of an order at its door: reserved before a call, settled after it (design part 10). */
import { worstCaseOf } from '../../core/model/cost.ts';
import type { DoorRequest, ModelProtocol } from '../../core/ports/agent-driver.ts';
import type { WorstCase } from '../../schemas/model-call.ts';
import type { ModelPrice } from '../../schemas/model.ts';
import type { AgentUsage } from '../../schemas/order.ts';

/** The most that a call can cost; a cache that it writes is dearer than what it reads. */
export function worstCase(
  text: string,
  { maxOutputTokens, hiddenTokens }: { readonly maxOutputTokens: number; readonly hiddenTokens: number },
  price: ModelPrice | null,
  protocol: ModelProtocol,
): WorstCase {
  // A token is a byte at least; what bytes do not bound comes on top.
  const requestBytes = Buffer.byteLength(text) + hiddenTokens;
  const plain = worstCaseOf({ requestBytes, messages: 0, tools: 0, maxOutputTokens, price });
  if (protocol !== 'anthropic' || !text.includes('"cache_control"') || price === null) return plain;
  const factor = text.includes('"ttl"') ? 2 : 1.25;
  const dear = worstCaseOf({
    requestBytes: Math.ceil(requestBytes * factor),
    messages: 0,
    tools: 0,
    maxOutputTokens,
    price,
  });
  return { tokens: plain.tokens, microUsd: dear.microUsd };
}

/** The bound that a call would pass, in words; null for none. What is under way is part of what was used. */
export function boundOf(
  { limits, spent }: Pick<DoorRequest, 'limits' | 'spent'>,
  { calls, used }: { readonly calls: number; readonly used: AgentUsage },
  worst: WorstCase,
): string | null {
  if (calls >= limits.requestsMax) return `requests an iteration, at most ${String(limits.requestsMax)}`;
  if (worst.microUsd !== null) {
    const total = (spent.costMicroUsd ?? 0) + (used.costMicroUsd ?? 0) + worst.microUsd;
    if (total <= limits.costMicroUsd) return null;
    return `max-cost ${(limits.costMicroUsd / 1e6).toFixed(2)} USD; spent, under way and the worst case of this call come to ${(total / 1e6).toFixed(4)} USD`;
  }
  const known = spent.inputTokens + spent.outputTokens + used.inputTokens + used.outputTokens;
  return known + worst.tokens > limits.tokensMax
    ? `tokens of a model without a price, at most ${String(limits.tokensMax)}; the worst case of this call is ${String(worst.tokens)}`
    : null;
}
