/** What nothing has used for 30 days goes: layers of the image, and runs of a repository's gate. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pruneStored, touchStored } from '../../adapters/layers/store.ts';
import { openRunFolder } from '../../workers/services/gate/artifacts.ts';

const NOW = new Date('2026-03-01T00:00:00Z');
const LONG_AGO = new Date('2026-01-20T00:00:00Z');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a7-rt-test-prune-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('layers: the idle one goes, a used one and what is no layer stay', async () => {
  const names = ['a'.repeat(24), 'b'.repeat(24), 'spec'];
  for (const name of names) {
    mkdirSync(join(folder, name, 'files'), { recursive: true });
    writeFileSync(join(folder, name, 'lock.json'), '{}');
    utimesSync(join(folder, name, 'lock.json'), LONG_AGO, LONG_AGO);
  }
  await touchStored(folder, `sha256:${'b'.repeat(64)}`, NOW);
  expect(await pruneStored(folder, NOW)).toEqual(['a'.repeat(24)]);
  expect(readdirSync(folder).toSorted()).toEqual(['b'.repeat(24), 'spec']);
});

test('gate runs: a repository without a run for so long goes with its store when another is judged', async () => {
  const first = await openRunFolder(folder, '/somewhere/old', LONG_AGO);
  await first.write('report.json', '{}');
  await first.close();
  const runs = join(first.path, '../..');
  const again = await openRunFolder(folder, '/somewhere/new', NOW);
  await again.write('report.json', '{}');
  await again.close();
  expect([existsSync(first.path), existsSync(again.path)]).toEqual([true, true]);
  utimesSync(runs, LONG_AGO, LONG_AGO);
  const last = await openRunFolder(folder, '/somewhere/new', NOW);
  await last.close();
  expect([existsSync(join(runs, '..')), existsSync(again.path)]).toEqual([false, true]);
});
