/** Reads an answer as it passes: its usage, whether it is whole, and never the key, should an endpoint echo it. */
import { answerParts, type DoorUsage, isComplete, usageOf } from '../../core/model/door-usage.ts';
import type { ModelProtocol } from '../../core/ports/agent-driver.ts';

const MASK = '*';
/** Shorter ones are words. */
const KEY_BYTES_MIN = 8;

export class AnswerReader {
  readonly #protocol: ModelProtocol;
  readonly #keys: readonly Buffer[];
  readonly #chunks: Buffer[] = [];
  #held = Buffer.alloc(0);

  constructor(protocol: ModelProtocol, key: string) {
    this.#protocol = protocol;
    this.#keys = writingsOf(key);
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
    for (const key of this.#keys)
      for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at))
        bytes.fill(MASK, at, at + key.length);
  }

  #tail(bytes: Buffer): number {
    return Math.max(0, ...this.#keys.map((key) => tailLength(bytes, key)));
  }
}

/** As an endpoint that tells what it was sent may write it: plain, in a text of JSON, in an address. */
function writingsOf(key: string): Buffer[] {
  if (Buffer.byteLength(key) < KEY_BYTES_MIN) return [];
  const inAddress = encodeURIComponent(key);
  const small = inAddress.replace(/%../g, (code) => code.toLowerCase());
  return [...new Set([key, key.replaceAll('/', '\\/'), inAddress, small])].map((each) => Buffer.from(each));
}

/** Bytes at the end that may be the beginning of a key. */
function tailLength(bytes: Buffer, key: Buffer): number {
  for (let length = Math.min(key.length - 1, bytes.length); length > 0; length -= 1)
    if (bytes.subarray(bytes.length - length).equals(key.subarray(0, length))) return length;
  return 0;
}
