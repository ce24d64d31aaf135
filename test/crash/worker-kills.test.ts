/** Workers die at named points, each proven by its marker; the next `run` finishes the session (issue 3 part 3). */
import { expect } from '@jest/globals';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sumUsage } from '../../adapters/model/usage-report.ts';
import { type Stage, crashScenes } from '../support/crash/scenes.ts';
import type { StrikePoint } from '../support/crash/strike-points.ts';
import { type TestSession, isClosed, struck, succeed } from '../support/crash/yard.ts';

interface Kill {
  readonly point: StrikePoint;
  /** The how-manieth time that its process reaches the point. Default 1. */
  readonly nth?: number;
  /** What happens while nobody serves the session. */
  readonly meanwhile?: (session: TestSession) => Promise<void>;
}

/**
 * One session whose processes die one after the other, each where the last one's successor comes by; then what always holds, and
 * what is special here. A session a kill would prove the same: each process begins from what a dead one left.
 */
async function killedInTurn(stage: Stage, session: TestSession, kills: readonly Kill[]): Promise<void> {
  for (const { point, nth, meanwhile } of kills) {
    const strike = session.marker(point, nth);
    rmSync(strike.marker, { force: true });
    await struck(strike, session.program({ strike }));
    await meanwhile?.(session);
  }
  await succeed(session.run());
  await stage.expectWhole(session);
}

const count = (session: TestSession, type: string): number =>
  session.lines().filter((line) => line.type === type).length;

/** Calls that were sent again: all of them are named as unknown. */
async function paidTwice(session: TestSession): Promise<number> {
  const places = session.model.requests().map((each) => JSON.stringify(each.coordinates));
  const again = places.length - new Set(places).size;
  expect((await sumUsage(session.dir)).total.unknownAttempts).toBe(again);
  expect(count(session, 'call_unknown')).toBe(again);
  return again;
}

/** Three nodes, two dispatches each, started once; a conversation each. */
function eachDispatchOnce(session: TestSession): void {
  expect(count(session, 'dispatched')).toBe(6);
  expect(count(session, 'returned')).toBe(6);
  expect(count(session, 'sealed')).toBe(2);
  const names = readdirSync(join(session.dir, 'sessions'), { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => name.endsWith('.jsonl'))).toHaveLength(6);
}

/** A verification for each judged turn, none for a turn that was judged again under another name. */
function eachJudgedOnce(session: TestSession): void {
  const names = readdirSync(join(session.dir, 'runs'), { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => name.endsWith('report.json'))).toHaveLength(10);
}

async function sendNote(session: TestSession): Promise<void> {
  const sent = session.command(['input', session.dir, '--id', 'note-1', 'keep it short']);
  await succeed(sent);
  expect(sent.output()).toContain('no worker is running');
}

/** Two nodes side by side, from the first dispatch to the seal of their stage. */
const FIRST_STAGE: readonly Kill[] = [
  // After a dispatch and before the child starts: one child.
  { point: 'appended:dispatched', nth: 2 },
  // During a test run of the gate: judged again, nobody is charged.
  { point: 'gate:running' },
  // A torn last line of the ledger is cut off.
  { point: 'ledger:torn' },
  // A message comes while nobody serves: nothing diverges.
  { point: 'appended:returned', meanwhile: sendNote },
  // Between intent and commit, with the branch moved, and in half a work tree with a lock of git left behind: one commit.
  { point: 'appended:commit_intent' },
  { point: 'commit:swapped' },
  { point: 'commit:half' },
  // Half of master.json is written again.
  { point: 'master:half' },
  // Between the seal of a stage and its close: on to the next.
  { point: 'appended:sealed' },
];

/** The second stage, whose only agent is alone: no other call is in flight when the process dies. */
const SECOND_STAGE: readonly Kill[] = [
  // During a model call: one call is paid again and named.
  { point: 'model:first_byte' },
  // With an answer stored before its received row, and after the row: that answer is used.
  { point: 'model:answer_stored' },
  { point: 'model:received' },
  // After tools finished and before their activity completed: run once.
  { point: 'stored:tools' },
  // With a verdict stored before its activity returned: judged once.
  { point: 'stored:judged' },
  { point: 'appended:commit_intent', nth: 2 },
  // Between the last seal and its close: the workflow ends.
  { point: 'appended:sealed' },
];

crashScenes(
  'a7-rt run, its process killed',
  { parallel: 3 },
  {
    'at each step of a stage of two nodes, one after the other': async (stage) => {
      const session = await stage.session({ judged: 'everything' });
      await killedInTurn(stage, session, FIRST_STAGE);
      eachDispatchOnce(session);
      eachJudgedOnce(session);
      expect(count(session, 'input_received')).toBe(1);
    },
    'at each step of a lone agent and of the last seal repays the one call that was under way': async (
      stage,
    ) => {
      const session = await stage.session({ judged: 'everything', from: 'halfway' });
      await killedInTurn(stage, session, SECOND_STAGE);
      eachDispatchOnce(session);
      eachJudgedOnce(session);
      expect(await paidTwice(session)).toBe(1);
      expect(await isClosed(session, 'app')).toBe(true);
    },
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
      expect(await paidTwice(session)).toBe(0);
    },
  },
);
