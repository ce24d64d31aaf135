import { describe, expect, test } from '@jest/globals';
import type { ManagerAction } from '../../schemas/actions.ts';
import { checkAction } from '../../core/stage/check-action.ts';
import { llm, dispatch, answer, input, world } from '../support/stage-actions.ts';
import { StageWorld, digest, gate, oid, seeded, seedNode, submitted } from '../support/stage-world.ts';

describe('the branch moves under a commit', () => {
  test('head_moved gates again on the new head and commits with the new report', () => {
    const it = world();
    it.writeSuite();
    it.returns(submitted());
    const intentId = it.takeCommand('commit')?.intent.intentId ?? '';
    it.send({ kind: 'commit_finished', intentId, result: { status: 'head_moved', head: oid(99) } });
    expect(it.state.gates).toMatchObject({ 'a.g3': { reason: 'head_moved', baseCommit: oid(99) } });
    it.finishGate(gate({ reportDigest: digest(77) }));
    expect(it.state.intent?.intentId).not.toBe(intentId);
    expect(it.state.intent).toMatchObject({
      reportDigest: digest(77),
      expectedHead: oid(99),
      baseCommit: oid(99),
    });
  });

  test('head_moved that names the head it was gated on is not gated again for ever', () => {
    const it = world();
    it.writeSuite();
    it.returns(submitted());
    const intent = it.takeCommand('commit')?.intent;
    const head = intent?.baseCommit ?? null;
    it.send({
      kind: 'commit_finished',
      intentId: intent?.intentId ?? '',
      result: { status: 'head_moved', head },
    });
    expect(it.state.gates).toEqual({});
    expect(it.last('commit_refused')).toMatchObject({ nodeId: 'a', reason: 'not_pass' });
    expect(it.last('suspended')).toMatchObject({ nodeId: 'a', type: 'wild' });
  });

  test('a dirty work tree rests the stage and keeps the work', () => {
    const it = world();
    it.returns(submitted());
    const intentId = it.takeCommand('commit')?.intent.intentId ?? '';
    it.send({ kind: 'commit_finished', intentId, result: { status: 'dirty', paths: ['x'] } });
    expect(it.state.run).toMatchObject({ phase: 'rested', ending: { code: 'DIRTY_TREE' } });
    it.open({}, { lifecycle: 'resumed' });
    expect(it.state.intent?.nodeId).toBe('a');
  });

  test('a node above a provisional one is gated again without a model once that is grounded', () => {
    const it = world([seedNode('a'), seedNode('b', { structural: ['a'] })], llm);
    it.writeSuite();
    it.returns(submitted({ status: 'provisional' }));
    it.commit();
    expect(it.state.nodes['a']).toMatchObject({ status: 'provisional', cap: 'claim' });
    it.writeSuite();
    it.returns(submitted());
    it.commit();
    expect(it.state.nodes['b']).toMatchObject({ status: 'provisional', cap: 'deps' });
    expect(checkAction(it.state, dispatch('b'))).toMatchObject({ code: 'NOT_READY' });
  });

  test('the provisional depth limit holds back what lies above', () => {
    const nodes = [
      seedNode('a', { weight: 'none' }),
      seedNode('b', { structural: ['a'] }),
      seedNode('c', { structural: ['b'] }),
    ];
    const it = world(nodes, { manager: 'llm', limits: { provisionalDepthLimit: 2 } });
    for (let each = 0; each < 2; each += 1) {
      it.writeSuite();
      it.returns(submitted());
      it.commit();
    }
    expect(it.state.nodes['b']?.status).toBe('provisional');
    expect(checkAction(it.state, dispatch('c', 'test_author'))).toMatchObject({ code: 'NOT_READY' });
  });
});

describe('turns and modes', () => {
  test('a rejection costs a turn, has no effect and stands on the board until resolved', () => {
    const it = world([seedNode('a'), seedNode('b')], { manager: 'llm', limits: { inFlightMax: 1 } });
    const { nodes } = it.state;
    answer(it, dispatch('a'));
    expect(it.state.nodes).toEqual(nodes);
    expect(it.state.run).toMatchObject({ turn: 1, lastError: expect.stringContaining('no locked suite') });
    answer(it, dispatch('a', 'test_author'));
    expect(it.state.run).toMatchObject({ turn: 2, lastError: null });
    expect(checkAction(it.state, dispatch('b', 'test_author'))).toMatchObject({ code: 'NO_FREE_SLOT' });
  });

  test('a forced move leaves the last error for the manager to resolve', () => {
    const it = world([seedNode('a'), seedNode('b')], { manager: 'llm', limits: { inFlightMax: 1 } });
    answer(it, dispatch('a', 'test_author'));
    answer(it, dispatch('b', 'test_author'));
    expect(it.state.run).toMatchObject({ turn: 2, lastError: expect.stringContaining('slots are taken') });
    it.returns(submitted());
    expect(it.state.intent?.nodeId).toBe('a');
    expect(it.state.run).toMatchObject({ turn: 2, lastError: expect.stringContaining('slots are taken') });
  });

  test('drain finishes what is in flight and then halts when it cannot seal', () => {
    const it = world([seedNode('a'), seedNode('b')], {
      manager: 'llm',
      limits: { inFlightMax: 1, drainTurn: 1 },
    });
    answer(it, dispatch('a', 'test_author'));
    expect(it.state.run?.mode).toBe('drain');
    expect(checkAction(it.state, dispatch('b', 'test_author'))).toMatchObject({ code: 'MODE_DRAIN' });
    it.writeSuite();
    expect(it.state.run?.phase).toBe('halted');
    expect(it.last('halting')?.reason).toMatch('draining');
  });

  test('an answer to a turn that is gone is only paid for', () => {
    const it = world([seedNode('a'), seedNode('b')], { manager: 'llm', limits: { inFlightMax: 1 } });
    const action = dispatch('a', 'test_author');
    it.send({
      kind: 'manager_answered',
      turn: 7,
      answer: { kind: 'action', action },
      callKey: 'k',
      costMicroUsd: 9,
    });
    expect(it.state.run).toMatchObject({ turn: 0, spentMicroUsd: 9, lastError: null });
  });

  test('every ready node that fits the free slots is dispatched without a turn', () => {
    const it = world([seedNode('a'), seedNode('b')], llm);
    expect(Object.keys(it.state.open)).toEqual(['a.t1', 'b.t2']);
    expect(it.state.run?.turn).toBe(0);
  });

  test('CONSULT is answered for one turn', () => {
    const it = world([seedNode('a'), seedNode('b')], { manager: 'llm', limits: { inFlightMax: 1 } });
    const consult: ManagerAction = { action_type: 'CONSULT', parameters: { question: 'Which?' } };
    answer(it, consult);
    expect(checkAction(it.state, consult)).toMatchObject({ code: 'CONSULT_OPEN' });
    it.send({ kind: 'consult_answered', verdict: 'a', callKey: null, costMicroUsd: 1 });
    expect(checkAction(it.state, consult)).toMatchObject({ code: 'CONSULT_OPEN' });
    answer(it, { action_type: 'UPDATE_PLAN', parameters: { narrative: 'n', checklist: [] } });
    expect(it.state.run?.consult).toBeNull();
  });
});

describe('answers of a manager that are no action', () => {
  const garble = (it: ReturnType<typeof world>): void => {
    const turn = it.state.run?.turn ?? 0;
    const answer = { kind: 'garbage', text: '?', reason: 'no tool call' } as const;
    it.send({ kind: 'manager_answered', turn, answer, callKey: 'k', costMicroUsd: 1 });
  };

  test('keep the verdict of a CONSULT for the answer that reads it', () => {
    const it = world([seedNode('a'), seedNode('b')], { ...llm, limits: { inFlightMax: 1 } });
    answer(it, { action_type: 'CONSULT', parameters: { question: 'Which?' } });
    it.send({ kind: 'consult_answered', verdict: 'a first', callKey: null, costMicroUsd: 1 });
    garble(it);
    expect(it.state.run).toMatchObject({
      consult: { status: 'answered', verdict: 'a first' },
      unreadable: 1,
    });
    answer(it, dispatch('a', 'test_author'));
    expect(it.state.run?.consult).toBeNull();
    expect(it.state.run?.unreadable).toBeUndefined();
  });

  test('halt the stage when three come in a row', () => {
    const it = world([seedNode('a'), seedNode('b')], { ...llm, limits: { inFlightMax: 1 } });
    garble(it);
    garble(it);
    expect(it.state.run).toMatchObject({ phase: 'running', lastError: 'Answer is no action: no tool call' });
    garble(it);
    expect(it.state.run).toMatchObject({ phase: 'halted', ending: { code: 'MANAGER_UNREADABLE' } });
  });
});

test('a text where a person decides is read at once, and holds no forced move back', () => {
  const it = world([seedNode('a')], { manager: 'human' });
  it.send(input({ kind: 'text', text: 'typed into the wrong window' }));
  expect(it.events.at(-1)).toMatchObject({ type: 'input_consumed', data: { outcome: 'read' } });
  it.writeSuite();
  it.returns(submitted());
  it.commit();
  it.seal();
  expect(it.state.run?.phase).toBe('sealed');
});

test('a move that a person types wrongly is told on the board and spends no turn', () => {
  const it = world([seedNode('a'), seedNode('b')], { manager: 'human', limits: { inFlightMax: 1 } });
  it.send(input({ id: 'i1', kind: 'action', action: dispatch('a') }));
  expect(it.state.run).toMatchObject({ turn: 0, lastError: expect.stringContaining('no locked suite') });
  it.send(input({ id: 'i2', kind: 'action', action: dispatch('a', 'test_author') }));
  expect(it.state.run).toMatchObject({ turn: 1, lastError: null });
});

describe('SEAL over a suspended node', () => {
  test('is refused while a node of a later stage needs it, and allowed where none does', () => {
    const stages = ['core', 'app'].map((id) => ({ id, name: id, kind: 'io' as const }));
    const nodes = [seedNode('a'), seedNode('b', { stage: 'app', structural: ['a'] })];
    const it = new StageWorld(seeded(nodes, stages));
    it.open({ ...llm, strictTurns: true });
    it.send(input({ kind: 'action', action: suspend('a') }));
    expect(checkAction(it.state, seal)).toMatchObject({
      code: 'SEAL_BLOCKED',
      blockers: [{ code: 'NODE_NEEDED', nodeId: 'a', detail: 'it is suspended, and "b" needs it' }],
    });
    const alone = world([seedNode('a')], { ...llm, strictTurns: true });
    alone.send(input({ kind: 'action', action: suspend('a') }));
    expect(checkAction(alone.state, seal)).toEqual({ status: 'ok' });
  });
});

const seal: ManagerAction = { action_type: 'SEAL', parameters: { summary: 'done' } };
const suspend = (node_id: string): ManagerAction => ({
  action_type: 'SUSPEND',
  parameters: { node_id, type: 'void', detail: 'not now' },
});
