/** Ends this process after a time, from a thread of its own: the main one may wait in a read for ever. */
import { Worker } from 'node:worker_threads';

const LIMIT = `
const { workerData } = require('node:worker_threads');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData);
process.kill(process.pid, 'SIGTERM');`;

/** @param limitMs milliseconds from now. */
export function endAfter(limitMs) {
  new Worker(LIMIT, { eval: true, workerData: limitMs }).unref();
}
