/** Agent session logs, `<session>/sessions/<node>/<dispatch>.jsonl`: one line an event, each key once (seed 001, session logs). */
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SessionLog, SessionLogLine } from '../../core/ports/session.ts';
import { errorCode } from './files.ts';

/** Logs below `sessionsDir`. `now` stamps the lines. */
export function createSessionLog(sessionsDir: string, now: () => Date = () => new Date()): SessionLog {
  return {
    async append(nodeId: string, dispatchId: string, lines: readonly SessionLogLine[]): Promise<void> {
      if (lines.length === 0) return;
      const path = join(sessionsDir, nodeId, `${dispatchId}.jsonl`);
      const known = await keysOf(path);
      const fresh = lines.filter((line) => !known.has(line.key));
      if (fresh.length === 0) return;
      await mkdir(dirname(path), { recursive: true });
      const handle = await open(path, 'a', 0o644);
      try {
        const at = now().toISOString();
        const text = fresh
          .map(({ key, type, data }) => `${JSON.stringify({ key, type, at, ...data })}\n`)
          .join('');
        await handle.appendFile(text);
      } finally {
        await handle.close();
      }
    },
  };
}

/** Keys that are written already; a torn last line has none, so its event is written again. */
async function keysOf(path: string): Promise<ReadonlySet<string>> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  const keys = [...text.matchAll(/^\{"key":"([^"]+)"/gm)].map((match) => match[1] ?? '');
  return new Set(keys);
}
