/** Crash scenes of one file: some at a time, each a test, all compared with one run that nobody disturbed. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { copyFileSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Facts, findings, sessionFacts } from './facts.ts';
import { type Backend, type TestSession, type Yard, openYard, succeed } from './yard.ts';

export interface Stage {
  readonly yard: Yard;
  /**
   * A fresh seeded session for this scene. Its store holds the undisturbed run's verdicts on suites, which the product's own
   * cache finds; code is judged anew in every session. With `ownSuites`, or on another backend, suites are judged too.
   */
  session(options?: {
    backend?: Backend;
    env?: Record<string, string>;
    ownSuites?: boolean;
  }): Promise<TestSession>;
  /** Everything that must hold after any crash, held. */
  expectWhole(session: TestSession): Promise<void>;
}

export type Scene = (stage: Stage) => Promise<void>;

/** Waits of a loaded machine are long; an idle one needs a tenth. */
const SCENE_MAX_MS = 600_000;

/** Declares a test a scene; `parallel` of them run at once in one home. */
export function crashScenes(title: string, parallel: number, scenes: Readonly<Record<string, Scene>>): void {
  describe(title, () => {
    let yard: Yard | null = null;
    let outcomes: ReadonlyMap<string, Promise<void>> = new Map();
    beforeAll(async () => {
      const opened = await openYard();
      yard = opened;
      const undisturbed = runUndisturbed(opened);
      // A failure is told by every scene that waits for it.
      undisturbed.catch(() => undefined);
      const entries = Object.entries(scenes).map(
        ([name, scene], index) =>
          [name, () => scene(stageOf(opened, `s${String(index)}`, undisturbed))] as const,
      );
      outcomes = startAll(entries, parallel, undisturbed);
    }, SCENE_MAX_MS);
    afterAll(() => yard?.close(), SCENE_MAX_MS);
    for (const name of Object.keys(scenes)) {
      test(name, () => outcomes.get(name), SCENE_MAX_MS);
    }
  });
}

interface Undisturbed {
  readonly dir: string;
  readonly facts: Facts;
}

async function runUndisturbed(yard: Yard): Promise<Undisturbed> {
  const session = await yard.session('undisturbed');
  await succeed(session.run());
  const facts = sessionFacts(session.dir);
  expect(await findings(yard.home, session, facts)).toEqual([]);
  return { dir: session.dir, facts };
}

function stageOf(yard: Yard, name: string, undisturbed: Promise<Undisturbed>): Stage {
  let count = 0;
  return {
    yard,
    async session({ ownSuites = false, ...options } = {}) {
      const session = await yard.session(`${name}-${String((count += 1))}`, options);
      if (!ownSuites) copySuiteVerdicts((await undisturbed).dir, session.dir);
      return session;
    },
    async expectWhole(session) {
      expect(await findings(yard.home, session, (await undisturbed).facts)).toEqual([]);
    },
  };
}

/** What the cache of the undisturbed run holds of suites; another backend has other keys and finds nothing of it. */
function copySuiteVerdicts(from: string, to: string): void {
  mkdirSync(join(to, 'reports'), { recursive: true });
  for (const name of readdirSync(join(from, 'reports')).filter((each) => each.endsWith('.json'))) {
    const path = join(from, 'reports', name);
    const { subject } = JSON.parse(readFileSync(path, 'utf8')) as { subject: { kind: string } };
    if (subject.kind === 'suite') copyFileSync(path, join(to, 'reports', name));
  }
}

/** Starts the scenes in order, `parallel` at a time; the undisturbed run takes the first place. */
function startAll(
  entries: readonly (readonly [string, () => Promise<void>])[],
  parallel: number,
  first: Promise<unknown>,
): ReadonlyMap<string, Promise<void>> {
  const places: Promise<unknown>[] = [
    first,
    ...Array.from({ length: parallel - 1 }, () => Promise.resolve()),
  ];
  const started = new Map<string, Promise<void>>();
  for (const [index, [name, scene]] of entries.entries()) {
    const place = (index + 1) % parallel;
    const before = (places[place] ?? Promise.resolve()).catch(() => undefined);
    const outcome = before.then(scene);
    outcome.catch(() => undefined);
    places[place] = outcome;
    started.set(name, outcome);
  }
  return started;
}
