/** What an iteration's calls come to, kept as they come and go: a call without an end stands with its worst case. */
import type { AgentUsage } from '../../schemas/order.ts';

export type Charge = Omit<AgentUsage, 'calls'>;

export class Tally {
  readonly #open = new Map<number, Charge>();
  #settled: AgentUsage = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };

  /** Calls that went out, ended or not. */
  get calls(): number {
    return this.#settled.calls + this.#open.size;
  }

  /** @param worst nobody knows yet what the call will cost */
  sent(call: number, worst: Charge): void {
    this.#open.set(call, worst);
  }

  /** The worst case of a call that has no end. */
  worstOf(call: number): Charge {
    return this.#open.get(call) ?? { inputTokens: 0, outputTokens: 0, costMicroUsd: null };
  }

  settled(call: number, charge: Charge): void {
    if (this.#open.delete(call)) this.#settled = sum(this.#settled, charge);
  }

  usage(): AgentUsage {
    return [...this.#open.values()].reduce(sum, this.#settled);
  }
}

function sum(usage: AgentUsage, { inputTokens, outputTokens, costMicroUsd }: Charge): AgentUsage {
  return {
    calls: usage.calls + 1,
    inputTokens: usage.inputTokens + inputTokens,
    outputTokens: usage.outputTokens + outputTokens,
    costMicroUsd:
      usage.costMicroUsd === null || costMicroUsd === null ? null : usage.costMicroUsd + costMicroUsd,
  };
}
