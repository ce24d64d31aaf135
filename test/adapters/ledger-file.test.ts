/** The ledger's file: read and appended to at the same time, as the activities of a stage do, and torn by a crash. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createLedger } from '../../adapters/store/ledger.ts';
import { sha256 } from '../../adapters/system/sha256.ts';
import { GENESIS_HASH, eventOf } from '../../core/ledger/lines.ts';
import { canonicalJson } from '../../core/text/canonical.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';

const APPENDS = 60;
const READERS = 8;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a7-rt-test-ledger-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function noted(turn: number): LedgerEvent {
  return { type: 'mode_changed', data: { mode: 'autonomous', turn } };
}

describe('createLedger()', () => {
  test('cuts off a tail that was torn within a character, and nothing else', async () => {
    const path = join(folder, 'events.jsonl');
    await createLedger({ path, lockName: folder }).append({ run: 0, fromSeq: 1, events: [noted(1)] });
    const tail = Buffer.from('{"at":"ü').subarray(0, -1);
    appendFileSync(path, tail);
    const ledger = createLedger({ path, lockName: folder });
    expect(await ledger.read()).toMatchObject({ kind: 'read', lines: { length: 1 }, tornBytes: tail.length });
    await ledger.append({ run: 0, fromSeq: 2, events: [noted(2)] });
    const again = await createLedger({ path, lockName: folder }).read();
    expect(again).toMatchObject({ kind: 'read', lines: { length: 2 }, tornBytes: 0 });
  });

  test('writes nothing down that it could not read again', async () => {
    const ledger = createLedger({ path: join(folder, 'events.jsonl'), lockName: folder });
    const input = { kind: 'halt', text: 'please stop' };
    const unread = { type: 'input_received', data: { input } } as unknown as LedgerEvent;
    const appending = ledger.append({ run: 0, fromSeq: 1, events: [noted(1), unread] });
    await expect(appending).rejects.toThrow('Cannot append "input_received" to the ledger: data.input.id');
    expect(await ledger.read()).toMatchObject({ kind: 'read', lines: [] });
  });

  test('reads a session that an older version wrote an unread signal into', async () => {
    const path = join(folder, 'events.jsonl');
    const body = {
      ...{ seq: 1, prev: GENESIS_HASH, at: '2026-11-22T10:00:00.000Z', run: 1, fence: 1 },
      ...{ type: 'input_received', data: { input: { kind: 'halt', text: 'please stop' } } },
    };
    const line = (content: object): string =>
      `${canonicalJson({ ...content, hash: sha256(canonicalJson(content)) })}\n`;
    appendFileSync(path, line(body));
    const ledger = createLedger({ path, lockName: folder });
    const read = await ledger.read();
    expect(read.kind === 'read' && read.lines.map(eventOf)).toMatchObject([
      {
        type: 'input_refused',
        data: { id: 'line-1', shown: '{"input":{"kind":"halt","text":"please stop"}}' },
      },
    ]);
    expect(await ledger.append({ run: 0, fromSeq: 2, events: [noted(2)] })).toMatchObject({ lastSeq: 2 });
    writeFileSync(path, line({ ...body, type: 'dreamt', data: {} }));
    expect(await createLedger({ path, lockName: folder }).read()).toMatchObject({
      kind: 'corrupt',
      fault: { line: 1, reason: 'holds an event "dreamt" that this version does not know' },
    });
  });

  test('gives every reader a valid ledger while others read and append', async () => {
    const ledger = createLedger({ path: join(folder, 'events.jsonl'), lockName: folder });
    let writing = true;
    const faults: unknown[] = [];
    const reader = async (): Promise<void> => {
      while (writing) {
        const read = await ledger.read();
        if (read.kind === 'corrupt') faults.push(read.fault);
        // An unchanged ledger is read without any wait: a loop of such reads alone would let nobody write.
        await nextTurn();
      }
    };
    const readers = Array.from({ length: READERS }, reader);
    for (let seq = 1; seq <= APPENDS; seq += 1) {
      const { kind } = await ledger.append({ run: 0, fromSeq: seq, events: [noted(seq)] });
      expect(kind).toBe('appended');
    }
    writing = false;
    await Promise.all(readers);
    expect(faults).toEqual([]);
    expect(await ledger.read()).toMatchObject({ kind: 'read', lines: { length: APPENDS } });
  });
});
