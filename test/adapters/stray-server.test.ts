/** The server of a home outlives what is deleted there: the next command reaches it, or has it make room for a new one. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoSuchPlace } from '../../adapters/system/makeable.ts';
import { homeFolder, isRunning, readRecord, recordPath } from '../../adapters/temporal/home.ts';
import { type ServerOptions, ensureServer, stopServer } from '../../adapters/temporal/server.ts';
import { readToolchain } from '../../adapters/toolchain/index.ts';
import { machineProblem } from '../../client/render/machine-problem.ts';

let options: ServerOptions;
beforeAll(async () => {
  const { temporal } = await readToolchain();
  const home = await mkdtemp(join(tmpdir(), 'a7-stray-'));
  options = { home, program: temporal.path, programVersion: temporal.version, searchAttributes: [] };
});
afterAll(async () => {
  await stopServer(options.home);
  await rm(options.home, { recursive: true, force: true });
});

test('a home that no folder can be made in is refused at once, with what to set', async () => {
  const link = join(options.home, 'link');
  await symlink(join(options.home, 'nowhere'), link);
  const places = [
    join(link, 'home'),
    ...(process.platform === 'linux' ? ['/proc/a7/home', '/dev/fd/a7'] : []),
  ];
  for (const place of places) {
    expect(() => homeFolder({ A7_HOME: place })).toThrow(`No folder can be made at "${place}"`);
    expect(machineProblem(new NoSuchPlace(place))).toMatchObject({
      exitCode: 4,
      problems: [{ message: `Cannot go on: no folder can be made at "${place}"` }],
    });
  }
});

test('a deleted record is written anew, a deleted home ends the server that it had, and "down" finds it', async () => {
  const first = await ensureServer(options);
  await rm(recordPath(options.home));
  expect(await ensureServer(options)).toEqual(first);

  await rm(options.home, { recursive: true });
  const second = await ensureServer(options);
  expect([second.pid === first.pid, await isRunning(first), await readRecord(options.home)]).toEqual([
    false,
    false,
    second,
  ]);
  await rm(options.home, { recursive: true });
  expect([await stopServer(options.home), await isRunning(second)]).toEqual([true, false]);
}, 60_000);
