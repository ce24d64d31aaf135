/**
 * `run` of the product with a strike between its ports. Arguments: session folder, JSON of `ProgramOptions`. The product
 * knows nothing of it: the wrapping happens where its ports are wired.
 */
import type { RunNotice } from '../../../core/ports/services.ts';
import type { HistoryBounds } from '../../../schemas/stage-io.ts';
import { runSession } from '../run-session.ts';
import { strikePorts } from './strike-ports.ts';
import type { Strike } from './strike-points.ts';

export interface ProgramOptions {
  readonly strike: Strike | null;
  readonly historyBounds: HistoryBounds | null;
  readonly backend: 'docker' | 'bubblewrap';
}

const [dir = '', json = ''] = process.argv.slice(2);
const { strike, historyBounds, backend } = JSON.parse(json) as ProgramOptions;
const around = {
  ...(strike === null ? {} : { wrapPorts: strikePorts.bind(null, strike) }),
  ...(historyBounds === null ? {} : { historyBounds }),
};
void runSession(dir, backend, around, say);

function say(notice: RunNotice): void {
  if (notice.kind === 'said') process.stderr.write(`${notice.text}\n`);
  if (notice.kind === 'line') process.stderr.write(`${notice.line.type}\n`);
}
