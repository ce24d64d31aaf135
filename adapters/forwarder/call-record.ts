/** The record of an order's door: `calls.jsonl` in the folder of the iteration. An answer that is kept and its price are one line. */
import { isUtf8 } from 'node:buffer';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { DoorRequest } from '../../core/ports/agent-driver.ts';
import type { DoorRecord } from '../../core/ports/door-record.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { Journal } from '../system/journal.ts';
import { boundOf } from './bounds.ts';
import { Tally } from './tally.ts';

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
    /** Of an answer that is kept; null where it is not. */
    contentType: z.string().nullable(),
    answer: z.string().optional(),
  }),
  z.strictObject({ state: z.literal('refused'), path: z.string(), status: z.int(), message: z.string() }),
  z.strictObject({ state: z.literal('reused'), call: z.int() }),
]);
type Row = z.infer<typeof Row>;
type Sent = Extract<Row, { state: 'sent' }>;
const REFUSALS_TOLD_MAX = 500;

/** Opens the record of an iteration. */
export function openCallRecord(request: Pick<DoorRequest, 'limits' | 'spent' | 'folder'>): DoorRecord {
  mkdirSync(request.folder, { recursive: true });
  const path = join(request.folder, 'calls.jsonl');
  const { tally, kept, refused } = earlier(readRows(path));
  let refusals = refused;
  const journal = new Journal(path);
  const textOf = (row: Row): string => JSON.stringify(row);
  return {
    usage: () => tally.usage(),
    refused(at, status, message): void {
      refusals += 1;
      // A room that is refused without end must not fill the disk of its host.
      if (refusals > REFUSALS_TOLD_MAX) return;
      const row = { path: at.slice(0, 300), status, message: message.slice(0, 500) };
      try {
        journal.note(textOf({ state: 'refused', ...row }));
      } catch {
        // It is refused all the same.
      }
    },
    async sent({ worst, dropped, ...rest }) {
      const bound = boundOf(request, { calls: tally.calls, used: tally.usage() }, worst);
      if (bound !== null) return { bound };
      const { tokens: worstTokens, microUsd: worstMicroUsd } = worst;
      const call = tally.calls + 1;
      const row: Sent = { state: 'sent', call, ...rest, dropped: [...dropped], worstTokens, worstMicroUsd };
      // Counted before the disk is waited for: whoever comes meanwhile finds it under way.
      tally.sent(call, worstCharge(row));
      await journal.add(textOf(row));
      return { call };
    },
    async settled({ call, status, used, answer }) {
      const charge = used ?? tally.worstOf(call);
      const isKept = answer !== null && isUtf8(answer.body);
      const held = isKept
        ? { contentType: answer.contentType, answer: Buffer.from(answer.body).toString('utf8') }
        : { contentType: null };
      await journal.add(textOf({ state: 'settled', call, status, ...charge, ...held }));
      tally.settled(call, charge);
    },
    takeKept(hash) {
      const found = kept.get(hash)?.shift();
      if (found === undefined) return Promise.resolve(null);
      journal.note(textOf({ state: 'reused', call: found.call }));
      return Promise.resolve({ ...found, body: Buffer.from(found.answer) });
    },
    close: () => journal.close(),
  };
}

interface Kept {
  readonly call: number;
  readonly contentType: string;
  readonly answer: string;
}

function readRows(path: string): Row[] {
  try {
    // What a crash cut is no row.
    return readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line) => {
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

/** What former attempts of the iteration left. */
function earlier(rows: readonly Row[]): {
  readonly tally: Tally;
  readonly kept: Map<string, Kept[]>;
  readonly refused: number;
} {
  const tally = new Tally();
  const hashes = new Map<number, string>();
  const kept = new Map<string, Kept[]>();
  for (const row of rows) {
    if (row.state === 'sent') {
      tally.sent(row.call, worstCharge(row));
      hashes.set(row.call, row.hash);
    } else if (row.state === 'settled') {
      const { call, contentType, answer } = row;
      tally.settled(call, row);
      const hash = hashes.get(call);
      if (hash === undefined || contentType === null || answer === undefined) continue;
      kept.set(hash, [...(kept.get(hash) ?? []), { call, contentType, answer }]);
    }
  }
  return { tally, kept, refused: rows.filter(({ state }) => state === 'refused').length };
}

/** A call without an end is charged its worst case: nobody knows what became of it. */
function worstCharge({ worstTokens, worstMicroUsd }: Sent): ReturnType<Tally['worstOf']> {
  return { inputTokens: worstTokens, outputTokens: 0, costMicroUsd: worstMicroUsd };
}
