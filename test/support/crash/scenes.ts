/** Crash scenes of one file: some at a time, each a test, all compared with one run that nobody disturbed. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { copyFileSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startServerIn } from '../server.ts';
import { type Facts, findings } from './facts.ts';
import { type Undisturbed, undisturbedRun } from './undisturbed.ts';
import { type Backend, type TestSession, type Yard, openYard } from './yard.ts';

export interface Stage {
  readonly yard: Yard;
  /**
   * A fresh seeded session for this scene. Its store holds the undisturbed run's verdicts, which the product's own cache
   * finds, but for what is to be judged anew (default `nothing`: the scene is not about the gate). On another backend all is.
   */
  session(options?: {
    backend?: Backend;
    env?: Record<string, string>;
    judged?: JudgedAnew;
    /** Default the start. `halfway`: a first stage is sealed, for scenes that strike in the second. */
    from?: 'start' | 'halfway';
  }): Promise<TestSession>;
  /** Everything that must hold after any crash, held. `facts`: where the session has others than the undisturbed one. */
  expectWhole(session: TestSession, facts?: Facts): Promise<void>;
}

type JudgedAnew = 'nothing' | 'code' | 'everything';

export type Scene = (stage: Stage) => Promise<void>;

/** How the scenes of a file run beside each other. */
export interface SceneOrder {
  readonly parallel: number;
  /** Default false: they share a home and its server. True: each has its own, to do with as it likes. */
  readonly ownHomes?: boolean;
}

/** Waits of a loaded machine are long; an idle one needs a tenth. */
const SCENE_MAX_MS = 600_000;

/** Declares a test a scene. */
export function crashScenes(title: string, order: SceneOrder, scenes: Readonly<Record<string, Scene>>): void {
  describe(title, () => {
    const yards: Yard[] = [];
    let outcomes: ReadonlyMap<string, Promise<void>> = new Map();
    beforeAll(async () => {
      const undisturbed = await undisturbedRun();
      const open = async (): Promise<Yard> => {
        const yard = await openYard(undisturbed.template);
        yards.push(yard);
        return yard;
      };
      const shared = order.ownHomes === true ? null : await open();
      // Scenes that begin together would all start it.
      if (shared !== null) await startServerIn(shared.home);
      const entries = Object.entries(scenes).map(
        ([name, scene], index) =>
          [
            name,
            async () => scene(stageOf(shared ?? (await open()), `s${String(index)}`, undisturbed)),
          ] as const,
      );
      outcomes = startAll(entries, order.parallel);
    }, SCENE_MAX_MS);
    afterAll(() => Promise.all(yards.map((yard) => yard.close())), SCENE_MAX_MS);
    for (const name of Object.keys(scenes)) {
      test(name, () => outcomes.get(name), SCENE_MAX_MS);
    }
  });
}

function stageOf(yard: Yard, name: string, undisturbed: Undisturbed): Stage {
  let count = 0;
  return {
    yard,
    async session({ judged = 'nothing', from = 'start', ...options } = {}) {
      const copyOf = from === 'start' ? undisturbed.template : undisturbed.halfway;
      const session = await yard.session(`${name}-${String((count += 1))}`, { ...options, copyOf });
      if (judged !== 'everything') copyVerdicts(undisturbed.dir, session.dir, judged);
      return session;
    },
    async expectWhole(session, facts = undisturbed.facts) {
      expect(await findings(yard.home, session, facts)).toEqual([]);
    },
  };
}

/** What the cache of the undisturbed run holds; another backend has other keys and finds nothing of it. */
export function copyVerdicts(from: string, to: string, judged: 'nothing' | 'code'): void {
  mkdirSync(join(to, 'reports'), { recursive: true });
  for (const name of readdirSync(join(from, 'reports')).filter((each) => each.endsWith('.json'))) {
    const path = join(from, 'reports', name);
    const { subject } = JSON.parse(readFileSync(path, 'utf8')) as { subject: { kind: string } };
    if (judged === 'nothing' || subject.kind === 'suite') copyFileSync(path, join(to, 'reports', name));
  }
}

/** Starts the scenes in order, `parallel` at a time. */
function startAll(
  entries: readonly (readonly [string, () => Promise<void>])[],
  parallel: number,
): ReadonlyMap<string, Promise<void>> {
  const places: Promise<unknown>[] = [];
  const started = new Map<string, Promise<void>>();
  for (const [index, [name, scene]] of entries.entries()) {
    const place = index % parallel;
    const before = (places[place] ?? Promise.resolve()).catch(() => undefined);
    const outcome = before.then(scene);
    outcome.catch(() => undefined);
    places[place] = outcome;
    started.set(name, outcome);
  }
  return started;
}
