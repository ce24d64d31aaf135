/**
 * Frames on the two pipes between the suite and the builder's code: a length of four bytes, then JSON (gate.md part 10).
 * Both sides block while they read; who may wait how long is decided by the process above each of them.
 */
import { readSync, writeSync } from 'node:fs';

export const MAX_FRAME = 16 * 1024 * 1024;
/** Largest read. */
const CHUNK = 1 << 20;
const { parse, stringify } = JSON;
const { from, allocUnsafe } = Buffer;
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
  constructor(readFd, writeFd) {
    this.#in = readFd;
    this.#out = writeFd;
  }

  /** @throws {TooLarge} before anything was written. */
  send(message) {
    const body = from(stringify(message), 'utf8');
    if (body.length > MAX_FRAME)
      throw new TooLarge(`a message of ${body.length} bytes, the limit is ${MAX_FRAME}`);
    const frame = allocUnsafe(body.length + 4);
    frame.writeUInt32BE(body.length, 0);
    body.copy(frame, 4);
    let done = 0;
    while (done < frame.length) done += attempt(writeSync, this.#out, frame, done, frame.length - done);
  }

  /** The next message, parsed. Waits for ever. */
  receive() {
    const size = this.#take(4).readUInt32BE(0);
    if (size > MAX_FRAME) throw new WireError(`a frame of ${size} bytes, the limit is ${MAX_FRAME}`);
    const body = this.#take(size);
    try {
      return parse(body.toString('utf8'));
    } catch {
      throw new WireError('a frame that is no JSON');
    }
  }

  // Never more than a message: what follows may be for the next session's process.
  #take(size) {
    const bytes = allocUnsafe(size);
    let done = 0;
    while (done < size) {
      const got = attempt(readSync, this.#in, bytes, done, Math.min(CHUNK, size - done));
      if (got === 0) throw new WireEnded('the other side has ended');
      done += got;
    }
    return bytes;
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
