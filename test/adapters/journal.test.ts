/** A journal's lines: on disk before their writer goes on, many by one sync; nothing after a disk that failed. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal } from '../../adapters/system/journal.ts';

const home = mkdtempSync(join(tmpdir(), 'a7-journal-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A disk whose syncs end when they are told to. */
function slowDisk() {
  const ends: { readonly ok: () => void; readonly fail: (error: Error) => void }[] = [];
  const sync = (): Promise<void> => new Promise((ok, fail) => void ends.push({ ok, fail }));
  return { ends, sync };
}
const settle = (): Promise<void> => new Promise((next) => setImmediate(next));

describe('Journal', () => {
  test('waits for a sync that began after the line; all that came meanwhile share the next one', async () => {
    const path = join(home, 'shared');
    const { ends, sync } = slowDisk();
    const journal = new Journal(path, sync);
    const told: string[] = [];
    const add = (line: string): void => void journal.add(line).then(() => told.push(line));
    while (ends.length < 1) {
      if (readFileSync(path, 'utf8') === '') add('a');
      await settle();
    }
    for (const line of ['b', 'c', 'd']) add(line);
    await settle();
    expect([readFileSync(path, 'utf8'), told, ends.length]).toEqual(['a\nb\nc\nd\n', [], 1]);
    ends[0]?.ok();
    await settle();
    expect([told, ends.length]).toEqual([['a'], 2]);
    ends[1]?.ok();
    await settle();
    expect([told, ends.length]).toEqual([['a', 'b', 'c', 'd'], 2]);
    const closed = journal.close();
    while (ends.length < 3) await settle();
    ends[2]?.ok();
    await closed;
    await expect(journal.add('late')).rejects.toThrow('closed');
  });

  test('tells nobody that a line is stored where the disk failed, then or later', async () => {
    const { ends, sync } = slowDisk();
    const journal = new Journal(join(home, 'broken'), sync);
    const first = journal.add('a');
    while (ends.length < 1) await settle();
    const second = journal.add('b');
    ends[0]?.fail(new Error('EIO'));
    await expect(first).rejects.toThrow('EIO');
    await expect(second).rejects.toThrow('EIO');
    await expect(journal.add('c')).rejects.toThrow('EIO');
    await journal.close();
  });

  test('a line that a crash cut is no part of the next one', async () => {
    const path = join(home, 'cut');
    appendFileSync(path, '{"whole":1}\n{"cut":');
    const journal = new Journal(path);
    await journal.add('{"next":1}');
    await journal.close();
    expect(readFileSync(path, 'utf8').split('\n')).toEqual(['{"whole":1}', '{"cut":', '{"next":1}', '']);
  });
});
