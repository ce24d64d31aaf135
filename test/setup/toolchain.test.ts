import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, readToolchain } from '../../adapters/toolchain/index.ts';
import { cacheFolder as setupCacheFolder } from '../../scripts/setup/cache.mjs';

let cache: string;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'a7-cache-'));
});

afterEach(() => rmSync(cache, { recursive: true }));

describe('cacheFolder()', () => {
  test.each([
    [{ A7_CACHE: '/a', XDG_CACHE_HOME: '/b' }, '/a'],
    [{ XDG_CACHE_HOME: '/b' }, '/b/a7-rt'],
  ])('reads %j as set-up does', (env, expected) => {
    expect(cacheFolder(env)).toBe(expected);
    expect(setupCacheFolder(env)).toBe(expected);
  });

  test('falls back to the same folder of the home as set-up does', () => {
    expect(cacheFolder({})).toBe(setupCacheFolder({}));
    expect(cacheFolder({})).toMatch(/\/\.cache\/a7-rt$/);
  });
});

describe('readToolchain()', () => {
  test('names "a7-rt setup" when set-up has not run', async () => {
    await expect(readToolchain({ env: { A7_CACHE: cache } })).rejects.toThrow(
      `Cannot read the toolchain: there is no "${join(cache, 'tools.json')}"; run "a7-rt setup"`,
    );
  });

  test('refuses a damaged file', async () => {
    writeFileSync(join(cache, 'tools.json'), '{"version": 2}');
    await expect(readToolchain({ env: { A7_CACHE: cache } })).rejects.toThrow('is not as set-up writes it');
  });

  test('says that the Temporal program is gone', async () => {
    writeTools({ temporal: { path: '/nowhere/temporal', version: '1', sha256: '0'.repeat(64), bytes: 1 } });
    await expect(readToolchain({ env: { A7_CACHE: cache } })).rejects.toThrow(
      'Cannot read the toolchain: the Temporal program "/nowhere/temporal" is gone; run "a7-rt setup"',
    );
  });

  test('uses the Temporal program that A7_TEMPORAL names, and no other', async () => {
    writeTools({});
    const env = { A7_CACHE: cache, A7_TEMPORAL: process.execPath };
    expect((await readToolchain({ env })).temporal.path).toBe(process.execPath);
    await expect(readToolchain({ env: { ...env, A7_TEMPORAL: '/nowhere/temporal' } })).rejects.toThrow(
      'A7_TEMPORAL names "/nowhere/temporal", which is no program',
    );
  });

  test('finds the engine again when the recorded one is dead, and drops what is gone', async () => {
    writeTools({
      docker: { socketPath: join(cache, 'dead.sock'), version: '1' },
      bubblewrap: { path: '/nowhere/bwrap' },
    });
    const tools = await readToolchain({ env: { A7_CACHE: cache } });
    const actual = await readToolchain();
    expect(tools.docker).toEqual(actual.docker);
    expect(tools.bubblewrap).toBeNull();
    expect(tools.image.rootfs).toBe(actual.image.rootfs);
  });
});

describe('DOCKER_HOST', () => {
  test('names the only engine that is asked: a dead one is never replaced by another', async () => {
    writeTools({});
    const env = { A7_CACHE: cache, DOCKER_HOST: `unix://${join(cache, 'dead.sock')}` };
    expect((await readToolchain({ env })).docker).toBeNull();
  });
});

/** What set-up recorded on this machine, with some of it changed. */
function writeTools(changes: Record<string, unknown>) {
  const recorded = JSON.parse(readFileSync(join(cacheFolder(), 'tools.json'), 'utf8')) as object;
  writeFileSync(join(cache, 'tools.json'), JSON.stringify({ ...recorded, ...changes }));
}
