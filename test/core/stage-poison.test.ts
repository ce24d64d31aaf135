import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { emptyState } from '../../core/stage/draft.ts';
import { foldEvents } from '../../core/stage/fold.ts';
import { victimsOf } from '../../core/stage/poison.ts';
import { canBecome, transitions } from '../../core/stage/transitions.ts';
import type { StageState } from '../../core/stage/types.ts';
import { seeded, seedNode } from '../support/stage-world.ts';

const poisoned = (root: string) =>
  ({ type: 'poisoned', data: { root, cause: 'by_hand', detail: '' } }) as const;
const healed = (root: string) => ({ type: 'healed', data: { root } }) as const;

describe('poison and heal', () => {
  test('a sealed stage is warned about, not rewritten', () => {
    const stages = [
      { id: 'core', name: 'core', kind: 'pure' as const },
      { id: 'app', name: 'app', kind: 'io' as const },
    ];
    const start = foldEvents(emptyState, [
      seeded([seedNode('a'), seedNode('b', { stage: 'app', assumption: ['a'] })], stages),
    ]);
    const app = start.stages['app'];
    if (app === undefined) throw new Error('no stage');
    const state: StageState = { ...start, stages: { ...start.stages, app: { ...app, status: 'sealed' } } };
    expect(victimsOf(state, 'a')).toEqual([]);
    expect(foldEvents(state, [poisoned('a')]).nodes).toMatchObject({
      a: { root: true },
      b: { status: 'near' },
    });
  });

  test('healing restores exactly what poisoning took, in any order of roots', () => {
    const edges = fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 8, maxLength: 8 });
    const roots = fc.uniqueArray(fc.nat(7), { maxLength: 4 });
    fc.assert(
      fc.property(edges, roots, roots, (lists, first, order) => {
        const nodes = lists.map((list, at) =>
          seedNode(`n${at}`, { structural: list.filter((to) => to < at).map((to) => `n${to}`) }),
        );
        const before = foldEvents(emptyState, [seeded(nodes)]);
        const falling = first.map((at) => `n${at}`);
        const healing = [...falling].sort(
          (left, right) => order.indexOf(Number(left[1])) - order.indexOf(Number(right[1])),
        );
        const after = foldEvents(before, [...falling.map(poisoned), ...healing.map(healed)]);
        expect(after.nodes).toEqual(before.nodes);
      }),
    );
  });

  test('transitions are those of the seed', () => {
    expect(canBecome('grounded', 'poisoned')).toBe(true);
    expect(transitions).toEqual({
      near: ['provisional', 'grounded', 'suspended', 'poisoned'],
      provisional: ['grounded', 'suspended', 'poisoned'],
      grounded: ['poisoned'],
      suspended: ['near', 'provisional', 'grounded', 'poisoned'],
      poisoned: ['near'],
    });
  });
});
