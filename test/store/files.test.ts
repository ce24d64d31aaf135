import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { existsSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createArtifactStore, readInputs, readIteration } from '../../adapters/store/artifacts.ts';
import { createExclusively, writeDurably } from '../../adapters/system/files.ts';
import { LockTimeout, tryLock, withLock } from '../../adapters/store/lock.ts';
import { createProjections } from '../../adapters/store/projections.ts';
import { createStepResults } from '../../adapters/store/results.ts';
import { createSessionLog } from '../../adapters/store/session-log.ts';
import { adoptSession, checkSession, createIdentity } from '../../adapters/store/session.ts';
import type { SavedVerification } from '../../core/ports/artifacts.ts';
import type { GateArtifact } from '../../core/ports/gate.ts';
import type { GateReport } from '../../schemas/report.ts';
import { gateReport, sha256Of } from '../support/gate-report.ts';
import { type TempFolder, tempFolder } from '../support/git-repo.ts';
import { digest } from '../support/stage-world.ts';

let temp: TempFolder;
const at = (...parts: string[]): string => join(temp.path, ...parts);
beforeEach(async () => {
  temp = await tempFolder();
});
afterEach(() => temp.remove());

describe('durable files', () => {
  test('writeDurably() replaces a file and leaves no temporary one', async () => {
    await writeDurably(at('deep', 'a.json'), 'one');
    await writeDurably(at('deep', 'a.json'), 'two');
    expect(readFileSync(at('deep', 'a.json'), 'utf8')).toBe('two');
    expect(readdirSync(at('deep'))).toEqual(['a.json']);
  });

  test('createExclusively() lets exactly one of many writers win, whole', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(5_000));
    const won = await Promise.all(texts.map((text) => createExclusively(at('a'), text)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(readFileSync(at('a'), 'utf8')).toBe(texts[won.indexOf(true)]);
    expect(readdirSync(temp.path)).toEqual(['a']);
  });
});

describe('createStepResults()', () => {
  const Result = z.strictObject({ tree: z.string() });

  test('keeps the first result of a key, and tells nothing of a key without one', async () => {
    const results = createStepResults(at('calls'));
    expect(await results.get('core/a.b/d1/t1', 'tools', Result)).toBeNull();
    expect(await results.putFirst('core/a.b/d1/t1', 'tools', Result, { tree: 'one' })).toEqual({
      tree: 'one',
    });
    expect(await results.putFirst('core/a.b/d1/t1', 'tools', Result, { tree: 'two' })).toEqual({
      tree: 'one',
    });
    expect(await results.get('core/a.b/d1/t1', 'tools', Result)).toEqual({ tree: 'one' });
  });

  test('stays in its folder whatever the key says', async () => {
    const results = createStepResults(at('calls'));
    await results.putFirst('../../out/..', 'tools', Result, { tree: 'x' });
    expect(existsSync(at('out'))).toBe(false);
    expect(readdirSync(temp.path)).toEqual(['calls']);
  });
});

describe('createSessionLog()', () => {
  test('writes each key once, also after a torn last line', async () => {
    const log = createSessionLog(at('sessions'), () => new Date(0));
    const line = (key: string) => ({ key, type: 'message' as const, data: { turn: 1 } });
    await log.append('a.b', 'd1', [line('k1'), line('k2')]);
    await log.append('a.b', 'd1', [line('k2'), line('k3')]);
    const path = at('sessions', 'a.b', 'd1.jsonl');
    const keys = () => readFileSync(path, 'utf8').match(/(?<=^\{"key":")k\d+(?=.*\}$)/gm);
    expect(keys()).toEqual(['k1', 'k2', 'k3']);
    truncateSync(path, readFileSync(path).length - 5);
    await createSessionLog(at('sessions')).append('a.b', 'd1', [line('k3'), line('k4')]);
    expect(keys()).toEqual(['k1', 'k2', 'k3', 'k4']);
  });
});

describe('createProjections()', () => {
  test('writes master.json at what counts and every 100 events, and manager.json while a run is open', async () => {
    let seq = 1;
    let manager: string | null = 'turn 1';
    const source = {
      seq: () => Promise.resolve(seq),
      master: () => Promise.resolve({ text: `at ${String(seq)}`, seq }),
      manager: () => Promise.resolve(manager),
    };
    const paths = { master: at('master.json'), manager: at('manager.json') };
    const projections = createProjections(paths, source);
    await projections.update([]);
    expect(readFileSync(paths.master, 'utf8')).toBe('at 1');
    expect(readFileSync(paths.manager, 'utf8')).toBe('turn 1');
    seq = 50;
    await projections.update([{ type: 'healed', data: { root: 'a' } }]);
    expect(readFileSync(paths.master, 'utf8')).toBe('at 1');
    seq = 101;
    await projections.update([{ type: 'healed', data: { root: 'a' } }]);
    expect(readFileSync(paths.master, 'utf8')).toBe('at 101');
    seq = 102;
    manager = 'still here';
    await projections.update([{ type: 'halted', data: { reason: 'x' } }]);
    expect(readFileSync(paths.master, 'utf8')).toBe('at 102');
    expect(existsSync(paths.manager)).toBe(false);
  });
});

function saving(report: GateReport, artifacts: readonly GateArtifact[]): SavedVerification {
  const outcome = { report, cacheHit: false, artifacts };
  const place = { run: 1, step: 'd1', folder: 'iteration-1', role: 'builder', turn: 3 } as const;
  return { ...place, purpose: 'attempt', outcome, files: [] };
}

describe('createArtifactStore()', () => {
  test('refuses names that leave its folder and does not know a report that was never stored', async () => {
    const store = createArtifactStore({ runsDir: at('runs'), reportsDir: at('reports') });
    const out = { name: '../../out', bytes: Buffer.from('x') };
    await expect(store.saveVerification(saving(gateReport(), [out]))).rejects.toThrow(
      'Cannot store artifact',
    );
    await expect(store.saveStepFiles(1, 'd1', [out])).rejects.toThrow('Cannot store artifact');
    expect(existsSync(at('out'))).toBe(false);
    expect(await store.reportByDigest(digest(1))).toBeNull();
  });

  test('keeps one iteration a completion attempt, and the former one beside it when it was judged anew', async () => {
    const store = createArtifactStore({ runsDir: at('runs'), reportsDir: at('reports') });
    expect(await store.iterationAt(1, 'd1', 3)).toBe(1);
    const first = gateReport();
    const inputs = { name: 'inputs.json', bytes: Buffer.from('{"version":1}') };
    await store.saveVerification(saving(first, [inputs]));
    await store.saveVerification(saving(first, []));
    expect(readdirSync(at('runs/r1/d1'))).toEqual(['iteration-1']);
    expect([await store.iterationAt(1, 'd1', 3), await store.iterationAt(1, 'd1', 5)]).toEqual([1, 2]);
    const second = gateReport('FAIL');
    await store.saveVerification(saving(second, []));
    expect(readdirSync(at('runs/r1/d1'))).toEqual(['iteration-1', 'iteration-1.earlier-1']);
    const record = await readIteration(at('runs/r1/d1/iteration-1'));
    expect(record).toMatchObject({
      step: 'd1',
      turn: 3,
      verdict: 'FAIL',
      reportDigest: second.digest,
      cached: false,
    });
    expect(await store.reportByDigest(first.digest)).toEqual(first);
    expect(await readInputs({ runsDir: at('runs'), reportsDir: at('reports') }, first.digest)).toEqual({
      version: 1,
    });
  });

  test('does not believe a report that is not what its digest says, and stores a sound one over it', async () => {
    const store = createArtifactStore({ runsDir: at('runs'), reportsDir: at('reports') });
    const report = gateReport('FAIL');
    await store.saveVerification(saving(report, []));
    const path = at(`reports/by-digest/${report.digest.slice(7)}.json`);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"FAIL"', '"PASS"'));
    expect(await store.reportByDigest(report.digest)).toBeNull();
    await store.saveVerification(saving(report, []));
    expect(await store.reportByDigest(report.digest)).toEqual(report);
  });

  test('leaves whole folders only, when its process is killed at any moment', async () => {
    const program = join(import.meta.dirname, '../support/save-iterations.mjs');
    const writer = execa(process.execPath, ['--import', 'tsx', program, at('runs'), at('reports')], {
      reject: false,
    });
    const saved = (): string[] => (existsSync(at('runs/r1/d1')) ? readdirSync(at('runs/r1/d1')) : []);
    while (saved().filter((name) => /^iteration-\d+$/.test(name)).length < 12)
      await new Promise((resolve) => setTimeout(resolve, 5));
    writer.kill('SIGKILL');
    await writer;
    const whole = saved().filter((name) => /^iteration-\d+$/.test(name));
    for (const name of whole) {
      const folder = at(`runs/r1/d1/${name}`);
      const record = await readIteration(folder);
      expect(record).not.toBeNull();
      for (const [file, hash] of Object.entries(record?.files ?? {}))
        expect([file, sha256Of(readFileSync(join(folder, file)))]).toEqual([file, hash]);
    }
    const store = createArtifactStore({ runsDir: at('runs'), reportsDir: at('reports') });
    await store.saveVerification({
      ...saving(gateReport(), []),
      folder: `iteration-${String(whole.length + 1)}`,
    });
    expect(saved().filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(saved()).toHaveLength(whole.length + 1);
  });
});

describe('session identity', () => {
  test('follows a renamed folder, and finds a copied one until it is adopted', async () => {
    const id = await createIdentity(temp.path);
    expect(await checkSession(temp.path)).toEqual({ kind: 'session', id });
    const copy = `${temp.path}-copy`;
    await cp(temp.path, copy, { recursive: true });
    try {
      expect(await checkSession(copy)).toEqual({ kind: 'copied', id });
      const own = await adoptSession(copy);
      expect(own).not.toBe(id);
      expect(await checkSession(copy)).toEqual({ kind: 'session', id: own });
      await rename(copy, `${copy}-2`);
      expect(await checkSession(`${copy}-2`)).toEqual({ kind: 'session', id: own });
    } finally {
      await execa('rm', ['-rf', copy, `${copy}-2`]);
    }
  });

  test('tells missing folders, plain ones and damaged identities', async () => {
    expect(await checkSession(at('nowhere'))).toEqual({ kind: 'missing' });
    expect(await checkSession(temp.path)).toEqual({ kind: 'not_a_session' });
    await createIdentity(temp.path);
    writeFileSync(at('.a7', 'session.json'), '{"version":1');
    expect(await checkSession(temp.path)).toEqual({ kind: 'not_a_session' });
  });
});

describe('withLock()', () => {
  const name = (): string => `test-${temp.path}`;

  test('lets one holder work at a time, first come first served within a process', async () => {
    const log: string[] = [];
    const work = (id: number) =>
      withLock(name(), async () => {
        log.push(`in ${String(id)}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        log.push(`out ${String(id)}`);
      });
    await Promise.all([1, 2, 3].map(work));
    expect(log).toEqual(['in 1', 'out 1', 'in 2', 'out 2', 'in 3', 'out 3']);
  });

  test('is free again after work that threw', async () => {
    await expect(withLock(name(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(name(), () => Promise.resolve('yes'))).toBe('yes');
  });

  test('names the lock and the wait when another holder keeps it', async () => {
    const held = await tryLock(name());
    expect(await tryLock(name())).toBeNull();
    await expect(withLock(name(), () => Promise.resolve(), 50)).rejects.toThrow(LockTimeout);
    await held?.release();
    expect(await withLock(name(), () => Promise.resolve('mine'))).toBe('mine');
  });

  test('is freed by the death of its holder, kill -9 included', async () => {
    const lockPath = join(import.meta.dirname, '../../adapters/store/lock.ts');
    const program = `const { tryLock } = await import(${JSON.stringify(lockPath)});
      await tryLock(${JSON.stringify(name())});
      process.stdout.write('held');
      setInterval(() => undefined, 1000);`;
    const holder = execa('node', ['--import', 'tsx', '--input-type=module', '-e', program], {
      reject: false,
    });
    await new Promise<void>((resolve) => holder.stdout.once('data', () => resolve()));
    expect(await tryLock(name())).toBeNull();
    holder.kill('SIGKILL');
    await holder;
    expect(await withLock(name(), () => Promise.resolve('mine'))).toBe('mine');
  });
});
