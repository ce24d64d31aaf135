/** Commands that change a session, killed at one of the points where they change a file: the same command again mends it. */
import { expect } from '@jest/globals';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chaosSeed, randomOf } from '../support/crash/chaos.ts';
import { sessionFacts } from '../support/crash/facts.ts';
import { type Scene, type Stage, crashScenes } from '../support/crash/scenes.ts';
import { type Running, type TestSession, succeed } from '../support/crash/yard.ts';

const HOOK = fileURLToPath(new URL('../support/crash/kill-at.mjs', import.meta.url));
const seed = chaosSeed();
const OWN_CODE = 'def twice(number: int) -> int:\n    """Two times the number."""\n    return 2 * number\n';

interface Changing {
  readonly args: (dir: string) => readonly string[];
  /** What a person did before. */
  readonly before?: (session: TestSession) => Promise<void> | void;
  /** The point at which it is killed. Default: any, drawn. */
  readonly point?: RegExp;
  /** What the session must hold in the end. */
  readonly after?: (session: TestSession) => void;
}

/** The command as it is, but killed when it begins to change a file for the `at`th time. */
function dying(stage: Stage, session: TestSession, args: readonly string[], at: number): Running {
  const told = { at, under: [session.dir, session.home], log: `${session.dir}-points` };
  const env = { NODE_OPTIONS: `--import=${HOOK}`, A7_KILL: JSON.stringify(told) };
  return stage.yard.command(args, env);
}

/** Who looks in between sees the session, or is told what makes it whole. */
async function looks(running: Running): Promise<void> {
  const { code } = await running.ended;
  if (code !== 0) expect([code, running.output()]).toEqual([2, expect.stringContaining('a7-rt restore')]);
}

/** The first command of a home makes folders that the later ones find there, so it may have some points more. */
const MORE_MAX = 3;

/** A session in which the command was killed at the `at`th point, or where that one was not met, at one before it. */
async function dead(
  stage: Stage,
  command: Changing,
  ready: () => Promise<TestSession>,
  points: readonly string[],
  at: number,
): Promise<TestSession> {
  for (let less = 0; ; less += 1) {
    const session = await ready();
    const { signal, code } = await dying(stage, session, command.args(session.dir), at - less).ended;
    if (signal === 'SIGKILL') return session;
    const place = `A7_CHAOS_SEED=${String(seed)}, point ${String(points[at - 1])}`;
    const isOver = code === 0 && less < MORE_MAX && at - less > 1;
    if (!isOver) expect({ place, signal, code }).toEqual({ place, signal: 'SIGKILL', code: null });
  }
}

function killed(command: Changing, index: number): Scene {
  return async (stage) => {
    const ready = async (): Promise<TestSession> => {
      const session = await stage.session({ from: 'halfway' });
      await command.before?.(session);
      return session;
    };
    const whole = await ready();
    await succeed(dying(stage, whole, command.args(whole.dir), 0));
    const points = readFileSync(`${whole.dir}-points`, 'utf8').trim().split('\n');
    const drawn = Math.floor(randomOf(seed * 1_000 + index)() * points.length);
    const at =
      1 + (command.point === undefined ? drawn : points.findIndex((each) => command.point?.test(each)));
    expect(at).toBeGreaterThan(0);

    const session = await dead(stage, command, ready, points, at);
    const args = command.args(session.dir);
    for (const look of ['status', 'report']) await looks(session.command([look, session.dir]));
    await succeed(session.command(args));
    await succeed(session.run());
    command.after?.(session);
    await stage.expectWhole(session, sessionFacts(session.dir));
  };
}

const reopened = (session: TestSession): Promise<void> =>
  succeed(session.command(['stage-reset', session.dir, 'core']));
const twice = (session: TestSession): string =>
  readFileSync(join(session.dir, 'content', 'num', 'twice.py'), 'utf8');

const COMMANDS: Readonly<Record<string, Changing>> = {
  'stage-reset': { args: (dir) => ['stage-reset', dir, 'core'] },
  'seed --yes': {
    args: (dir) => ['seed', dir, '--yes'],
    before: async (session) => {
      await reopened(session);
      const path = join(session.dir, 'contracts.yaml');
      writeFileSync(path, readFileSync(path, 'utf8').replace('added to itself', 'and itself, added'));
    },
    after: (session) => {
      const taken = session.lines().filter((line) => JSON.stringify(line).includes('and itself, added'));
      expect(taken).not.toEqual([]);
    },
  },
  replace: {
    args: (dir) => ['replace', dir, 'num.twice', '--file', `${dir}-own.py`],
    before: async (session) => {
      await reopened(session);
      writeFileSync(`${session.dir}-own.py`, OWN_CODE);
    },
    after: (session) => {
      expect(twice(session)).toBe(OWN_CODE);
    },
  },
  'restore of content/': {
    args: (dir) => ['restore', dir],
    before: ({ dir }) => {
      rmSync(join(dir, 'content'), { recursive: true });
    },
  },
  'restore of content/, when the branch is there and no file is': {
    args: (dir) => ['restore', dir],
    before: ({ dir }) => {
      rmSync(join(dir, 'content'), { recursive: true });
    },
    point: /\/content\/\.git\/a7\/tmp/u,
  },
  'restore of events.jsonl': {
    args: (dir) => ['restore', dir],
    before: ({ dir }) => {
      rmSync(join(dir, 'events.jsonl'));
    },
  },
};

crashScenes(
  'a command that changes a session, killed',
  { parallel: 3 },
  Object.fromEntries(
    Object.entries(COMMANDS).map(([name, command], index) => [
      `in the middle of ${name}`,
      killed(command, index),
    ]),
  ),
);
