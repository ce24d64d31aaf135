/** Money in integer micro-dollars (design part 10). Fractions are rounded up, so a sum is never too low. */
import type { WorstCase } from '../../schemas/model-call.ts';
import type { ModelPrice, ModelUsage } from '../../schemas/model.ts';

const TOKENS_PER_MTOK = 1_000_000n;
/** Room for what an endpoint puts around a message or a tool when it renders the prompt. */
const FRAME_TOKENS = 16;

/** Cost of an answer in micro-dollars. */
export function costOf(usage: ModelUsage, price: ModelPrice): number {
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const cachedPrice = price.cachedInputMicroUsdPerMTok ?? price.inputMicroUsdPerMTok;
  return toMicroUsd(
    product(usage.inputTokens - cached, price.inputMicroUsdPerMTok) +
      product(cached, cachedPrice) +
      product(usage.outputTokens, price.outputMicroUsdPerMTok),
  );
}

/**
 * The most that one attempt can use. A token of any byte-level tokenizer stands for at least one byte of the request,
 * so its size in bytes bounds the prompt.
 */
export function worstCaseOf(options: {
  readonly requestBytes: number;
  readonly messages: number;
  readonly tools: number;
  readonly maxOutputTokens: number;
  readonly price: ModelPrice | null;
}): WorstCase {
  const inputTokens = options.requestBytes + FRAME_TOKENS * (1 + options.messages + options.tools);
  const tokens = inputTokens + options.maxOutputTokens;
  if (options.price === null) return { microUsd: null, tokens };
  const dearest = Math.max(options.price.inputMicroUsdPerMTok, options.price.cachedInputMicroUsdPerMTok ?? 0);
  const microUsd = toMicroUsd(
    product(inputTokens, dearest) + product(options.maxOutputTokens, options.price.outputMicroUsdPerMTok),
  );
  return { microUsd, tokens };
}

/** `$0.0123`, for people: four decimals, rounded up; null reads `unknown`. */
export function formatMicroUsd(microUsd: number | null): string {
  if (microUsd === null) return 'unknown';
  return `$${(Math.ceil(microUsd / 100) / 10_000).toFixed(4)}`;
}

function product(tokens: number, price: number): bigint {
  return BigInt(tokens) * BigInt(price);
}

function toMicroUsd(scaled: bigint): number {
  return Number((scaled + TOKENS_PER_MTOK - 1n) / TOKENS_PER_MTOK);
}
