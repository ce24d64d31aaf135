/** The worker dies at a named point, proven by its marker; the next `run` finishes the session (issue 3 part 3). */
import { expect } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sumUsage } from '../../adapters/model/usage-report.ts';
import { type JudgedAnew, type Scene, crashScenes } from '../support/crash/scenes.ts';
import type { StrikePoint } from '../support/crash/strike-points.ts';
import { type TestSession, isClosed, struck, succeed } from '../support/crash/yard.ts';

/** Kills at the point, resumes, checks what always holds, then what is special here. */
function killedAt(
  point: StrikePoint,
  nth: number,
  check: (session: TestSession) => Promise<void> | void,
  { judged = 'nothing', from = 'start' }: { judged?: JudgedAnew; from?: 'start' | 'halfway' } = {},
): Scene {
  return async (stage) => {
    const session = await stage.session({ judged, from });
    const strike = session.marker(point, nth);
    await struck(strike, session.program({ strike }));
    await succeed(session.run());
    await stage.expectWhole(session);
    await check(session);
  };
}

/** In the second stage, whose only agent is alone: no other call is in flight when the process dies. */
function killedAlone(
  point: StrikePoint,
  nth: number,
  check: (session: TestSession) => Promise<void> | void,
): Scene {
  return killedAt(point, nth, check, { from: 'halfway' });
}

const count = (session: TestSession, type: string): number =>
  session.lines().filter((line) => line.type === type).length;

async function nothingPaidTwice(session: TestSession): Promise<void> {
  expect((await sumUsage(session.dir)).total.unknownAttempts).toBe(0);
  const places = session.model.requests().map((each) => JSON.stringify(each.coordinates));
  expect(places).toHaveLength(new Set(places).size);
}

/** Three nodes, two dispatches each, started once. */
function eachDispatchOnce(session: TestSession): void {
  expect(count(session, 'dispatched')).toBe(6);
  expect(count(session, 'returned')).toBe(6);
}

/** Folders of verifications: one for each judged turn, none for a turn that was judged again under another name. */
function verifications(session: TestSession): readonly string[] {
  const root = join(session.dir, 'runs');
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('report.json'),
  );
}

function eachJudgedOnce(session: TestSession): void {
  eachDispatchOnce(session);
  expect(verifications(session)).toHaveLength(10);
}

crashScenes(
  'a7-rt run, its process killed',
  { parallel: 5 },
  {
    'during a model call repays one call and names it': killedAlone(
      'model:first_byte',
      1,
      async (session) => {
        expect((await sumUsage(session.dir)).total.unknownAttempts).toBe(1);
        expect(count(session, 'call_unknown')).toBe(1);
      },
    ),
    'with an answer stored before its received row uses that answer': killedAlone(
      'model:answer_stored',
      1,
      nothingPaidTwice,
    ),
    'after a received row uses that answer': killedAlone('model:received', 1, nothingPaidTwice),
    'after tools finished and before their activity completed runs them once': killedAlone(
      'stored:tools',
      1,
      async (session) => {
        await nothingPaidTwice(session);
        const names = readdirSync(join(session.dir, 'sessions'), { recursive: true, encoding: 'utf8' });
        expect(names.filter((name) => name.endsWith('.jsonl'))).toHaveLength(6);
      },
    ),
    'during a test run of the gate judges again and charges nobody': killedAt(
      'gate:running',
      5,
      eachJudgedOnce,
      { judged: 'everything' },
    ),
    'with a verdict stored before its activity returned judges once': killedAt(
      'stored:judged',
      4,
      eachJudgedOnce,
      { judged: 'code' },
    ),
    'after commit_intent makes one commit': killedAt('appended:commit_intent', 4, eachDispatchOnce),
    'after the branch moved makes one commit': killedAt('commit:swapped', 1, eachDispatchOnce),
    'in half a work tree with a lock of git left behind makes one commit': killedAt(
      'commit:half',
      1,
      eachDispatchOnce,
    ),
    'with a torn last line of the ledger cuts it off': killedAt('ledger:torn', 1, eachDispatchOnce),
    'with master.json half written writes it again': killedAt('master:half', 3, eachDispatchOnce),
    'after dispatched and before the child starts starts one child': killedAt(
      'appended:dispatched',
      2,
      eachDispatchOnce,
    ),
    'between the seal of a stage and its close goes on with the next': killedAt(
      'appended:sealed',
      1,
      (session) => {
        expect(count(session, 'sealed')).toBe(2);
      },
    ),
    'between the last seal and its close ends the workflow': killedAlone(
      'appended:sealed',
      1,
      async (session) => {
        expect(count(session, 'sealed')).toBe(2);
        expect(await isClosed(session, 'app')).toBe(true);
      },
    ),
    'while a stage continues as new goes on in the new run': async (stage) => {
      const session = await stage.session();
      const strike = session.marker('stage:continued');
      const historyBounds = { stageSoftMax: 40, stageHardMax: 90, agentMax: 15 };
      await struck(strike, session.program({ strike, historyBounds }));
      // In the first stage or, where its agents were never out of the way, in the second: there is work left.
      expect(count(session, 'sealed')).toBeLessThan(2);
      await succeed(session.program({ historyBounds }));
      await stage.expectWhole(session);
      eachDispatchOnce(session);
      await nothingPaidTwice(session);
    },
    'before a signal arrives that nobody serves does not diverge': async (stage) => {
      const session = await stage.session();
      const strike = session.marker('appended:returned');
      await struck(strike, session.program({ strike }));
      const sent = session.command(['input', session.dir, '--id', 'note-1', 'keep it short']);
      await succeed(sent);
      expect(sent.output()).toContain('no worker is running');
      await succeed(session.run());
      await stage.expectWhole(session);
      expect(count(session, 'input_received')).toBe(1);
      eachDispatchOnce(session);
    },
  },
);
