/** Patches between trees as `git apply` reads them, byte for byte; object to object, so that no filter and no attribute counts. */
import { assertOid } from './loose-objects.ts';
import { PatchProcess } from './patch-process.ts';

/** The same work is shown at its verdict and again when its agent returns. */
const KEPT_MAX = 16;
const KEPT_BYTES_MAX = 256 * 1024;
/** git keeps the trees that it has read: another process takes over now and then. */
const PATCHES_PER_PROCESS = 500;

/** Patches of one repository; those that were made last are kept, as trees never change. */
export class Patches {
  readonly #gitDir: string;
  readonly #kept = new Map<string, Uint8Array>();
  #process: PatchProcess | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(gitDir: string) {
    this.#gitDir = gitDir;
  }

  /** @throws {GitCommandError} when an object is missing, or the patch is larger than 64 MiB. */
  async between(before: string, after: string): Promise<Uint8Array> {
    const pair = `${assertOid(before)} ${assertOid(after)}`;
    const patch = this.#kept.get(pair) ?? (await this.#inTurn(() => this.#make(pair)));
    this.#kept.delete(pair);
    if (patch.length <= KEPT_BYTES_MAX) this.#kept.set(pair, patch);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX) break;
      this.#kept.delete(oldest);
    }
    return patch;
  }

  /** Ends the process; a later patch starts another. */
  async close(): Promise<void> {
    await this.#inTurn(() => this.#renew());
  }

  /** A process that ended, killed or because an object was missing, is not the last word: a new one says the same or makes it. */
  async #make(pair: string): Promise<Uint8Array> {
    if (this.#process !== null && this.#process.asked < PATCHES_PER_PROCESS) {
      const first = this.#process;
      const patch = await first.patch(pair).catch((error: unknown) => {
        if (first.isAlive) throw error;
        return null;
      });
      if (patch !== null) return patch;
    }
    await this.#renew();
    this.#process = new PatchProcess(this.#gitDir);
    return this.#process.patch(pair);
  }

  async #renew(): Promise<void> {
    const old = this.#process;
    this.#process = null;
    await old?.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
