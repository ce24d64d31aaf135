/** Agent session logs, `<session>/sessions/<node>/<dispatch>.jsonl`: one line an event, each key once (seed 001, session logs). */
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolders } from '../system/rooted.ts';
import type { SessionLog, SessionLogLine } from '../../core/ports/session.ts';

/** Logs below `sessionsDir`. `now` stamps the lines. */
export function createSessionLog(sessionsDir: string, now: () => Date = () => new Date()): SessionLog {
  // A log is read again only when somebody else has written to it.
  const known = new Map<string, KnownLog>();
  return {
    async append(nodeId: string, dispatchId: string, lines: readonly SessionLogLine[]): Promise<void> {
      if (lines.length === 0) return;
      const path = join(sessionsDir, nodeId, `${dispatchId}.jsonl`);
      const { keys, isTorn } = knownLog(known, path);
      const fresh = lines.filter((line) => !keys.has(line.key));
      if (fresh.length === 0) return;
      makeFolders(dirname(path));
      const at = now().toISOString();
      const text = fresh
        .map(({ key, type, data }) => `${JSON.stringify({ key, type, at, ...data })}\n`)
        .join('');
      appendFileSync(path, isTorn ? `\n${text}` : text, { mode: 0o644 });
      for (const line of fresh) keys.add(line.key);
      known.set(path, { size: sizeOf(path), keys, isTorn: false });
    },
  };
}

interface KnownLog {
  readonly size: number;
  readonly keys: Set<string>;
  /** A killed writer left a part of a line at the end. */
  readonly isTorn: boolean;
}

/** Logs whose keys are kept in memory. */
const KNOWN_MAX = 200;

function knownLog(known: Map<string, KnownLog>, path: string): KnownLog {
  const size = sizeOf(path);
  const found = known.get(path);
  if (found?.size === size) return found;
  if (known.size >= KNOWN_MAX) known.clear();
  const text = size === 0 ? '' : readFileSync(path, 'utf8');
  const end = text.lastIndexOf('\n') + 1;
  return { size, keys: keysOf(text.slice(0, end)), isTorn: end < text.length };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Keys of whole lines: the event of a torn one is written again. */
function keysOf(text: string): Set<string> {
  return new Set([...text.matchAll(/^\{"key":"([^"]+)"/gm)].map((match) => match[1] ?? ''));
}
