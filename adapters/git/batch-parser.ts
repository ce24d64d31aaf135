/** Cuts the output of `git cat-file --batch` into answers. */

export interface BatchAnswer {
  readonly oid: string;
  /** Null: git says that it is missing. */
  readonly object: { readonly type: string; readonly body: Buffer } | null;
}

interface Expected {
  readonly oid: string;
  readonly type: string;
  readonly size: number;
}

/** Larger objects are not read: one would fill the memory of a process that judges a repository. */
export const OBJECT_MAX_BYTES = 256 * 1024 * 1024;

/** An object that is larger than what is read. */
export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
}

const HEADER = /^([0-9a-f]{40}) (?:missing|(blob|tree|commit|tag) (\d+))$/;
const NEWLINE = 0x0a;

/** Keeps what has come so far in a list, so that a large object is copied once. */
export class BatchParser {
  #parts: Buffer[] = [];
  #have = 0;
  #expected: Expected | null = null;

  /** Answers that are complete with this chunk. @throws {ObjectTooLarge}; {Error} for a header that git does not write. */
  push(chunk: Buffer): BatchAnswer[] {
    this.#parts.push(chunk);
    this.#have += chunk.length;
    if (this.#expected !== null && this.#have < this.#expected.size + 1) return [];
    const answers: BatchAnswer[] = [];
    let rest = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#have);
    for (;;) {
      const step = this.#step(rest);
      if (step === null) break;
      rest = rest.subarray(step.used);
      if (step.answer !== null) answers.push(step.answer);
    }
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#have = rest.length;
    return answers;
  }

  #step(rest: Buffer): { used: number; answer: BatchAnswer | null } | null {
    const expected = this.#expected;
    if (expected === null) return this.#readHeader(rest);
    if (rest.length < expected.size + 1) return null;
    this.#expected = null;
    // Copied: a slice would keep the whole chunk alive in the cache.
    const body = Buffer.from(rest.subarray(0, expected.size));
    return { used: expected.size + 1, answer: { oid: expected.oid, object: { type: expected.type, body } } };
  }

  #readHeader(rest: Buffer): { used: number; answer: BatchAnswer | null } | null {
    const end = rest.indexOf(NEWLINE);
    if (end < 0) return null;
    const line = rest.toString('latin1', 0, end);
    const found = HEADER.exec(line);
    const oid = found?.[1];
    if (oid === undefined)
      throw new Error(`Cannot read answer of git cat-file: unknown header "${line.slice(0, 100)}"`);
    const type = found?.[2];
    if (type === undefined) return { used: end + 1, answer: { oid, object: null } };
    const size = Number(found?.[3]);
    if (size > OBJECT_MAX_BYTES)
      throw new ObjectTooLarge(`it has ${String(size)} bytes, at most ${String(OBJECT_MAX_BYTES)} are read`);
    this.#expected = { oid, type, size };
    return { used: end + 1, answer: null };
  }
}
