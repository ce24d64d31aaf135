/** Six random kill instants; `A7_CHAOS_SEED` repeats them, `npm run chaos` makes as many as asked for. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Measured, chaosRun, chaosSeed, planKills } from '../support/crash/chaos.ts';
import { copyVerdicts } from '../support/crash/scenes.ts';
import { startServerIn } from '../support/server.ts';
import { undisturbedRun } from '../support/crash/undisturbed.ts';
import { type TestSession, type Yard, openYard } from '../support/crash/yard.ts';

const SESSIONS = 3;
const KILLS_EACH = 2;
const WAIT_MAX_MS = 600_000;
const seed = chaosSeed();

let yard: Yard;
let undisturbed: Measured;
/** Suites are judged once a test run; code is judged anew in each session. */
let prepare: (session: TestSession) => void;
beforeAll(async () => {
  const made = await undisturbedRun();
  undisturbed = made;
  yard = await openYard(made.template);
  prepare = (session) => copyVerdicts(made.dir, session.dir, 'code');
  // Sessions that begin together would all start it.
  await startServerIn(yard.home);
}, WAIT_MAX_MS);
afterAll(() => yard.close(), WAIT_MAX_MS);

describe(`a7-rt run, killed at random instants (A7_CHAOS_SEED=${String(seed)})`, () => {
  test(
    'is whole in the end, whatever was killed when',
    async () => {
      const runs = Array.from({ length: SESSIONS }, async (_, index) => {
        const session = await yard.session(`chaos-${String(index)}`);
        prepare(session);
        return chaosRun(yard, session, planKills(seed, index, KILLS_EACH), undisturbed);
      });
      const outcomes = await Promise.all(runs);
      expect(outcomes.filter((outcome) => outcome.findings.length > 0)).toEqual([]);
    },
    WAIT_MAX_MS,
  );
});
