/** `run` of the product in bubblewrap, with its gate forced to PASS. Argument: session folder. */
import { runSession } from '../run-session.ts';
import { forcePass } from './force-pass.ts';

void runSession(process.argv[2] ?? '', 'bubblewrap', { wrapPorts: forcePass });
