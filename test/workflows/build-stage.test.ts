import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LedgerEvent } from '../../schemas/ledger.ts';
import { type TestServer, startTestServer } from '../support/server.ts';
import { seeded, seedNode } from '../support/stage-world.ts';
import { quietWorkers } from '../support/worker-bundle.ts';
import { onServer, outcomeOf } from '../support/worker.ts';

let server: TestServer;
beforeAll(async () => {
  quietWorkers();
  server = await startTestServer();
});
afterAll(() => server.stop());

const one = seeded([seedNode('a')]);
const held = (): { wait: Promise<void>; release: () => void } => {
  let release = (): void => undefined;
  const wait = new Promise<void>((resolve) => (release = resolve));
  return { wait, release };
};

/** Names of the activities that a history holds, in order. */
function activitiesOf(history: string): readonly string[] {
  return [...history.matchAll(/"activityType":\s*\{\s*"name":\s*"(\w+)"/g)].map((match) => match[1] ?? '');
}

describe('buildStage', () => {
  test('takes a node from its suite to its code to the seal', async () => {
    await onServer({ server, first: one }, async (stage) => {
      expect(await outcomeOf(stage)).toMatchObject({ status: 'sealed' });
      expect(stage.state().nodes['a']?.status).toBe('grounded');
      expect(stage.eventsOf('dispatched').map(({ record }) => record.role)).toEqual([
        'test_author',
        'builder',
      ]);
    });
  });

  test('ends when its commit can never be made, instead of failing its task for ever', async () => {
    const commitFault = () => ApplicationFailure.nonRetryable('run 2 owns the session', 'FenceLost');
    await onServer({ server, first: one, behaviour: { commitFault } }, async (stage) => {
      await expect(outcomeOf(stage)).rejects.toMatchObject({
        cause: { cause: { type: 'FenceLost', message: 'run 2 owns the session' } },
      });
    });
  });

  test('makes a commit in the step that writes its intent, and in one of its own where that could not', async () => {
    const stepsOf = async (commitsLater: boolean): Promise<readonly string[]> =>
      onServer({ server, first: one, behaviour: { commitsLater } }, async (stage) => {
        expect(await outcomeOf(stage)).toMatchObject({ status: 'sealed' });
        const kinds = stage.eventsOf('committed').map(({ kind }) => kind);
        expect(kinds).toEqual(['suite', 'code']);
        return activitiesOf(await stage.history(stage.handle.workflowId));
      });
    const joined = await stepsOf(false);
    const apart = await stepsOf(true);
    const count = (names: readonly string[], name: string): number =>
      names.filter((each) => each === name).length;
    expect([count(joined, 'appendAndCommit'), count(joined, 'commit')]).toEqual([2, 0]);
    expect([count(apart, 'appendAndCommit'), count(apart, 'commit')]).toEqual([2, 2]);
    expect(apart.length - joined.length).toBe(2);
  });

  test('runs independent nodes at once, and never more than maxInFlight', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    let inFlight = 0;
    const seen: number[] = [];
    const beforeModel = async (): Promise<void> => {
      inFlight += 1;
      seen.push(inFlight);
      await new Promise((resolve) => setTimeout(resolve, 300));
      inFlight -= 1;
    };
    const world = {
      server,
      first: seeded(ids.map((id) => seedNode(id))),
      behaviour: { beforeModel },
      options: { limits: { inFlightMax: 2 } },
    };
    await onServer(world, async (stage) => {
      expect(await outcomeOf(stage)).toMatchObject({ status: 'sealed' });
      expect(Math.max(...seen)).toBe(2);
      expect(Object.values(stage.state().nodes).map((node) => node.status)).toEqual(
        ids.map(() => 'grounded'),
      );
    });
  });

  test('sends a failed builder again, and poisons and heals what needs it', async () => {
    const first = seeded([seedNode('a'), seedNode('b', { structural: ['a'] })]);
    const failing = new Set<string>();
    const behaviour = {
      accepts: (at: { nodeId: string; role: string; dispatchId: string }) => {
        if (at.nodeId !== 'a' || at.role !== 'builder') return true;
        failing.add(at.dispatchId);
        return [...failing].indexOf(at.dispatchId) > 0;
      },
    };
    await onServer({ server, first, behaviour }, async (stage) => {
      expect(await outcomeOf(stage)).toMatchObject({ status: 'sealed' });
      expect(stage.eventsOf('poisoned').map(({ root }) => root)).toEqual(['a']);
      expect(stage.eventsOf('healed')).toEqual([{ root: 'a' }]);
      expect(Object.values(stage.state().nodes).map((node) => node.status)).toEqual(['grounded', 'grounded']);
    });
  });

  test('reads what people type into a signal, and notes what nobody can understand', async () => {
    const { wait, release } = held();
    const behaviour = { beforeModel: () => wait };
    await onServer({ server, first: one, behaviour }, async (stage) => {
      await stage.until(() => stage.eventsOf('dispatched').length === 1);
      const typed = ['prefer integers', { kind: 'dance' }, 7, { kind: 'answer', text: 'yes' }];
      for (const payload of typed) await stage.handle.signal('input', payload);
      await stage.handle.signal('stop', 'now');
      await stage.handle.signal('input', { kind: 'halt', text: 'please stop' });
      expect(await outcomeOf(stage)).toEqual({ status: 'halted', code: 'HALTED', message: 'please stop' });
      release();
      expect(stage.eventsOf('input_received').map(({ input }) => [input.kind, input.text, input.by])).toEqual(
        [
          ['text', 'prefer integers', 'a signal of the server'],
          ['halt', 'please stop', 'a signal of the server'],
        ],
      );
      const refused = stage.eventsOf('input_refused').map(({ shown, reason }) => `${shown} ${reason}`);
      expect(refused).toEqual([
        expect.stringContaining('{"kind":"dance"} There is no input of kind "dance". Send {'),
        expect.stringContaining('7 The signal is neither text nor an object'),
        expect.stringContaining('An answer names the node'),
        expect.stringContaining('"now" There is no signal "stop"'),
      ]);
      for (const event of stage.events) LedgerEvent.parse(event);
    });
  });

  test('ends a halt by signal cleanly, and goes on in the next run with the same dispatch', async () => {
    const { wait, release } = held();
    const behaviour = { beforeModel: () => wait };
    await onServer({ server, first: one, behaviour }, async (stage) => {
      await stage.until(() => stage.eventsOf('dispatched').length === 1);
      await stage.say({ kind: 'halt', text: 'lunch' });
      expect(await outcomeOf(stage)).toEqual({ status: 'halted', code: 'HALTED', message: 'lunch' });
      expect(stage.eventsOf('halted')).toHaveLength(1);
      release();
      expect(await (await stage.again()).result()).toMatchObject({ status: 'sealed' });
      expect(stage.eventsOf('run_opened').map(({ lifecycle }) => lifecycle)).toEqual(['new', 'resumed']);
      expect(stage.eventsOf('dispatched')).toHaveLength(2);
      expect(stage.eventsOf('dispatch_restarted').map(({ why }) => why)).toEqual(['resumed']);
    });
  });

  test('takes a cancel of the workflow as a halt', async () => {
    const behaviour = { beforeModel: () => held().wait };
    await onServer({ server, first: one, behaviour }, async (stage) => {
      await stage.until(() => stage.eventsOf('dispatched').length === 1);
      await stage.handle.cancel();
      expect(await outcomeOf(stage)).toMatchObject({ status: 'halted', code: 'HALTED' });
      expect(stage.eventsOf('halting').map(({ source }) => source)).toEqual(['cancel']);
    });
  });

  test('keeps a parked agent without a workflow, and starts it again with the answer of a person', async () => {
    const answered = new Set<string>();
    const behaviour = {
      message: ({ role, dispatchId }: { role: string; dispatchId: string }) =>
        role === 'builder' && !answered.has(dispatchId) ? ('ask' as const) : ('submit' as const),
    };
    await onServer({ server, first: one, behaviour }, async (stage) => {
      await stage.until(() => stage.eventsOf('waiting').length === 1);
      expect(stage.eventsOf('waiting').map(({ nodes }) => nodes)).toEqual([['a']]);
      expect((await stage.handle.describe()).raw.pendingChildren).toEqual([]);
      answered.add(stage.eventsOf('dispatched')[1]?.record.dispatchId ?? '');
      await stage.say({ kind: 'answer', nodeId: 'a', text: 'Half to even' });
      expect(await outcomeOf(stage)).toMatchObject({ status: 'sealed' });
      expect(stage.eventsOf('dispatch_restarted').map(({ resume }) => resume?.answer)).toEqual([
        'Half to even',
      ]);
    });
  });

  test('halts when no person answers within its human wait', async () => {
    const behaviour = { message: () => 'ask' as const };
    await onServer({ server, first: one, behaviour, humanWaitMs: 500 }, async (stage) => {
      expect(await outcomeOf(stage)).toMatchObject({ status: 'halted' });
      expect(stage.eventsOf('halting').map(({ source }) => source)).toEqual(['human_wait']);
    });
  });

  test('takes an input of the same id once, and answers the query board while it moves', async () => {
    const { wait, release } = held();
    await onServer({ server, first: one, behaviour: { beforeModel: () => wait } }, async (stage) => {
      await stage.until(() => stage.eventsOf('dispatched').length === 1);
      for (let time = 0; time < 3; time += 1) await stage.say({ kind: 'text', id: 'same', text: 'hello' });
      await stage.until(() => stage.eventsOf('input_received').length > 0);
      expect(await stage.handle.query('board')).toContain('a');
      release();
      await outcomeOf(stage);
      expect(stage.eventsOf('input_received')).toHaveLength(1);
    });
  });
});
