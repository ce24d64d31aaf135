/** Paid calls of a door that are under way: so many at once, so much of their answers held, and all ended with the door. */

const CALLS_MAX = 16;
/** Of all answers that are held at once; a room that does not read what it asked for must not fill the memory of its host. */
const HELD_BYTES_MAX = 128 * 1024 * 1024;

export class UnderWay {
  isClosed = false;
  readonly #ends = new Set<{ destroy(): void }>();
  readonly #work = new Set<Promise<unknown>>();
  #heldBytes = 0;

  get isFull(): boolean {
    return this.#work.size >= CALLS_MAX;
  }

  /** Work that a closing door waits for: what is paid is settled. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work);
    try {
      return await work;
    } finally {
      this.#work.delete(work);
    }
  }

  /** A request or an answer that a closing door ends. */
  add(each: { destroy(): void }): void {
    if (this.isClosed) each.destroy();
    else this.#ends.add(each);
  }

  delete(each: { destroy(): void }): void {
    this.#ends.delete(each);
  }

  /** @throws when all answers together are too large to be held */
  hold(bytes: number): void {
    this.#heldBytes += bytes;
    if (this.#heldBytes > HELD_BYTES_MAX) throw new Error('the answers under way are too large');
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }

  /** Ends what is under way, and waits until it is settled. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const each of this.#ends) each.destroy();
    await Promise.allSettled(this.#work);
  }
}
