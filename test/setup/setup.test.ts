import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cacheFolder } from '../../adapters/toolchain/index.ts';
import { withSetupLock } from '../../scripts/setup/lock.mjs';
import { lockMatches } from '../../scripts/setup/packages.mjs';

const SETUP = resolve('scripts/setup.mjs');
const TOOLS = join(cacheFolder(), 'tools.json');
/** Design of the order: nothing to do is under 2 s, on a machine that is busy with the other tests. */
const NOTHING_TO_DO_MAX_MS = 2000;
const ROUNDS = 3;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a7-setup-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('scripts/setup.mjs', () => {
  // Sources may have changed since the set-up before the tests; what is measured is the run after this one.
  beforeAll(async () => {
    expect(await setup([])).toMatchObject({ code: 0 });
  });

  test('changes nothing and is quick when there is nothing to do', async () => {
    const before = { text: readFileSync(TOOLS, 'utf8'), changedMs: statSync(TOOLS).mtimeMs };
    // The best of three: what else this machine does is no fault of set-up.
    const timesMs: number[] = [];
    let result = { code: -1, stdout: '', stderr: '' };
    for (let round = 0; round < ROUNDS; round += 1) {
      const startMs = performance.now();
      result = await setup([]);
      timesMs.push(performance.now() - startMs);
    }
    expect(Math.min(...timesMs)).toBeLessThan(NOTHING_TO_DO_MAX_MS);
    expect(result.code).toBe(0);
    expect(result.stdout).toBe('');
    expect(stepNames(result.stderr)).toEqual(['packages', 'temporal', 'sandbox', 'image', 'build', 'Ready']);
    expect({ text: readFileSync(TOOLS, 'utf8'), changedMs: statSync(TOOLS).mtimeMs }).toEqual(before);
  });

  test('says nothing with --quiet when there is nothing to do', async () => {
    expect(await setup(['--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('ends with the reason and the next step when A7_TEMPORAL names another program', async () => {
    const result = await setup(['--quiet'], { A7_TEMPORAL: process.execPath, A7_CACHE: folder });
    expect(result.code).toBe(1);
    expect(result.stderr).toBe(
      `temporal   Cannot set up: A7_TEMPORAL names "${process.execPath}", which does not answer "--version" as the Temporal CLI does\n` +
        '           Next: correct A7_TEMPORAL, or unset it to have the program fetched\n',
    );
  });

  test('names all that is missing with --check and leaves the cache as it is', async () => {
    const result = await setup(['--check'], { A7_CACHE: join(folder, 'none') });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('temporal   Cannot set up: no working temporal program is recorded');
    expect(() => statSync(join(folder, 'none'))).toThrow('ENOENT');
  });

  test('ends with status 2 on an unknown option', async () => {
    const result = await setup(['--chekc']);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("Unknown option '--chekc'");
  });
});

describe('withSetupLock()', () => {
  test('lets one set-up work at a time and tells the other that it waits', async () => {
    const events: string[] = [];
    const work = (name: string, held?: Promise<void>) => async () => {
      events.push(`${name} begins`);
      await held;
      events.push(`${name} ends`);
    };
    let tellWaiting = (): void => undefined;
    const waits = new Promise<void>((resolve) => (tellWaiting = resolve));
    const onWait = (): void => {
      events.push('second waits');
      tellWaiting();
    };
    const first = withSetupLock(folder, work('first', waits));
    while (events.length === 0) await delay(1);
    await Promise.all([first, withSetupLock(folder, work('second'), { onWait })]);
    expect(events).toEqual(['first begins', 'second waits', 'first ends', 'second begins', 'second ends']);
  });

  test('gives up with the next step', async () => {
    await withSetupLock(folder, async () => {
      const second = withSetupLock(folder, () => Promise.resolve(), { waitMaxMs: 0 });
      await expect(second).rejects.toMatchObject({ nextStep: 'end it, then run "npm run setup" again' });
    });
  });
});

describe('lockMatches()', () => {
  const wanted = { '': {}, a: { version: '1', integrity: 'x' }, 'a-mac': { version: '1', optional: true } };

  test('accepts what npm installed, with or without optional packages', () => {
    expect(lockMatches(wanted, { a: { version: '1', integrity: 'x' } })).toBe(true);
    expect(lockMatches(wanted, { a: { version: '1', integrity: 'x' }, 'a-win': { optional: true } })).toBe(
      true,
    );
  });

  test.each([
    ['another version', { a: { version: '2', integrity: 'x' } }],
    ['another content', { a: { version: '1', integrity: 'y' } }],
    ['a missing package', {}],
    ['a package too many', { a: { version: '1', integrity: 'x' }, b: { version: '1' } }],
  ])('refuses %s', (_name, present) => {
    expect(lockMatches(wanted, present)).toBe(false);
  });
});

interface SetupResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function setup(args: readonly string[], env: Record<string, string> = {}): Promise<SetupResult> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [SETUP, ...args],
      { env: { ...process.env, ...env } },
      (_, stdout, stderr) => done({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

function stepNames(text: string): readonly string[] {
  return [...text.matchAll(/^(\w+)/gm)].map(([, name]) => name ?? '');
}
