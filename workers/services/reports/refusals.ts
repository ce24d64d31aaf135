/** Completion attempts that were refused before any gate ran: they have no report, only a line in the agent's log. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { sessionPaths } from '../../../adapters/store/session.ts';
import type { Session } from '../../../core/ports/session.ts';
import type { RefusalRow } from '../../../core/ports/visitors.ts';
import { strictJson } from '../../../core/text/strict-json.ts';

const AttemptLine = z.object({
  key: z.string(),
  type: z.literal('attempt'),
  at: z.string(),
  accepted: z.literal(false),
  reasons: z.array(z.string()),
  gated: z.literal(false),
});
/** A `submit_pr` whose arguments do not fit its schema is answered by the tools. */
const CallLine = z.object({
  key: z.string(),
  type: z.literal('tool_call'),
  at: z.string(),
  tool: z.literal('submit_pr'),
  result: z.string(),
});

/** In the order of time; of one node, or of all when `nodeId` is null. */
export async function listRefusals(session: Session, nodeId: string | null): Promise<readonly RefusalRow[]> {
  const { sessions } = sessionPaths(session.dir);
  const nodes = nodeId === null ? await namesIn(sessions) : [nodeId];
  const rows: RefusalRow[] = [];
  for (const node of nodes) {
    for (const file of (await namesIn(join(sessions, node))).filter((name) => name.endsWith('.jsonl'))) {
      const text = await readFile(join(sessions, node, file), 'utf8').catch(() => '');
      const dispatch = file.slice(0, -'.jsonl'.length);
      rows.push(...text.split('\n').flatMap((line) => refusalOf(line, node, dispatch)));
    }
  }
  return rows.sort((a, b) => (a.at < b.at ? -1 : 1));
}

function refusalOf(line: string, node: string, dispatch: string): RefusalRow[] {
  const data = strictJson(line);
  const attempt = AttemptLine.safeParse(data);
  if (attempt.success)
    return [
      { node, dispatch, turn: turnOf(attempt.data.key), at: attempt.data.at, reasons: attempt.data.reasons },
    ];
  const call = CallLine.safeParse(data);
  if (!call.success) return [];
  return [{ node, dispatch, turn: turnOf(call.data.key), at: call.data.at, reasons: [call.data.result] }];
}

/** `t7.judged`, `t7.2` */
function turnOf(key: string): number {
  return Number(/^t(\d+)\./.exec(key)?.[1] ?? 0);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [] as string[])).sort();
}
