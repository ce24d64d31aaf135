/** A process stands still for twice the heartbeat while another worker serves the session (a closed laptop, temporal.md 7.1). */
import { expect } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { sumUsage } from '../../adapters/model/usage-report.ts';
import { type Scene, crashScenes } from '../support/crash/scenes.ts';
import type { StrikePoint } from '../support/crash/strike-points.ts';
import { struck, succeed, until } from '../support/crash/yard.ts';

/** Twice the heartbeat timeout of 10 s, and a little. */
const STOP_MS = 22_000;

function stoppedAt(point: StrikePoint, nth: number): Scene {
  return async (stage) => {
    const session = await stage.session({ judged: point === 'gate:running' ? 'code' : 'nothing' });
    const strike = session.marker(point, nth, 'SIGSTOP');
    const stopped = session.program({ strike });
    await struck(strike, stopped);
    const other = session.command(['worker', session.dir]);
    await until('the second worker', () => other.output().includes('Serving'));
    await delay(STOP_MS);
    stopped.child.kill('SIGCONT');
    await succeed(stopped);
    other.child.kill('SIGTERM');
    await other.ended;
    await stage.expectWhole(session);
    const places = session.model.requests().map((each) => JSON.stringify(each.coordinates));
    expect(places).toHaveLength(new Set(places).size);
    expect((await sumUsage(session.dir)).total.unknownAttempts).toBe(0);
    expect(session.lines().filter((line) => line.type === 'dispatched')).toHaveLength(6);
  };
}

crashScenes(
  'a7-rt run, stopped for twice the heartbeat',
  { parallel: 3 },
  {
    'during a model call makes one call': stoppedAt('model:first_byte', 3),
    'during a test run of the gate gives one verdict': stoppedAt('gate:running', 1),
    'during a commit makes one commit': stoppedAt('commit:swapped', 1),
  },
);
