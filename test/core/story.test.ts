import { describe, expect, test } from '@jest/globals';
import { storyOf } from '../../core/ledger/story.ts';
import { budgetText, higherCapIn } from '../../core/stage/agent-result.ts';
import { policyAction } from '../../core/stage/policy.ts';
import { whyNode } from '../../core/stage/why.ts';
import { emptyDoc } from '../../core/ledger/session-doc.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import { LedgerLine } from '../../schemas/ledger.ts';
import { input as humanInput, world } from '../support/stage-actions.ts';
import { digest, failed, seedNode, submitted, usage } from '../support/stage-world.ts';

function told(event: LedgerEvent): string | null {
  const line = { seq: 1, at: '2026-01-01T00:00:00.000Z', run: 1, fence: 1, prev: digest(1), hash: digest(2) };
  return storyOf(LedgerLine.parse({ ...line, ...event }));
}

describe('storyOf()', () => {
  test('tells the attempts that the gate refused before the accepted one', () => {
    const of = (attempts?: number): string | null =>
      told({
        type: 'returned',
        data: {
          nodeId: 'a.b',
          dispatchId: 'a.b.b1',
          result: { ...submitted(), ...(attempts !== undefined && { attempts }) },
        },
      });
    expect(of()).toBe('a.b: work accepted by the gate after 3 turns');
    expect(of(3)).toBe('a.b: work accepted by the gate at attempt 3 (2 refused), after 3 turns');
  });

  test("names what is suspected only where it is not the agent's own work", () => {
    const of = (suspect: 'code' | 'suite'): string | null => {
      const result = failed({ reasons: ['a test failed'], attempts: 3, suspect });
      return told({ type: 'returned', data: { nodeId: 'a.b', dispatchId: 'a.b.t1', result } });
    };
    expect(of('code')).toBe('a.b: not accepted after 3 attempts: a test failed');
    expect(of('suite')).toBe('a.b: not accepted after 3 attempts (suspect: suite): a test failed');
  });

  test.each([
    ['halt', 'lunch', null, 'ana asks to halt: lunch'],
    ['text', 'prefer integers', null, 'ana says: prefer integers'],
    ['answer', 'half up', 'a.b', 'ana answers a.b: half up'],
  ] as const)("tells a person's %s in words", (kind, text, nodeId, expected) => {
    const input = { id: 'i', by: 'ana', kind, text, nodeId, action: null };
    expect(told({ type: 'input_received', data: { input } })).toBe(expected);
  });

  test('tells a move that came as an object, without a text', () => {
    const action = { action_type: 'DISPATCH', parameters: { node_id: 'a.b', role: 'builder' } } as const;
    const input = { id: 'i', by: 'ana', kind: 'action', text: '', nodeId: null, action } as const;
    expect(told({ type: 'input_received', data: { input } })).toBe('ana says: DISPATCH a.b role=builder');
  });
});

describe('budgetText()', () => {
  test.each([
    ['micro_usd', 10_000, 20_000, 50_000, '--max-cost 0.06'],
    ['micro_usd', 1_990_000, 2_000_000, 30_000, '--max-cost 4'],
    ['tokens', 900, 1_000, 500, '--max-tokens 2000'],
  ] as const)(
    'ends with the flag that goes on: %s %d of %d, next %d',
    (unit, spent, cap, worstCase, flag) => {
      const text = budgetText({ unit, spent, cap, worstCase });
      expect(text).toContain(`Go on with ${flag}`);
      expect(higherCapIn(text)).toBe(flag);
    },
  );

  test('higherCapIn() finds none in another message', () => {
    expect(higherCapIn('Spent all of it')).toBeNull();
  });
});

test('a node that somebody suspended is told with the move that takes it up again', () => {
  const it = world([seedNode('a.b')], { manager: 'human' });
  it.returns({ status: 'wild', reason: 'silence', iterationsUsed: 1, usage });
  const parameters = { node_id: 'a.b', type: 'near', detail: 'later' } as const;
  it.send(humanInput({ kind: 'action', action: { action_type: 'SUSPEND', parameters } }));
  expect(whyNode({ ...emptyDoc, state: it.state }, 'a.b').nextStep).toBe(
    'a7-rt act SESSION REDISPATCH NODE role=test_author manager_note="what is different now"',
  );
});

test('a node whose stage reached its cap is told with the cap that goes on', () => {
  const { state } = world([seedNode('a.b')]);
  const message = budgetText({ unit: 'micro_usd', spent: 0, cap: 30_000, worstCase: 54_700 });
  const run = {
    ...state.run,
    phase: 'rested',
    ending: { code: 'BUDGET_REACHED', message },
  } as typeof state.run;
  expect(whyNode({ ...emptyDoc, state: { ...state, run } }, 'a.b').nextStep).toBe(
    'a7-rt run SESSION --max-cost 0.06',
  );
});

describe('a node at its bound', () => {
  test('is told with the way that is left, and the policy halts in words', () => {
    const it = world([seedNode('a.b'), seedNode('a.c', { structural: ['a.b'] })]);
    it.returns({ status: 'wild', reason: 'silence', iterationsUsed: 1, usage });
    const first = whyNode({ ...emptyDoc, state: it.state }, 'a.b');
    expect(first.nextStep ?? '').not.toContain('contracts.yaml');
    it.returns({ status: 'wild', reason: 'silence', iterationsUsed: 1, usage });
    const why = whyNode({ ...emptyDoc, state: it.state }, 'a.b');
    expect(why.nextStep).toBe(
      'a7-rt act SESSION REDISPATCH NODE role=test_author manager_note="what is different now", or correct NODE in SESSION/contracts.yaml and a7-rt seed SESSION; then a7-rt run SESSION',
    );
    expect(why.reasons[0]).toMatch(/^suspended \(wild\)/);
    expect(
      policyAction({
        ...it.state,
        nodes: { ...it.state.nodes, 'a.b': { ...it.state.nodes['a.b'], reason: 'void' } as never },
      }),
    ).toMatchObject({
      action_type: 'HALT',
      parameters: {
        reason: 'Nothing more can be done by the policy: "a.c" is not built, "a.b" is suspended',
      },
    });
  });
});
