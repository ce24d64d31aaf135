/** Agent session logs, `<session>/sessions/<node>/<dispatch>.jsonl`: one line an event, each key once (seed 001, session logs). */
import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionLog, SessionLogLine } from '../../core/ports/session.ts';

/** Logs below `sessionsDir`. `now` stamps the lines. */
export function createSessionLog(sessionsDir: string, now: () => Date = () => new Date()): SessionLog {
  // A log is read again only when somebody else has written to it.
  const known = new Map<string, KnownLog>();
  return {
    async append(nodeId: string, dispatchId: string, lines: readonly SessionLogLine[]): Promise<void> {
      if (lines.length === 0) return;
      const path = join(sessionsDir, nodeId, `${dispatchId}.jsonl`);
      const { keys } = knownLog(known, path);
      const fresh = lines.filter((line) => !keys.has(line.key));
      if (fresh.length === 0) return;
      mkdirSync(dirname(path), { recursive: true });
      const at = now().toISOString();
      const text = fresh
        .map(({ key, type, data }) => `${JSON.stringify({ key, type, at, ...data })}\n`)
        .join('');
      appendFileSync(path, text, { mode: 0o644 });
      for (const line of fresh) keys.add(line.key);
      known.set(path, { size: sizeOf(path), keys });
    },
  };
}

interface KnownLog {
  readonly size: number;
  readonly keys: Set<string>;
}

/** Logs whose keys are kept in memory. */
const KNOWN_MAX = 200;

function knownLog(known: Map<string, KnownLog>, path: string): KnownLog {
  const size = sizeOf(path);
  const found = known.get(path);
  if (found?.size === size) return found;
  if (known.size >= KNOWN_MAX) known.clear();
  return { size, keys: size === 0 ? new Set() : keysOf(path) };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Keys that are written already; a torn last line has none, so its event is written again. */
function keysOf(path: string): Set<string> {
  const text = readFileSync(path, 'utf8');
  return new Set([...text.matchAll(/^\{"key":"([^"]+)"/gm)].map((match) => match[1] ?? ''));
}
