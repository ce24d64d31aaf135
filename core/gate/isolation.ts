/** Does what a sandbox proved at start reach what a plan demands? (G10) */
import type { IsolationDemand } from '../../schemas/gate-plan.ts';
import type { IsolationLevel } from '../../schemas/report.ts';

const RANK: Readonly<Record<IsolationLevel['level'], number>> = { none: 0, partial: 1, hardened: 2 };

/** Why the proven level is too low, or null. `open` are the acts that were not held. */
export function isolationProblem(
  demand: IsolationDemand | undefined,
  proven: IsolationLevel,
  open: readonly string[] = [],
): string | null {
  if (demand === undefined || RANK[proven.level] >= RANK[demand]) return null;
  const acts = open.length === 0 ? '' : `; not held: ${open.slice(0, ACTS_MAX).join(', ')}`;
  return `isolation must be "${demand}", ${proven.backend} proved "${proven.level}"${acts}`;
}

/** Acts that a message names at most. */
const ACTS_MAX = 5;
