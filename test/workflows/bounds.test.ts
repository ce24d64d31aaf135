import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/activity';
import type { StageState } from '../../core/stage/types.ts';
import type { ManagerAction } from '../../schemas/actions.ts';
import type { ManagerAnswer } from '../../schemas/stage-io.ts';
import { type TestServer, startTestServer } from '../support/server.ts';
import { gate, seeded, seedNode } from '../support/stage-world.ts';
import { quietWorkers } from '../support/worker-bundle.ts';
import { onServer, outcomeOf } from '../support/worker.ts';

let server: TestServer;
beforeAll(async () => {
  quietWorkers();
  server = await startTestServer();
});
afterAll(() => server.stop());

const one = seeded([seedNode('a')]);
const SUMMARY_MAX_BYTES = 200;

/** A manager that makes the first move that is open to it. */
function firstMove(state: StageState): ManagerAction {
  const nodeId = 'a';
  if (nodeId in state.returns) return { action_type: 'VALIDATE', parameters: { node_id: nodeId } };
  if (nodeId in state.validated) return { action_type: 'COMMIT', parameters: { node_id: nodeId } };
  const node = state.nodes[nodeId];
  if (node?.status === 'grounded') return { action_type: 'SEAL', parameters: { summary: 'Done' } };
  const role = node?.suite === undefined ? 'test_author' : 'builder';
  return {
    action_type: 'DISPATCH',
    parameters: { node_id: nodeId, role, manager_note: 'As the contract says' },
  };
}

function answered(action: ManagerAction, turn: number): ManagerAnswer {
  const callKey = `core/manager/t${String(turn)}`;
  return {
    kind: 'answered',
    answer: { kind: 'action', action },
    callKey,
    costMicroUsd: 10,
    unknownAttempts: 0,
    unknownMicroUsd: 0,
  };
}

describe('buildStage and runAgent, bounds and faults', () => {
  test('strictTurns has the manager take forced moves too, and each is a turn', async () => {
    const behaviour = {
      manager: ({ turn }: { turn: number }, state: StageState) => answered(firstMove(state), turn),
    };
    await onServer(
      { server, first: one, behaviour, options: { manager: 'llm', strictTurns: true } },
      async (stage) => {
        expect(await outcomeOf(stage)).toMatchObject({ status: 'sealed' });
        const moves = stage.eventsOf('action').filter(({ forced }) => !forced);
        expect(moves.map(({ action }) => action.action_type)).toEqual([
          'DISPATCH',
          'VALIDATE',
          'COMMIT',
          'DISPATCH',
          'VALIDATE',
          'COMMIT',
          'SEAL',
        ]);
        expect(stage.state().run?.turn).toBeGreaterThanOrEqual(moves.length);
      },
    );
  });

  test('a stage continues as new between nodes and goes on where it was', async () => {
    const first = seeded([seedNode('a'), seedNode('b', { structural: ['a'] })]);
    const historyBounds = { stageSoftMax: 30, stageHardMax: 60, agentMax: 1_000 };
    await onServer({ server, first, historyBounds }, async (stage) => {
      expect(await outcomeOf(stage)).toMatchObject({ status: 'sealed' });
      const described = await stage.handle.describe();
      expect(described.raw.workflowExecutionInfo?.firstRunId).not.toBe(described.runId);
      expect(stage.eventsOf('run_opened')).toHaveLength(1);
      expect(stage.eventsOf('dispatched')).toHaveLength(4);
    });
  });

  test('an agent continues as new between turns and carries what it did', async () => {
    const behaviour = {
      message: (_at: unknown, turn: number) => (turn < 6 ? ('work' as const) : ('submit' as const)),
    };
    const historyBounds = { stageSoftMax: 4_000, stageHardMax: 10_000, agentMax: 25 };
    await onServer({ server, first: one, behaviour, historyBounds }, async (stage) => {
      expect(await outcomeOf(stage)).toMatchObject({ status: 'sealed' });
      const [child = ''] = stage.children();
      const described = await stage.client.workflow.getHandle(child).describe();
      expect(described.raw.workflowExecutionInfo?.firstRunId).not.toBe(described.runId);
      const [author] = stage.eventsOf('returned');
      expect(author?.result).toMatchObject({ status: 'submitted', iterationsUsed: 6, usage: { calls: 6 } });
    });
  });

  test('a fault of the platform in a model call is retried and charged to nobody', async () => {
    const behaviour = {
      modelFault: (_at: unknown, _turn: number, attempt: number) =>
        attempt === 1 ? new Error('connection reset') : null,
    };
    await onServer({ server, first: one, behaviour }, async (stage) => {
      expect(await outcomeOf(stage)).toMatchObject({ status: 'sealed' });
      expect(stage.state().nodes['a']?.retries ?? 0).toBe(0);
      expect(stage.eventsOf('returned')).toHaveLength(2);
    });
  });

  test('a conflict in the store of calls ends the agent as a fault of the platform, bounded in number', async () => {
    const behaviour = {
      modelFault: () => ApplicationFailure.nonRetryable('same key, other request', 'ModelConflict'),
    };
    await onServer({ server, first: one, behaviour }, async (stage) => {
      const outcome = await outcomeOf(stage);
      expect(outcome.status).not.toBe('sealed');
      const results = stage.eventsOf('returned').map(({ result }) => result.status);
      expect(new Set(results)).toEqual(new Set(['platform']));
      expect(results.length).toBeLessThan(10);
    });
  });

  test('an endpoint that stays away rests the stage, moves no counter, and the agent goes on in the next run', async () => {
    const behaviour = {
      modelFault: () =>
        ApplicationFailure.nonRetryable('Model "x" is not reached at "http://y"', 'ModelBusy'),
    };
    await onServer({ server, first: one, behaviour }, async (stage) => {
      expect(await outcomeOf(stage)).toMatchObject({
        status: 'rested',
        code: 'unavailable',
        message: expect.stringMatching(/^Model "x" is not reached at "http:\/\/y"\. .*then run again/),
      });
      const { nodes, open } = stage.state();
      expect(nodes['a']).not.toHaveProperty('platformFaults');
      expect(nodes['a']).toMatchObject({ status: 'near', dispatches: 1 });
      expect(Object.values(open).map(({ phase }) => phase)).toEqual(['held']);
    });
  }, 120_000);

  test('three silent messages end an agent as wild, and the second wild end halts the stage', async () => {
    await onServer({ server, first: one, behaviour: { message: () => 'silent' } }, async (stage) => {
      expect(await outcomeOf(stage)).toMatchObject({ status: 'halted' });
      expect(stage.eventsOf('returned').map(({ result }) => result.status)).toEqual(['wild', 'wild']);
    });
  });

  test('a seal is refused while a suite is red on the whole tree, and names the node', async () => {
    const behaviour = { sealGate: () => gate({ verdict: 'FAIL' }) };
    const options = { limits: { managerMaxTurns: 4, drainTurn: 2 } };
    await onServer({ server, first: one, behaviour, options }, async (stage) => {
      expect((await outcomeOf(stage)).status).not.toBe('sealed');
      const [refused] = stage.eventsOf('seal_refused');
      expect(refused?.blockers).toMatchObject([{ code: 'GATE_FAILED', nodeId: 'a' }]);
    });
  });

  test('every activity, timer and child has a summary that a person can read, within 200 bytes', async () => {
    await onServer({ server, first: one }, async (stage) => {
      await outcomeOf(stage);
      const handles = [stage.handle, ...stage.children().map((id) => stage.client.workflow.getHandle(id))];
      const summaries: string[] = [];
      for (const handle of handles) {
        const { events } = await handle.fetchHistory();
        for (const event of events ?? []) {
          const scheduled =
            event.activityTaskScheduledEventAttributes ??
            event.startChildWorkflowExecutionInitiatedEventAttributes;
          if (scheduled === undefined || scheduled === null) continue;
          const bytes = event.userMetadata?.summary?.data;
          summaries.push(
            bytes === undefined || bytes === null
              ? 'none'
              : String(JSON.parse(Buffer.from(bytes).toString('utf8'))),
          );
        }
      }
      expect(summaries.filter((summary) => summary === 'none')).toEqual([]);
      expect(Math.max(...summaries.map((summary) => Buffer.byteLength(summary)))).toBeLessThanOrEqual(
        SUMMARY_MAX_BYTES,
      );
      expect(summaries).toEqual(
        expect.arrayContaining([
          'Open stage core',
          'test author of a',
          'builder of a',
          'Shadow and first model call of builder of a',
          'Tools, turn 1',
          'Gate, attempt 1 of builder of a',
          'Commit code of a',
          'Seal check of a',
        ]),
      );
    });
  });
});
