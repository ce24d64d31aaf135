/** Reads an answer as it passes: its usage, whether it is whole, and never the key, should an endpoint echo it. */
import { answerParts, type DoorUsage, isComplete, usageOf } from '../../core/model/door-usage.ts';
import type { ModelProtocol } from '../../core/ports/agent-driver.ts';

const MASK = '*';

export class AnswerReader {
  readonly #protocol: ModelProtocol;
  readonly #key: Buffer;
  readonly #chunks: Buffer[] = [];
  #held = Buffer.alloc(0);

  constructor(protocol: ModelProtocol, key: string) {
    this.#protocol = protocol;
    this.#key = Buffer.from(key);
  }

  /** The part of what came that may go on: a piece as long as the key is held back, as the key may be cut by chunks. */
  push(chunk: Buffer): Buffer {
    const all = Buffer.concat([this.#held, chunk]);
    this.#mask(all);
    // Only a tail that may be the beginning of the key waits for more.
    const keep = this.#tail(all);
    const shown = all.subarray(0, all.length - keep);
    this.#held = Buffer.from(all.subarray(all.length - keep));
    this.#chunks.push(shown);
    return shown;
  }

  end(): Buffer {
    this.#chunks.push(this.#held);
    return this.#held;
  }

  body(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Its usage, null where it told none, and whether its last word came. */
  read(): { readonly usage: DoorUsage | null; readonly isComplete: boolean } {
    const parts = answerParts(this.body().toString('utf8'));
    return {
      usage: usageOf(parts, this.#protocol),
      isComplete: isComplete(parts, this.#protocol),
    };
  }

  #mask(bytes: Buffer): void {
    if (this.#key.length < 8) return;
    for (let at = bytes.indexOf(this.#key); at >= 0; at = bytes.indexOf(this.#key, at))
      bytes.fill(MASK, at, at + this.#key.length);
  }

  #tail(bytes: Buffer): number {
    if (this.#key.length < 8) return 0;
    for (let length = Math.min(this.#key.length - 1, bytes.length); length > 0; length -= 1)
      if (bytes.subarray(bytes.length - length).equals(this.#key.subarray(0, length))) return length;
    return 0;
  }
}
