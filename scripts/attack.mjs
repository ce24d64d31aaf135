// `npm run attack [-- --json] [--family F] [--backend B]`: hostile builders, authors, tools and rooms against the product's own
// gate, store and sandboxes. Exit code 1 if any got through. The corpus is that of the tests.
import { register } from 'tsx/esm/api';
import { readOptions, USAGE } from './attack/options.mjs';

const options = readOptions(process.argv.slice(2));
if (options.kind === 'run') {
  register();
  const { runAttackSuite } = await import('./attack/run.mjs');
  process.exitCode = await runAttackSuite(options);
} else {
  process.stderr.write(options.kind === 'wrong' ? `${options.message}\n${USAGE}` : USAGE);
  process.exitCode = options.kind === 'wrong' ? 2 : 0;
}
