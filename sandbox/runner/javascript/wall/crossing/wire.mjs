/**
 * Frames on the two pipes between the suite and the builder's code: a length of four bytes, then JSON (gate.md part 10).
 * Both sides block while they read; who may wait how long is decided by the process above each of them.
 */
import { builtin } from '../../shared/builtin.mjs';

const { readSync, writeSync } = builtin('node:fs');

export const MAX_FRAME = 16 * 1024 * 1024;
/** Largest read. */
const CHUNK = 1 << 20;
const { parse, stringify } = JSON;
/** What is kept for messages of common size. */
const SCRATCH = 1 << 16;
const { alloc, allocUnsafe, byteLength } = Buffer;
const wait = new Int32Array(new SharedArrayBuffer(4));
const { wait: sleep } = Atomics;

/** The other side is gone, or sent what is no frame. */
export class WireError extends Error {}
/** The other side is gone. */
export class WireEnded extends WireError {}
/** The message that was to be sent is longer than a frame may be. */
export class TooLarge extends Error {}

/** One end of the two pipes. */
export class Wire {
  #in;
  #out;
  #scratch = alloc(SCRATCH);
  #ahead;
  #from = 0;
  #at = 0;
  #until = 0;

  /**
   * `readsAhead` takes more than a message at once where there is more. Only the end whose process alone reads may do so: what
   * follows on the other one may be for the next session's process.
   */
  constructor(readFd, writeFd, { readsAhead = false } = {}) {
    this.#in = readFd;
    this.#out = writeFd;
    this.#ahead = readsAhead ? alloc(SCRATCH) : null;
  }

  /** @throws {TooLarge} before anything was written. */
  send(message) {
    const text = stringify(message);
    // No character takes more than three bytes.
    const frame = text.length * 3 + 4 <= SCRATCH ? this.#scratch : allocUnsafe(byteLength(text) + 4);
    const size = frame.write(text, 4, 'utf8');
    if (size > MAX_FRAME) throw new TooLarge(`a message of ${size} bytes, the limit is ${MAX_FRAME}`);
    frame.writeUInt32BE(size, 0);
    let done = 0;
    while (done < size + 4) done += attempt(writeSync, this.#out, frame, done, size + 4 - done);
  }

  /** The next message, parsed. Waits for ever. */
  receive() {
    const size = this.#take(4).readUInt32BE(this.#at);
    if (size > MAX_FRAME) throw new WireError(`a frame of ${size} bytes, the limit is ${MAX_FRAME}`);
    const bytes = this.#take(size);
    try {
      return parse(bytes.utf8Slice(this.#at, this.#at + size));
    } catch {
      throw new WireError('a frame that is no JSON');
    }
  }

  /** What holds `size` bytes from `#at` on, until the next message. */
  #take(size) {
    this.#at = 0;
    if (this.#ahead === null)
      return this.#filled(size <= SCRATCH ? this.#scratch : allocUnsafe(size), 0, size);
    if (this.#until - this.#from < size) {
      const kept = this.#until - this.#from;
      if (size > SCRATCH) {
        const bytes = allocUnsafe(size);
        this.#ahead.copy(bytes, 0, this.#from, this.#until);
        this.#from = this.#until = 0;
        return this.#filled(bytes, kept, size);
      }
      this.#ahead.copyWithin(0, this.#from, this.#until);
      [this.#from, this.#until] = [0, kept];
      while (this.#until < size) this.#until += this.#read(this.#ahead, this.#until, SCRATCH - this.#until);
    }
    this.#at = this.#from;
    this.#from += size;
    return this.#ahead;
  }

  #filled(bytes, from, size) {
    let done = from;
    while (done < size) done += this.#read(bytes, done, Math.min(CHUNK, size - done));
    return bytes;
  }

  #read(bytes, at, length) {
    const got = attempt(readSync, this.#in, bytes, at, length);
    if (got === 0) throw new WireEnded('the other side has ended');
    return got;
  }
}

function attempt(act, fd, bytes, at, length) {
  for (;;) {
    try {
      return act(fd, bytes, at, length, null);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw new WireEnded('the pipe is closed');
      sleep(wait, 0, 0, 1);
    }
  }
}
