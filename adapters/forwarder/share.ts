/**
 * A room's share of the process that serves its door. Reading a body blocks this process, and rooms choose their bodies: after a piece of
 * work that took long the room's next body waits, so that a room has at most a fifth of the time, whatever it sends.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** The rest of the time belongs to others. */
const OTHERS_SHARE = 4;
/** Short work is free: a turn of an honest agent never waits. */
const FREE_MS = 20;
const WAIT_MAX_MS = 10_000;

export class Share {
  #freeAtMs = 0;
  #last: Promise<void> = Promise.resolve();
  readonly #nowMs: () => number;
  readonly #wait: (ms: number) => Promise<unknown>;

  constructor(nowMs: () => number = () => performance.now(), wait: (ms: number) => Promise<unknown> = sleep) {
    this.#nowMs = nowMs;
    this.#wait = wait;
  }

  /** Does one blocking piece of work when it is its turn; pieces follow one another, and time that was taken is waited for. */
  async take<T>(work: () => T): Promise<T> {
    const before = this.#last;
    let done = (): void => undefined;
    this.#last = new Promise((resolve) => (done = resolve));
    await before;
    try {
      const owedMs = this.#freeAtMs - this.#nowMs();
      if (owedMs > 0) await this.#wait(owedMs);
      const startMs = this.#nowMs();
      try {
        return work();
      } finally {
        const endMs = this.#nowMs();
        const tookMs = endMs - startMs;
        if (tookMs > FREE_MS) this.#freeAtMs = endMs + Math.min(WAIT_MAX_MS, tookMs * OTHERS_SHARE);
      }
    } finally {
      done();
    }
  }
}
