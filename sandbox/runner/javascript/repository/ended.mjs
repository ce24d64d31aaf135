/**
 * Loaded before a worker that its runner ends by a signal: V8 writes down what ran only where a process ends by itself.
 * A second signal ends it as before, unless the code has a word of its own in that.
 */
import { takeCoverage } from 'node:v8';

/** Where the runner's own workers begin: in its package, or in that of its pool. */
const OF_RUNNER = /[/\\](?:vitest|tinypool)[/\\]/u;

if (process.send !== undefined && OF_RUNNER.test(process.argv[1] ?? ''))
  process.once('SIGTERM', () => {
    takeCoverage();
    if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM');
  });
