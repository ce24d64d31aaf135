import { describe, expect, test } from '@jest/globals';
import { checkAction } from '../../core/stage/check-action.ts';
import { llm, dispatch, redispatch, commit, answer, input, world } from '../support/stage-actions.ts';
import { digest, failed, gate, oid, seedNode, submitted, usage } from '../support/stage-world.ts';

describe('a suite comes before its code', () => {
  test('a test author is sent first, its commit locks the suite and keeps the node near', () => {
    const it = world();
    expect(it.last('dispatched')?.record).toMatchObject({
      dispatchId: 'a.t1',
      role: 'test_author',
      suite: 0,
      attempt: 0,
    });
    it.writeSuite();
    expect(it.state.nodes['a']).toMatchObject({ status: 'near', suite: 1 });
    expect(it.last('dispatched')?.record).toMatchObject({ dispatchId: 'a.b2', role: 'builder', suite: 1 });
  });

  test('DISPATCH of a builder without a suite and of a second author are refused', () => {
    const it = world([seedNode('a')], { ...llm, strictTurns: true });
    expect(checkAction(it.state, dispatch('a'))).toMatchObject({ code: 'ROLE_ORDER' });
    answer(it, dispatch('a', 'test_author'));
    it.returns(submitted());
    answer(it, { action_type: 'VALIDATE', parameters: { node_id: 'a' } });
    answer(it, commit('a'));
    it.commit();
    expect(checkAction(it.state, dispatch('a', 'test_author'))).toMatchObject({ code: 'ROLE_ORDER' });
    expect(checkAction(it.state, dispatch('a'))).toEqual({ status: 'ok' });
    expect(it.state.run?.turn).toBe(3);
  });

  test('tests: none sends a builder at once and caps it at provisional', () => {
    const it = world([seedNode('a', { noTests: true })]);
    it.returns(submitted());
    expect(it.state.intent?.kind).toBe('provisional');
    it.commit();
    expect(it.state.nodes['a']).toMatchObject({ status: 'provisional', cap: 'weight' });
    expect(it.state.run?.phase).toBe('sealing');
  });

  test('a Mode B author without exports or contract is wild', () => {
    const it = world([seedNode('a', { mode: 'B' })]);
    it.returns(submitted({ exports: [], testContract: null }));
    expect(it.last('validation_failed')?.reason).toMatch(
      'no exports for a Mode B contract, no test contract',
    );
    expect(it.last('suspended')).toMatchObject({ type: 'wild' });
  });
});

describe('status is earned', () => {
  test('a return without PASS is wild, the second wild of a node halts', () => {
    const it = world();
    it.returns(submitted({ gate: gate({ verdict: 'FAIL' }) }));
    expect(it.state.nodes['a']).toMatchObject({ wild: 1 });
    it.returns({ status: 'wild', reason: 'silence', iterationsUsed: 1, usage });
    expect(it.state.nodes['a']).toMatchObject({ status: 'suspended', reason: 'wild', wild: 2 });
    expect(it.last('halting')).toMatchObject({ invariant: 'WILD_RECURRENCE' });
    expect(it.state.run?.phase).toBe('halted');
    it.open(llm, { lifecycle: 'resumed' });
    expect(checkAction(it.state, redispatch('a', 'test_author'))).toMatchObject({
      invariant: 'WILD_RECURRENCE',
    });
    it.send(input({ kind: 'action', action: redispatch('a', 'test_author') }));
    expect(it.last('dispatched')?.record).toMatchObject({ nodeId: 'a', role: 'test_author', attempt: 2 });
  });

  test('a PASS of contract checks alone permits provisional', () => {
    const it = world();
    it.writeSuite();
    it.returns(submitted({ gate: gate({ level: 'L0' }) }));
    expect(it.state.intent?.kind).toBe('provisional');
  });

  test('DISPATCH with weight none caps the node at provisional until it is dispatched without it', () => {
    const it = world([seedNode('a'), seedNode('b', { structural: ['a'] })], llm);
    it.writeSuite();
    it.returns(failed({ suspect: 'code' }));
    const ordered = redispatch('a');
    answer(it, { ...ordered, parameters: { ...ordered.parameters, weight: 'none' } } as typeof ordered);
    it.returns(submitted());
    expect(it.state.intent?.kind).toBe('provisional');
    expect(checkAction({ ...it.state, intent: null }, commit('a', 'grounded'))).toMatchObject({
      code: 'COMMIT_STATUS',
    });
    it.commit();
    expect(it.state.nodes['a']).toMatchObject({ status: 'provisional', cap: 'claim' });
    answer(it, redispatch('a'));
    it.writeSuite(); // of b, which was sent meanwhile
    it.returns(submitted());
    it.commit();
    expect(it.state.nodes['a']).toMatchObject({ status: 'grounded' });
  });

  test('code that was ordered with weight none stays capped when a new suite lets it through', () => {
    const it = world([seedNode('a')], llm);
    it.writeSuite();
    it.returns(failed({ suspect: 'code' }));
    const ordered = redispatch('a');
    answer(it, { ...ordered, parameters: { ...ordered.parameters, weight: 'none' } } as typeof ordered);
    it.returns(failed({ suspect: 'suite', tree: oid(8) }));
    it.writeSuite();
    it.finishGate(gate({ reportDigest: digest(50) }));
    it.commit();
    expect(it.state.nodes['a']).toMatchObject({ status: 'provisional', cap: 'claim' });
  });

  test('COMMIT as grounded above a cap, as poisoned, and before VALIDATE is refused', () => {
    const it = world([seedNode('a', { weight: 'none' })], llm);
    it.writeSuite();
    expect(checkAction(it.state, commit('a'))).toMatchObject({ code: 'NOT_VALIDATED' });
    it.returns(submitted());
    const open = { ...it.state, intent: null };
    expect(checkAction(open, commit('a', 'grounded'))).toMatchObject({ code: 'COMMIT_STATUS' });
    expect(checkAction(open, commit('a', 'poisoned'))).toMatchObject({ code: 'COMMIT_STATUS' });
    expect(checkAction(open, commit('a', 'provisional'))).toEqual({ status: 'ok' });
    expect(checkAction(it.state, commit('a'))).toMatchObject({ code: 'COMMIT_OPEN' });
  });
});

describe('failure', () => {
  test('poisons dependents, and REDISPATCH of the root restores what it took', () => {
    const it = world(
      [seedNode('a'), seedNode('b', { structural: ['a'] }), seedNode('c', { assumption: ['b'] })],
      llm,
    );
    it.returns(failed());
    expect(it.state.nodes['b']).toMatchObject({ status: 'poisoned', heldBy: ['a'], was: { status: 'near' } });
    expect(it.state.nodes['c']).toMatchObject({ status: 'poisoned', heldBy: ['a'] });
    expect(checkAction(it.state, redispatch('b'))).toMatchObject({ code: 'NODE_STATUS' });
    const before = it.state.nodes['b'];
    answer(it, redispatch('a', 'test_author'));
    expect(before?.status).toBe('poisoned');
    expect(it.state.nodes['b']).toEqual({ stage: 'core', status: 'near', structural: ['a'] });
    expect(it.last('dispatched')?.record).toMatchObject({ attempt: 1, role: 'test_author' });
  });

  test('the retry budget halts the stage at REDISPATCH, not before', () => {
    const it = world([seedNode('a', { maxRetries: 1 })], llm);
    it.returns(failed());
    answer(it, redispatch('a', 'test_author'));
    it.returns(failed());
    expect(it.state.run?.phase).toBe('running');
    answer(it, redispatch('a', 'test_author'));
    expect(it.last('halting')).toMatchObject({ invariant: 'RETRY_BUDGET' });
  });

  test('a suspect suite poisons nobody, and the policy sends its author again', () => {
    const it = world([seedNode('a'), seedNode('b', { structural: ['a'] })]);
    it.writeSuite();
    it.returns(failed({ suspect: 'suite' }));
    expect(it.state.nodes['b']?.status).toBe('near');
    expect(it.last('suite_released')).toEqual({ nodeId: 'a', version: 1 });
    expect(it.last('dispatched')?.record).toMatchObject({ role: 'test_author' });
    it.writeSuite();
    expect(it.state.nodes['a']).toMatchObject({ suite: 2, suiteMax: 2 });
    const command = it.commands.find((each) => each.kind === 'regate');
    expect(command).toMatchObject({
      gate: { reason: 'new_suite', tree: oid(8), suite: 2, dispatchId: 'a.b2' },
    });
    it.finishGate(gate({ reportDigest: digest(50) }));
    it.commit();
    expect(it.state.nodes['a']).toMatchObject({ status: 'grounded', dispatches: 3 });
  });

  test("the builder's last tree that fails a new suite charges nobody: a builder is sent", () => {
    const it = world();
    it.writeSuite();
    it.returns(failed({ suspect: 'suite' }));
    it.writeSuite();
    it.finishGate(gate({ verdict: 'FAIL' }));
    expect(it.state.nodes['a']).toMatchObject({ status: 'near' });
    expect(it.last('dispatched')?.record).toMatchObject({ role: 'builder', attempt: 0 });
  });

  test('platform faults are charged to nobody and bounded', () => {
    const it = world();
    const lost = { status: 'platform', reason: 'engine gone', usage } as const;
    it.returns(lost);
    it.returns(lost);
    expect(it.state.nodes['a']).toMatchObject({ status: 'near', platformFaults: 2 });
    it.returns(lost);
    expect(it.last('suspended')).toMatchObject({ type: 'near' });
  });

  test('a refused key rests the stage before any counter moves', () => {
    const it = world();
    it.returns({ status: 'rested', code: 'auth', message: 'no', usage });
    expect(it.state.run).toMatchObject({ phase: 'rested', turn: 0 });
    expect(it.state.nodes['a']).toEqual({ stage: 'core', status: 'near', dispatches: 1 });
    it.open({}, { lifecycle: 'resumed' });
    expect(it.last('dispatch_restarted')).toMatchObject({ dispatchId: 'a.t1', why: 'resumed' });
    it.runWell();
    expect(it.state.run?.phase).toBe('sealed');
  });
});
