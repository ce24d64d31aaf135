/** The record of an order's door: `calls.jsonl` in the folder of the iteration, and the answers beside it. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { DoorRequest } from '../../core/ports/agent-driver.ts';
import type { DoorRecord } from '../../core/ports/door-record.ts';
import { errorCode } from '../../core/text/error-text.ts';
import type { AgentUsage } from '../../schemas/order.ts';
import { boundOf } from './bounds.ts';

const Row = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('sent'),
    call: z.int(),
    hash: z.string(),
    path: z.string(),
    bytes: z.int(),
    /** Fields that the agent sent and that did not go out. */
    dropped: z.array(z.string()).optional(),
    worstTokens: z.int(),
    worstMicroUsd: z.int().nullable(),
  }),
  z.strictObject({
    state: z.literal('settled'),
    call: z.int(),
    status: z.int(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    costMicroUsd: z.int().nullable(),
    /** Headers of an answer that is kept; null where it is not. */
    contentType: z.string().nullable(),
  }),
  z.strictObject({ state: z.literal('refused'), path: z.string(), status: z.int(), message: z.string() }),
  z.strictObject({ state: z.literal('reused'), call: z.int() }),
]);
type Row = z.infer<typeof Row>;
const REFUSALS_TOLD_MAX = 500;

/** Opens the record of an iteration. */
export function openCallRecord(request: Pick<DoorRequest, 'limits' | 'spent' | 'folder'>): DoorRecord {
  const { folder } = request;
  mkdirSync(join(folder, 'calls'), { recursive: true });
  const path = join(folder, 'calls.jsonl');
  const rows = readRows(path);
  const kept = keptAnswers(rows);
  let calls = rows.filter((row) => row.state === 'sent').length;
  let refusals = rows.filter((row) => row.state === 'refused').length;
  const add = (row: Row): void => {
    rows.push(row);
    const handle = openSync(path, 'a', 0o644);
    try {
      writeSync(handle, `${JSON.stringify(row)}\n`);
      if (row.state !== 'refused') fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  };
  return {
    usage: () => usageOf(rows),
    refused(at, status, message): void {
      refusals += 1;
      // A room that is refused without end must not fill the disk of its host.
      if (refusals > REFUSALS_TOLD_MAX) return;
      add({ state: 'refused', path: at.slice(0, 300), status, message: message.slice(0, 500) });
    },
    sent({ worst, dropped, ...row }) {
      const bound = boundOf(request, { calls, used: usageOf(rows) }, worst);
      if (bound !== null) return Promise.resolve({ bound });
      calls += 1;
      const { tokens: worstTokens, microUsd: worstMicroUsd } = worst;
      add({ state: 'sent', call: calls, ...row, dropped: [...dropped], worstTokens, worstMicroUsd });
      return Promise.resolve({ call: calls });
    },
    settled({ call, status, used, answer }) {
      if (answer !== null) writeFileSync(answerPath(folder, call), answer.body);
      const sent = rows.find((row) => row.state === 'sent' && row.call === call);
      const worst = sent?.state === 'sent' ? sent : { worstTokens: 0, worstMicroUsd: null };
      const dearest = { inputTokens: worst.worstTokens, outputTokens: 0, costMicroUsd: worst.worstMicroUsd };
      const { contentType } = answer ?? { contentType: null };
      add({ state: 'settled', call, status, ...(used ?? dearest), contentType });
      return Promise.resolve();
    },
    takeKept(hash) {
      const found = kept.get(hash)?.shift();
      if (found === undefined) return Promise.resolve(null);
      add({ state: 'reused', call: found.call });
      return Promise.resolve({ ...found, body: readFileSync(answerPath(folder, found.call)) });
    },
  };
}

function answerPath(folder: string, call: number): string {
  return join(folder, 'calls', `${String(call).padStart(4, '0')}.answer`);
}

function readRows(path: string): Row[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    return lines.flatMap((line) => {
      try {
        return [Row.parse(JSON.parse(line))];
      } catch {
        return [];
      }
    });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function keptAnswers(rows: readonly Row[]): Map<string, { call: number; contentType: string }[]> {
  const kept = new Map<string, { call: number; contentType: string }[]>();
  for (const row of rows) {
    if (row.state !== 'sent') continue;
    const end = rows.find((each) => each.state === 'settled' && each.call === row.call);
    if (end?.state !== 'settled' || end.contentType === null) continue;
    kept.set(row.hash, [...(kept.get(row.hash) ?? []), { call: row.call, contentType: end.contentType }]);
  }
  return kept;
}

/** A call without an end is charged its worst case: nobody knows what became of it. */
function usageOf(rows: readonly Row[]): AgentUsage {
  let usage: AgentUsage = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
  const ends = new Map(rows.flatMap((row) => (row.state === 'settled' ? [[row.call, row] as const] : [])));
  for (const row of rows) {
    if (row.state !== 'sent') continue;
    const end = ends.get(row.call);
    const cost = end === undefined ? row.worstMicroUsd : end.costMicroUsd;
    usage = {
      calls: usage.calls + 1,
      inputTokens: usage.inputTokens + (end?.inputTokens ?? row.worstTokens),
      outputTokens: usage.outputTokens + (end?.outputTokens ?? 0),
      costMicroUsd: usage.costMicroUsd === null || cost === null ? null : usage.costMicroUsd + cost,
    };
  }
  return usage;
}
