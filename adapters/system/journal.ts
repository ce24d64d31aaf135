/**
 * Lines of one file, each on disk before its writer goes on, with one wait for all that came meanwhile (group commit).
 *
 *  J1. A line is in the file when `add` returns: a killed process loses none. Its promise waits for the disk.
 *  J2. A sync covers a line only if it began after the line was written: who comes during one waits for the next.
 *  J3. After a failed write or sync nothing is added any more: nobody knows what a disk kept that failed once.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder, toDisk } from './files.ts';

export class Journal {
  readonly #handle: number;
  readonly #sync: (handle: number) => Promise<void>;
  #broken: Error | null = null;
  #isClosed = false;
  /** The sync that is under way, and the one that begins after it. */
  #current: Promise<void>;
  #next: Promise<void> | null = null;

  /** Opens a file that is only ever appended to; a last line that a crash cut is closed, so that the next one stands alone. */
  constructor(path: string, sync: (handle: number) => Promise<void> = toDisk) {
    this.#sync = sync;
    this.#handle = openSync(path, 'a+', 0o644);
    if (!endsWhole(this.#handle)) writeSync(this.#handle, '\n');
    this.#current = syncFolder(dirname(path));
    this.#current.catch((error: unknown) => this.#break(error));
  }

  /** Resolves when the line is on disk. */
  async add(line: string): Promise<void> {
    this.note(line);
    await this.#synced();
  }

  /** Writes a line that nobody waits for. */
  note(line: string): void {
    if (this.#broken !== null) throw this.#broken;
    try {
      writeWhole(this.#handle, Buffer.from(`${line}\n`));
    } catch (error) {
      throw this.#break(error);
    }
  }

  /** Waits for the disk, and lets go of the file. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#synced().catch(() => undefined);
    this.#broken ??= new Error('Cannot write: the file is closed');
    closeSync(this.#handle);
  }

  #synced(): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = null;
      this.#current = this.#sync(this.#handle);
      this.#current.catch((error: unknown) => this.#break(error));
      return this.#current;
    });
    return this.#next;
  }

  #break(error: unknown): Error {
    this.#broken ??= error instanceof Error ? error : new Error(String(error));
    return this.#broken;
  }
}

function endsWhole(handle: number): boolean {
  const { size } = fstatSync(handle);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(handle, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}

/** One write may take a part only. */
function writeWhole(handle: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.byteLength;) at += writeSync(handle, bytes, at);
}
