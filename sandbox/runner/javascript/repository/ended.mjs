/**
 * Loaded before a worker that its runner ends by a signal: V8 writes down what ran only where a process ends by itself.
 * A second signal ends it as before, unless the code has a word of its own in that.
 */
import { takeCoverage } from 'node:v8';

if (process.send !== undefined && process.env.TINYPOOL_WORKER_ID !== undefined)
  process.once('SIGTERM', () => {
    takeCoverage();
    if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM');
  });
