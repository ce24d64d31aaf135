/** Child side: the pipe to the parent, and what is shared between the child's main module and its reporter. */
import { readFileSync, writeSync } from 'node:fs';

const PIPE = 3;

/** What the parent said: {workDir, file, suiteFiles, isStub, isReversed, blocked, only, named, wall, pure, testTimeoutMs}; a changed run says no more than it needs. */
export const settings = JSON.parse(readFileSync(0, 'utf8'));

/** Reach records of the tests in the order in which they began; behind the wall with `fault` and `example`. */
export const begun = [];

/** Full names of the tests that ran inside of another one: they are parts of it. */
export const parts = new Set();

/** Settles when `node:test` has loaded its reporter. */
export const reporterIsSet = settlement();

const wait = new Int32Array(new SharedArrayBuffer(4));

/** Sends one message. Blocks until it is written. */
export function send(message) {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(PIPE, bytes, done);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(wait, 0, 0, 1);
    }
  }
}

function settlement() {
  let resolve;
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
