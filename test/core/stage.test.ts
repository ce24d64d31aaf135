import { describe, expect, test } from '@jest/globals';
import { foldEvents } from '../../core/stage/fold.ts';
import { emptyState } from '../../core/stage/draft.ts';
import { oid, seeded, seedNode, StageWorld } from '../support/stage-world.ts';

describe('decide()', () => {
  test('builds two nodes to a sealed stage without a single turn', () => {
    const world = new StageWorld(
      seeded([seedNode('a'), seedNode('b', { structural: ['a'], assumption: ['a'] })]),
    );
    world.open();
    world.runWell();
    expect(world.state.run).toMatchObject({ phase: 'sealed', turn: 0 });
    expect(world.state.stages['core']?.status).toBe('sealed');
    expect(world.state.nodes['b']).toEqual({
      stage: 'core',
      status: 'grounded',
      structural: ['a'],
      assumption: ['a'],
      suite: 1,
      suiteMax: 1,
      dispatches: 2,
      done: { tree: oid(7), dispatchId: 'b.b4' },
    });
    expect(foldEvents(emptyState, world.events)).toEqual(world.state);
    expect(world.commands).toEqual([
      { kind: 'close', status: 'sealed', code: 'SEALED', message: 'Every node is grounded or provisional' },
    ]);
  });
});
