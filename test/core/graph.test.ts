import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dependentsIndex, edgesOf, poisonSet, reach } from '../../core/graph/edges.ts';
import { depthBelow } from '../../core/graph/order.ts';

const diamond = {
  top: { structural: ['left', 'right'] },
  left: { structural: ['base'] },
  right: { structural: ['base'], assumption: ['far'] },
  base: {},
  far: {},
};

describe('edges', () => {
  test('edgesOf() lists structural edges first, node by node', () => {
    expect(edgesOf(diamond)).toEqual([
      { from: 'top', to: 'left', kind: 'structural' },
      { from: 'top', to: 'right', kind: 'structural' },
      { from: 'left', to: 'base', kind: 'structural' },
      { from: 'right', to: 'base', kind: 'structural' },
      { from: 'right', to: 'far', kind: 'assumption' },
    ]);
  });

  test('dependentsIndex() names a dependent once, also with both kinds of edge', () => {
    const graph = { a: {}, b: { structural: ['a'], assumption: ['a'] } };
    expect(dependentsIndex(graph, ['structural', 'assumption'])).toEqual(new Map([['a', ['b']]]));
    expect(dependentsIndex(graph, ['assumption'])).toEqual(new Map([['a', ['b']]]));
  });

  test('poisonSet() follows both kinds of edges and leaves the root out', () => {
    expect(poisonSet(diamond, 'far')).toEqual(['right', 'top']);
    expect(poisonSet(diamond, 'base')).toEqual(['left', 'right', 'top']);
    expect(poisonSet({ a: { assumption: ['b'] }, b: { assumption: ['a'] } }, 'a')).toEqual(['b']);
  });
});

describe('order', () => {
  test('depthBelow() counts the longest chain of counted nodes', () => {
    const chain = {
      a: {},
      b: { structural: ['a'] },
      c: { structural: ['b', 'a'] },
      d: { structural: ['c'] },
    };
    expect(depthBelow(chain, 'd', () => true)).toBe(3);
    expect(depthBelow(chain, 'd', (id) => id !== 'b')).toBe(2);
    expect(depthBelow(chain, 'd', (id) => id !== 'c')).toBe(0);
  });

  test('a chain of 10,000 nodes overflows nothing', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`n${at}`, { structural: at === 0 ? [] : [`n${at - 1}`] }]),
    );
    expect(poisonSet(chain, 'n0')).toHaveLength(9_999);
  });

  test('a victim of poison is one that reaches its root, on random graphs', () => {
    const graphs = fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(graphs, (lists) => {
        const graph = Object.fromEntries(
          lists.map((list, at) => [`n${at}`, { structural: list.map((to) => `n${to}`) }]),
        );
        const below = (id: string): string[] => reach(id, (from) => graph[from]?.structural ?? []);
        for (const root of Object.keys(graph)) {
          const reaching = Object.keys(graph).filter((id) => below(id).includes(root));
          expect(poisonSet(graph, root).toSorted()).toEqual(reaching.toSorted());
        }
      }),
    );
  });
});
