// `npm run chaos -- --runs 50 [--seed N] [--parallel 2]`: sessions that are killed at random instants, each run to its
// end and checked. The driver is that of the crash tests; this program only asks for runs and prints them.
import { register } from 'tsx/esm/api';
import { readOptions, USAGE } from './chaos/options.mjs';

const options = readOptions(process.argv.slice(2));
if (options.kind === 'run') {
  register();
  const { runChaos } = await import('./chaos/run.mjs');
  process.exitCode = await runChaos(options);
} else if (options.kind === 'orders') {
  register();
  const { runOrderChaos } = await import('./chaos/orders.mjs');
  process.exitCode = await runOrderChaos(options);
} else {
  process.stderr.write(options.kind === 'wrong' ? `${options.message}\n${USAGE}` : USAGE);
  process.exitCode = options.kind === 'wrong' ? 2 : 0;
}
