/** The services behind the command line, wired for this process. */
import type { Services } from '../../core/ports/services.ts';
import type { Surroundings } from './common.ts';
import { doctor } from './doctor.ts';
import { init } from './init.ts';
import { sendInput } from './input.ts';
import { ledgerVerify } from './ledger-verify.ts';
import { narrative, why } from './narrative.ts';
import { run } from './run.ts';
import { seed } from './seed.ts';
import { down, modelServer, up, worker } from './serve.ts';
import { status } from './status.ts';
import { verifyCommit } from './verify.ts';

/** @param around default: the environment of this process. */
export function createServices(around: Surroundings = { env: process.env }): Services {
  return {
    init,
    seed: (dir, adopt) => seed(around, dir, adopt),
    run: (dir, flags, watch, stop) => run(around, dir, flags, watch, stop),
    status: (dir) => status(around, dir),
    why,
    narrative,
    input: (dir, message, id) => sendInput(around, dir, message, id),
    verify: (dir, commit) => verifyCommit(around, dir, commit),
    ledgerVerify,
    worker: (dir, watch, stop) => worker(around, dir, watch, stop),
    up: () => up(around),
    down: () => down(around),
    modelServer,
    doctor: (dir) => doctor(around, dir),
  };
}
