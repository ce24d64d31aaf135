/** Which sessions of a data folder a worker runs on, and when again (workers/services/serve-sessions.ts). */
import { expect, test } from '@jest/globals';
import type { Result, RunReport } from '../../core/ports/services.ts';
import { SESSIONS_MAX, serveSessions, type MovingSession } from '../../workers/services/serve-sessions.ts';

const REFUSED: Result<RunReport> = {
  ok: false,
  exitCode: 2,
  problems: [{ message: 'no model is configured' }],
};

/** Sessions that end when they are told to, and what was begun and said of them. */
function served(look: () => readonly MovingSession[]) {
  const stop = new AbortController();
  const begun: string[] = [];
  const said: string[] = [];
  const ends = new Map<string, (result: Result<RunReport>) => void>();
  let looks = 0;
  let isLooked: () => void = () => undefined;
  const serving = serveSessions({
    look: () => {
      looks += 1;
      isLooked();
      return Promise.resolve(look());
    },
    runOn: (dir) => {
      begun.push(dir);
      return new Promise((resolve) => ends.set(dir, resolve));
    },
    say: (text) => said.push(text),
    stop: stop.signal,
    lookMs: 1,
  });
  const looked = async (times: number): Promise<void> => {
    const wanted = looks + times;
    while (looks < wanted) await new Promise<void>((resolve) => (isLooked = resolve));
  };
  return { begun, said, ends, looked, stop, serving };
}

test('serveSessions() runs each moving session once at a time, and one that was refused again when its ledger has grown', async () => {
  let moving = [{ dir: 'a', bytes: 1 }];
  const { begun, said, ends, looked, stop, serving } = served(() => moving);
  await looked(3);
  expect(begun).toEqual(['a']);
  ends.get('a')?.(REFUSED);
  await looked(3);
  expect(begun).toEqual(['a']);
  expect(said).toEqual(['Serving session a', 'a: no model is configured']);
  moving = [{ dir: 'a', bytes: 2 }];
  await looked(3);
  expect(begun).toEqual(['a', 'a']);
  stop.abort();
  ends.get('a')?.(REFUSED);
  await serving;
});

test('serveSessions() serves a bounded number at once, and waits for them when it is stopped', async () => {
  const all = Array.from({ length: SESSIONS_MAX + 2 }, (_, at) => ({ dir: String(at), bytes: 1 }));
  const { begun, ends, looked, stop, serving } = served(() => all);
  await looked(3);
  expect(begun).toHaveLength(SESSIONS_MAX);
  ends.get('0')?.(REFUSED);
  await looked(3);
  expect(begun).toHaveLength(SESSIONS_MAX + 1);
  stop.abort();
  for (const end of ends.values()) end(REFUSED);
  await serving;
});
