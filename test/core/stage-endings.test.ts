import { describe, expect, test } from '@jest/globals';
import { checkAction } from '../../core/stage/check-action.ts';
import { describeStage } from '../../core/stage/describe.ts';
import { decide } from '../../core/stage/decide.ts';
import { emptyDoc } from '../../core/ledger/session-doc.ts';
import { emptyState } from '../../core/stage/draft.ts';
import { readyNodes } from '../../core/stage/ready.ts';
import { sealBlockers } from '../../core/stage/seal.ts';
import { whyNode } from '../../core/stage/why.ts';
import { llm, dispatch, input, answer, world } from '../support/stage-actions.ts';
import { gate, oid, seeded, seedNode, StageWorld, submitted, usage } from '../support/stage-world.ts';

describe('SEAL', () => {
  test('lists every blocker', () => {
    const it = world([seedNode('a'), seedNode('b', { assumption: ['a'] })], llm);
    expect(sealBlockers(it.state).map((each) => `${each.nodeId} ${each.code}`)).toEqual([
      'a NODE_NEAR',
      'a IN_FLIGHT',
      'b NODE_NEAR',
      'b IN_FLIGHT',
      'b UNVERIFIED_ASSUMPTION',
    ]);
  });

  test('a suite that fails on the whole tree poisons its node', () => {
    const it = world([seedNode('a')], llm);
    it.writeSuite();
    it.returns(submitted());
    it.commit();
    it.seal({ a: gate({ verdict: 'FAIL' }) });
    expect(it.last('seal_refused')?.blockers).toMatchObject([{ code: 'GATE_FAILED', nodeId: 'a' }]);
    expect(it.state.nodes['a']).toMatchObject({ root: true });
  });

  describe("the project's own gate plan", () => {
    const digest = `sha256:${'7'.repeat(64)}`;
    const failing = {
      verdict: 'FAIL' as const,
      isPlatform: false,
      reportDigest: digest,
      reason: 'L1 Command "unit" ended with exit code 1',
    };
    const planned = (stages?: Parameters<typeof seeded>[1], manager = 'llm'): StageWorld => {
      const event = seeded([seedNode('a')], stages);
      if (event.type !== 'seeded') throw new Error('a seed was expected');
      const it = new StageWorld({ ...event, data: { ...event.data, projectPlan: digest } });
      it.open({ manager });
      it.writeSuite();
      it.returns(submitted());
      it.commit();
      return it;
    };

    test('rests a stage that fails it, with command and cause; the next run asks it again', () => {
      const it = planned();
      expect(it.commands.find((command) => command.kind === 'check_seal')).toMatchObject({ project: true });
      it.seal({}, failing);
      expect(it.last('seal_refused')?.blockers).toMatchObject([{ code: 'PROJECT_FAILED', nodeId: null }]);
      expect(it.last('rested')).toMatchObject({
        code: 'PROJECT_FAILED',
        message: expect.stringContaining('Command "unit" ended with exit code 1') as unknown,
      });
      expect(it.state.nodes['a']?.status).toBe('grounded');
      expect(whyNode({ ...emptyDoc, state: it.state }, 'a').reasons[0]).toContain('Command "unit"');
      it.open(llm, { lifecycle: 'resumed' });
      it.seal({}, { ...failing, verdict: 'PASS', reason: '' });
      expect(it.state.stages['core']?.status).toBe('sealed');
    });

    test('is asked again, a bounded number of times, where the machine could not judge it', () => {
      const it = planned(undefined, 'policy');
      for (let round = 0; round < 20 && it.last('rested') === null; round += 1) {
        it.seal({}, round % 2 === 0 ? null : { ...failing, verdict: 'INVALID', isPlatform: true });
      }
      expect(it.last('rested')).toMatchObject({ code: 'SEAL_UNVERIFIED' });
    });

    test('a seal that was not judged at all says why', () => {
      const it = planned(undefined, 'policy');
      for (let round = 0; round < 20 && it.last('rested') === null; round += 1) {
        const command = it.takeCommand('check_seal');
        if (command === null) throw new Error('no seal was asked for');
        it.send({
          kind: 'seal_checked',
          head: it.state.head,
          verdicts: { a: gate({ verdict: 'INVALID', fault: 'platform' }) },
          exportedInterfaces: {},
          unjudged: { a: 'no space left on device' },
        });
      }
      expect(it.last('seal_refused')?.blockers).toContainEqual({
        code: 'GATE_INVALID',
        nodeId: 'a',
        detail: 'not judged: no space left on device',
      });
      expect(it.last('rested')?.message).toContain('a: not judged: no space left on device');
    });

    test('a node that fails by itself goes first; only the last open stage asks', () => {
      const it = planned();
      it.seal({ a: gate({ verdict: 'FAIL' }) }, failing);
      expect([it.last('rested'), it.state.nodes['a']?.root]).toEqual([null, true]);
      const first = planned([
        { id: 'core', name: 'core', kind: 'pure' },
        { id: 'app', name: 'app', kind: 'io' },
      ]);
      const command = first.commands.find((each) => each.kind === 'check_seal');
      expect(command).toEqual({ kind: 'check_seal', nodeIds: ['a'] });
    });
  });

  test('an io stage waits for its pure stage', () => {
    const stages = [
      { id: 'core', name: 'core', kind: 'pure' as const },
      { id: 'app', name: 'app', kind: 'io' as const },
    ];
    const nodes = [
      seedNode('a'),
      seedNode('b', { stage: 'app', structural: ['a'] }),
      seedNode('c', { stage: 'app' }),
    ];
    const it = new StageWorld(seeded(nodes, stages));
    it.open(llm, { stage: 'app' });
    expect(readyNodes(it.state)).toEqual([]);
    expect(checkAction(it.state, dispatch('c', 'test_author'))).toMatchObject({ code: 'STAGE_KIND' });
    expect(checkAction(it.state, dispatch('a', 'test_author'))).toMatchObject({ code: 'OTHER_STAGE' });
  });

  test('a sealed stage cannot be opened', () => {
    const it = world();
    it.runWell();
    expect(() => it.open()).toThrow('it is sealed');
    expect(() => decide(emptyState, { kind: 'wake' })).toThrow('no stage run was opened');
  });
});

describe('rest', () => {
  test('why a node does not move: its stage is at rest', () => {
    const it = world();
    it.returns({ status: 'rested', code: 'AUTH', message: 'The key was refused', usage });
    expect(it.state.run?.phase).toBe('rested');
    expect(whyNode({ ...emptyDoc, state: it.state }, 'a')).toEqual({
      status: 'near',
      reasons: ['test author a.t1 is held', 'stage core is at rest: The key was refused'],
      nextStep: 'a7-rt run SESSION',
    });
  });
});

describe('people', () => {
  test('a parked agent waits for a person and goes on where it stopped', () => {
    const it = world();
    it.returns({ status: 'parked', need: 'question', detail: 'Which?', head: 'h1', tree: oid(5), usage });
    expect(it.state.run?.phase).toBe('waiting');
    expect(it.commands).toEqual([{ kind: 'await_input', nodeIds: ['a'] }]);
    // As the page of Temporal renders it: a list needs an empty line before it.
    const page = describeStage(it.state, '/s');
    expect(page).toMatch(/^\*\*core\*\* wait[^]*\n\n- [^]*\*\*waits for a person\*\*: a has a question/);
    it.send(input({ kind: 'answer', nodeId: 'a', text: 'blue' }));
    expect(it.commands.at(-1)).toMatchObject({
      kind: 'start_agent',
      record: { dispatchId: 'a.t1' },
      resume: { head: 'h1', tree: oid(5), answer: 'blue' },
    });
    expect(it.state.nodes['a']?.status).toBe('near');
  });

  test('an input is taken once', () => {
    const it = world();
    it.send(input({ kind: 'slash', text: '/poison a bad' }));
    expect(it.send(input({ kind: 'slash', text: '/poison a bad' }))).toEqual([]);
    expect(it.eventTypes().filter((type) => type === 'input_received')).toHaveLength(1);
    expect(it.last('poisoned')).toEqual({ root: 'a', cause: 'by_hand', detail: 'bad' });
  });

  test('a halt cancels agents, and ends once they are back; the resume starts the same dispatch', () => {
    const it = world();
    it.send(input({ kind: 'halt', text: 'stop' }));
    expect(it.takeCommand('cancel_agents')).toEqual({ kind: 'cancel_agents', dispatchIds: ['a.t1'] });
    expect(it.state.run?.phase).toBe('halting');
    it.returns({ status: 'cancelled', usage });
    expect(it.state.run?.phase).toBe('halted');
    const again = { kind: 'agent_returned', nodeId: 'a', dispatchId: 'a.t1', result: submitted() } as const;
    expect(decide(it.state, again).events).toEqual([]);
    it.commands = [];
    it.open({}, { lifecycle: 'resumed' });
    expect(it.commands).toMatchObject([{ kind: 'start_agent', record: { dispatchId: 'a.t1' } }]);
  });

  test('run --node builds one node with what it needs and rests', () => {
    const nodes = [seedNode('a'), seedNode('b', { structural: ['a'] }), seedNode('c')];
    const it = world(nodes, { onlyNodes: ['b'] });
    it.runWell();
    expect(it.state.run).toMatchObject({ phase: 'rested', ending: { code: 'NODES_DONE' } });
    expect(it.state.nodes).toMatchObject({
      a: { status: 'grounded' },
      b: { status: 'grounded' },
      c: { status: 'near' },
    });
  });

  test('a take-over keeps the turns and asks again for the open commit', () => {
    const it = world([seedNode('a'), seedNode('b')], { manager: 'llm', limits: { inFlightMax: 1 } });
    answer(it, dispatch('a', 'test_author'));
    it.returns(submitted());
    const intent = it.state.intent;
    it.commands = [];
    it.open(llm, { lifecycle: 'taken_over' });
    expect(it.state.run).toMatchObject({ turn: 1, lifecycle: 'taken_over' });
    expect(it.commands[0]).toEqual({ kind: 'commit', intent });
  });
});
