/**
 * A room's share of the process that serves its door. Reading a body blocks this process, and rooms choose their bodies: a room
 * has a fifth of the time, whatever it sends, in one long piece or in many short ones; what it took beyond is waited for.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** The rest of the time belongs to others. */
const OTHERS_SHARE = 4;
/** Time of this process that is lent: a turn of an honest agent never waits. */
const FREE_MS = 20;
const WAIT_MAX_MS = 10_000;

export class Share {
  /** By then what was taken is paid back. */
  #evenAtMs = 0;
  #last: Promise<void> = Promise.resolve();
  readonly #nowMs: () => number;
  readonly #wait: (ms: number) => Promise<unknown>;

  constructor(nowMs: () => number = () => performance.now(), wait: (ms: number) => Promise<unknown> = sleep) {
    this.#nowMs = nowMs;
    this.#wait = wait;
  }

  /** Does one blocking piece of work when it is its turn: pieces follow one another, once what was taken before is nearly paid back. */
  async take<T>(work: () => T): Promise<T> {
    const before = this.#last;
    let done = (): void => undefined;
    this.#last = new Promise((resolve) => (done = resolve));
    await before;
    try {
      const owedMs = this.#evenAtMs - this.#nowMs() - FREE_MS * OTHERS_SHARE;
      if (owedMs > 0) await this.#wait(Math.min(WAIT_MAX_MS, owedMs));
      const startMs = this.#nowMs();
      try {
        return work();
      } finally {
        const endMs = this.#nowMs();
        this.#evenAtMs = Math.max(this.#evenAtMs, startMs) + (endMs - startMs) * (1 + OTHERS_SHARE);
      }
    } finally {
      done();
    }
  }
}
