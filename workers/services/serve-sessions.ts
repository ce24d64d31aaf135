/** The sessions of a data folder whose stages are open: each is run on to its next rest, as `run` would (design part 11). */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sessionPaths } from '../../adapters/store/session.ts';
import { isStageOpen } from '../../core/stage/under-way.ts';
import type { Result, RunFlags, RunNotice, RunReport } from '../../core/ports/services.ts';
import { findSession } from './common.ts';
import { withSession } from './open-session.ts';

/** How a session is run on; `run` of this folder with the settings of its last run. */
export type RunOn = (dir: string, watch: (notice: RunNotice) => void) => Promise<Result<RunReport>>;

/** A session whose stage is open, and how long its ledger is. */
export interface MovingSession {
  readonly dir: string;
  readonly bytes: number;
}

export interface SessionsServed {
  /** What there is to serve now; it is asked again and again. */
  readonly look: () => Promise<readonly MovingSession[]>;
  readonly runOn: RunOn;
  readonly say: (text: string) => void;
  readonly stop: AbortSignal;
  /** Default 2,000. */
  readonly lookMs?: number;
}

const LOOK_MS = 2_000;
/** Sessions that are served at once; others wait for one of them to rest. */
export const SESSIONS_MAX = 8;

/** The settings of the last run, and nothing asked of anybody. */
export const AS_BEFORE: RunFlags = {
  stageId: null,
  nodes: [],
  manager: null,
  model: null,
  subagentModel: null,
  baseUrl: null,
  builderAgent: null,
  authorAgent: null,
  maxCostUsd: null,
  maxTokens: null,
  maxTurns: null,
  drainTurn: null,
  maxInFlight: null,
  strictTurns: false,
  requireWall: false,
  backend: null,
  fresh: false,
  adopt: false,
};

/** Serves until `stop`. A session that cannot be run on is said once, and tried again when its ledger has grown. */
export async function serveSessions({
  look,
  runOn,
  say,
  stop,
  lookMs = LOOK_MS,
}: SessionsServed): Promise<void> {
  const served = new Map<string, Promise<void>>();
  const refused = new Map<string, number>();
  while (!stop.aborted) {
    for (const { dir, bytes } of await look()) {
      if (served.has(dir) || refused.get(dir) === bytes || served.size >= SESSIONS_MAX) continue;
      say(`Serving session ${dir}`);
      const running = runOn(dir, tellTo(say, dir)).then((result) => {
        served.delete(dir);
        if (stop.aborted) return;
        refused.set(dir, bytes);
        say(`${dir}: ${result.ok ? 'at rest' : result.problems.map(({ message }) => message).join('; ')}`);
      });
      served.set(dir, running);
    }
    await delay(lookMs, undefined, { signal: stop }).catch(() => undefined);
  }
  await Promise.all(served.values());
}

/** Those that lie directly in a folder, which need not be there. */
export async function movingSessions(folder: string): Promise<readonly MovingSession[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.sort().map((name) => openSession(join(folder, name))));
  return found.flatMap((each) => each ?? []);
}

async function openSession(dir: string): Promise<MovingSession | null> {
  const ledger = await stat(sessionPaths(dir).ledger).catch(() => null);
  if (ledger === null || !(await findSession(dir)).ok) return null;
  const isOpen = await withSession(dir, async (session) => isStageOpen((await session.doc()).state));
  return isOpen.ok && isOpen.value ? { dir, bytes: ledger.size } : null;
}

function tellTo(say: (text: string) => void, dir: string): (notice: RunNotice) => void {
  return (notice) => {
    if (notice.kind === 'said') say(`${dir}: ${notice.text}`);
  };
}
