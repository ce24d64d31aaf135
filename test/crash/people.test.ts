/** People end commands in the middle: signals, two runs at once, a command that is gone before its effect is. */
import { expect } from '@jest/globals';
import { type Scene, crashScenes } from '../support/crash/scenes.ts';
import { type TestSession, struck, succeed, until } from '../support/crash/yard.ts';

const has = (session: TestSession, type: string) => () => session.lines().some((line) => line.type === type);

function endedBy(signal: NodeJS.Signals): Scene {
  return async (stage) => {
    const session = await stage.session();
    const running = session.run();
    await until('a dispatch', has(session, 'dispatched'));
    running.child.kill(signal);
    const { code } = await running.ended;
    expect({ code, output: running.output() }).toEqual({
      code: 3,
      output: expect.stringMatching(/Paused; nothing runs now[\s\S]*a7-rt run /),
    });
    await succeed(session.run());
    await stage.expectWhole(session);
    const places = session.model.requests().map((each) => JSON.stringify(each.coordinates));
    expect(places).toHaveLength(new Set(places).size);
  };
}

crashScenes(
  'a7-rt, ended by people',
  { parallel: 5 },
  {
    'Ctrl-C pauses a run and says how to resume': endedBy('SIGINT'),
    'SIGTERM pauses a run and says how to resume': endedBy('SIGTERM'),
    'SIGHUP pauses a run and says how to resume': endedBy('SIGHUP'),
    'two runs share one stage, and the second goes on when the first is killed': async (stage) => {
      const session = await stage.session();
      // The first stands still, so that it cannot be done before the second has joined.
      const strike = session.marker('model:first_byte', 1, 'SIGSTOP');
      const first = session.program({ strike });
      await struck(strike, first);
      const second = session.run();
      await until('the second run', () => second.output().includes('watch '));
      first.child.kill('SIGKILL');
      await succeed(second);
      await stage.expectWhole(session);
      const opened = session.lines().filter((line) => line.type === 'run_opened');
      expect(opened.map((line) => (line.data as { stage: string }).stage)).toEqual(['core', 'app']);
    },
    'two hosts with one server each judge their own sessions': async (stage) => {
      const sessions = [await stage.session({ judged: 'code' }), await stage.session({ judged: 'code' })];
      const [one, other] = sessions as [TestSession, TestSession];
      const runs = [one.runWithout(other.dir), other.runWithout(one.dir)];
      for (const running of runs) await succeed(running);
      for (const session of sessions) await stage.expectWhole(session);
      expect(one.model.requests()).toHaveLength(other.model.requests().length);
    },
    'an input whose command is killed after "recorded" is in the ledger once': async (stage) => {
      // Judged, so that the run is still going when the second command speaks to it.
      const session = await stage.session({ judged: 'code' });
      const running = session.run();
      await until('a dispatch', has(session, 'dispatched'));
      const args = ['input', session.dir, '--id', 'note-1', 'keep it short'];
      const first = session.command(args);
      await until('the answer', () => first.output().includes('Recorded as note-1'));
      first.child.kill('SIGKILL');
      await first.ended;
      await succeed(session.command(args));
      await succeed(running);
      expect(session.lines().filter((line) => line.type === 'input_received')).toHaveLength(1);
      await stage.expectWhole(session);
    },
  },
);
