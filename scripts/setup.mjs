// `npm run setup`: see setup/set-up.mjs.
import { setUp } from './setup/set-up.mjs';

process.exitCode = await setUp(process.argv.slice(2));
