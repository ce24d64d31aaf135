/** The Temporal server dies, forgets everything, or is told to end a stage: the ledger goes on (design part 4). */
import { expect } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { crashScenes } from '../support/crash/scenes.ts';
import { type TestSession, serverPid, withStage, succeed, until } from '../support/crash/yard.ts';

/** How long the server stays away: longer than a client's patience of 20 s. `A7_TEST_LONG=1` makes it the 90 s of the issue. */
const DOWN_MS = process.env['A7_TEST_LONG'] === '1' ? 90_000 : 24_000;

const has = (session: TestSession, type: string) => () => session.lines().some((line) => line.type === type);

function deleteDatabase(home: string): void {
  const names = readdirSync(home).filter((name) => name.startsWith('temporal.db'));
  for (const name of names) rmSync(join(home, name));
}

function expectNothingTwice(session: TestSession): void {
  const places = session.model.requests().map((each) => JSON.stringify(each.coordinates));
  expect(places).toHaveLength(new Set(places).size);
}

// Each has a server of its own to kill.
crashScenes(
  'a7-rt run, the Temporal server',
  { parallel: 5, ownHomes: true },
  {
    'killed is started again and goes on': async (stage) => {
      const session = await stage.session();
      const running = session.run();
      await until('a dispatch', has(session, 'dispatched'));
      process.kill(serverPid(stage.yard.home), 'SIGKILL');
      await succeed(running);
      await stage.expectWhole(session);
      expectNothingTwice(session);
    },
    'away for longer than a client waits goes on': async (stage) => {
      const session = await stage.session();
      const running = session.run();
      await until('a dispatch', has(session, 'dispatched'));
      const pid = serverPid(stage.yard.home);
      const digest = createHash('sha256').update(stage.yard.home).digest('hex').slice(0, 24);
      process.kill(pid, 'SIGKILL');
      // Whoever holds the home's lock is the only one who may start a server: so nobody can.
      const lock = await until('the lock of the home', () => tryLock(`\0a7-rt-server-${digest}`));
      await delay(DOWN_MS);
      lock.close();
      await succeed(running);
      await stage.expectWhole(session);
      expectNothingTwice(session);
    },
    'killed and robbed of its database under a living run opens the next run from the ledger': async (
      stage,
    ) => {
      const session = await stage.session();
      const running = session.run();
      await until('a suite', has(session, 'committed'));
      process.kill(serverPid(stage.yard.home), 'SIGKILL');
      deleteDatabase(stage.yard.home);
      await succeed(running);
      expect(has(session, 'run_taken_over')()).toBe(true);
      await stage.expectWhole(session);
      expectNothingTwice(session);
    },
    'robbed of its database while nothing runs opens the next run from the ledger': async (stage) => {
      const session = await stage.session();
      const running = session.run();
      await until('a suite', has(session, 'committed'));
      running.child.kill('SIGKILL');
      process.kill(serverPid(stage.yard.home), 'SIGKILL');
      await running.ended;
      deleteDatabase(stage.yard.home);
      await succeed(session.run());
      expect(has(session, 'run_taken_over')()).toBe(true);
      await stage.expectWhole(session);
    },
    'told to terminate a stage lets the next run take it over': async (stage) => {
      // Judged, so that the stage is still at work when the word reaches the server.
      const session = await stage.session({ judged: 'code' });
      const running = session.run();
      await until('a suite', has(session, 'committed'));
      await withStage(session, 'core', (handle) => handle.terminate('by hand'));
      const { code } = await running.ended;
      expect({ code, output: running.output() }).toEqual({
        code: 1,
        output: expect.stringContaining('goes on from the ledger'),
      });
      await succeed(session.run());
      expect(has(session, 'run_taken_over')()).toBe(true);
      await stage.expectWhole(session);
    },
  },
);

function tryLock(path: string): ReturnType<typeof createServer> | null {
  const server = createServer();
  server.on('error', () => undefined);
  server.listen(path);
  return server.listening ? server : null;
}
