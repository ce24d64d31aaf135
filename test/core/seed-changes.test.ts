/** What an edit of contracts voids, and what an undo gives back: the plan and its fold, without a server. */
import { describe, expect, test } from '@jest/globals';
import { sha256 } from '../../adapters/system/sha256.ts';
import { resolveContracts } from '../../core/contract/resolve.ts';
import {
  type SeedChanges,
  changesField,
  needsConsent,
  sealedAgainst,
  seedChanges,
} from '../../core/ledger/seed-changes.ts';
import { type SeedSource, changedEvent, seededEvent } from '../../core/ledger/seeded.ts';
import { foldEvents } from '../../core/stage/fold.ts';
import { canonicalJson } from '../../core/text/canonical.ts';
import { Contracts } from '../../schemas/contract.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import { StageWorld, digest, failed, submitted } from '../support/stage-world.ts';

type Node = Record<string, unknown>;

const node = (id: string, over: Node = {}, face: Node = {}): Node => ({
  id,
  stage: 'core',
  description: `What ${id} does for its callers`,
  interface: { exports: ['def f() -> int: ...'], guarantees: ['g'], ...face },
  ...over,
});
const two = (a: Node = {}, face: Node = {}): Node[] => [
  node('a', a, face),
  node('b', { structural_deps: ['a'] }),
];
const book = (nodes: Node[], kind = 'io') => {
  const contracts = Contracts.parse({
    version: 1,
    project: { name: 'p' },
    stages: [{ id: 'core', kind }],
    nodes,
  });
  return { stages: contracts.stages, resolved: resolveContracts(contracts) };
};
type Book = ReturnType<typeof book>;
/** Says nothing of the id, so that a node may have another one. */
const told = (each: Node): Node => ({ ...each, description: 'What it does for its callers' });

function sourceOf({ stages, resolved }: Book): SeedSource {
  return {
    project: { projectId: 'p', name: 'p', description: '' },
    stages: stages.map(({ id, kind }) => ({ id, name: id, kind })),
    contracts: resolved,
    contractsRef: digest(1),
    digests: Object.fromEntries(resolved.map((each) => [each.id, sha256(canonicalJson(each))])),
  };
}

/** A session whose contracts can be edited. */
function edited(first: Book) {
  const world = new StageWorld(seededEvent(sourceOf(first)));
  let now = first;
  return {
    world,
    build: (): void => {
      world.open();
      world.runWell();
    },
    plan: (next: Book): SeedChanges => seedChanges(world.state, now, next, sha256),
    edit: (next: Book): SeedChanges => {
      const changes = seedChanges(world.state, now, next, sha256);
      const event = changedEvent(sourceOf(next), changes, changesField(changes, now, next, sha256), []);
      world.state = foldEvents(world.state, [event]);
      world.events.push(event);
      now = next;
      return changes;
    },
    statuses: () =>
      Object.fromEntries(Object.entries(world.state.nodes).map(([id, { status }]) => [id, status])),
  };
}

const effects = ({ nodes }: SeedChanges): unknown =>
  nodes.map(({ id, voids, because }) => [id, voids, because]);

describe('seedChanges()', () => {
  const it = edited(book(two()));
  test.each<[string, Book, unknown]>([
    [
      'a description',
      book(two({ description: 'Another word of it here' })),
      [['a', 'nothing', ['description']]],
    ],
    ['an example', book(two({ examples: [{ call: 'f()', returns: 1 }] })), [['a', 'verdict', ['examples']]]],
    ['a guarantee', book(two({}, { guarantees: ['h'] })), [['a', 'suite', ['guarantees']]]],
    [
      'a signature',
      book(two({}, { exports: ['def f(n: int) -> int: ...'] })),
      [
        ['a', 'all', ['exports']],
        ['b', 'verdict', ['a']],
      ],
    ],
    [
      'kind: pure',
      book(two(), 'pure'),
      [
        ['a', 'verdict', ['kind']],
        ['b', 'verdict', ['kind']],
      ],
    ],
  ])('says what %s voids', (_name, after, expected) => {
    expect(effects(it.plan(after))).toEqual(expected);
  });

  test('names stages that change, nodes that come and go, and asks only where work is void', () => {
    expect(it.plan(book(two(), 'pure')).stages).toEqual(['core: kind pure instead of io']);
    const changed = it.plan(book([node('b', { structural_deps: [] }), node('c')]));
    expect(changed.nodes.map(({ id, what }) => [id, what])).toEqual([
      ['b', 'changed'],
      ['c', 'added'],
      ['a', 'removed'],
    ]);
    const built = edited(book(two()));
    built.build();
    expect(needsConsent(built.plan(book(two({ description: 'Another word of it here' }))))).toBe(false);
    expect(needsConsent(built.plan(book(two({}, { guarantees: ['h'] }))))).toBe(true);
    expect(needsConsent(built.plan(book(two().slice(0, 1))))).toBe(true);
  });

  test('knows a node by its contract under another id, and what names its former path', () => {
    const renamed = book([node('c', {}), node('d', { structural_deps: ['c'] })].map(told));
    const built = edited(book([node('a'), node('b', { structural_deps: ['a'] })].map(told)));
    built.build();
    const seen = (after: Book): unknown =>
      built.plan(after).nodes.map(({ id, what, from, importsMoved }) => [id, what, from, importsMoved]);
    expect(seen(renamed)).toEqual([
      ['c', 'moved', 'a', undefined],
      ['d', 'moved', 'b', undefined],
      ['a', 'removed', undefined, undefined],
      ['b', 'removed', undefined, undefined],
    ]);
    expect(needsConsent(built.plan(renamed))).toBe(true);
    expect(seen(book([node('c'), node('b', { structural_deps: ['c'] })].map(told)))).toEqual([
      ['c', 'moved', 'a', undefined],
      ['b', 'changed', undefined, true],
      ['a', 'removed', undefined, undefined],
    ]);
    const other = seen(
      book([node('c', {}, { guarantees: ['h'] }), node('d', { structural_deps: ['c'] })].map(told)),
    );
    const twice = seen(book([node('c'), node('d')].map(told)));
    for (const each of [other, twice]) expect(each).not.toContainEqual(expect.arrayContaining(['moved']));
  });

  test('lets a description of a sealed stage be edited, and nothing that voids', () => {
    const built = edited(book(two()));
    built.build();
    expect(built.world.state.stages['core']?.status).toBe('sealed');
    const told = book(two({ description: 'Another word of it here' }));
    const voided = book(two({}, { guarantees: ['h'] }));
    expect(sealedAgainst(built.world.state, built.plan(told), told)).toEqual([]);
    expect(sealedAgainst(built.world.state, built.plan(voided), voided)).toEqual(['a']);
    built.edit(told);
    expect(built.statuses()).toEqual({ a: 'grounded', b: 'grounded' });
  });
});

describe('an edit of contracts', () => {
  const reopened = (built: ReturnType<typeof edited>): void => {
    const event: LedgerEvent = { type: 'stage_reopened', data: { stages: ['core'], by: 'me', reason: '' } };
    built.world.state = foldEvents(built.world.state, [event]);
    built.world.events.push(event);
  };

  test('that voids a suite keeps the code for the next suite; its undo gives all back without any work', () => {
    const built = edited(book(two()));
    built.build();
    const before = built.world.state.nodes;
    reopened(built);
    built.edit(book(two({}, { guarantees: ['h'] })));
    expect(built.world.state.nodes['a']).toMatchObject({ status: 'near', last: { dispatchId: 'a.b2' } });
    expect(built.world.state.nodes['a']?.suite).toBeUndefined();
    expect(built.statuses()).toEqual({ a: 'near', b: 'grounded' });
    expect(built.edit(book(two())).nodes).toMatchObject([{ id: 'a', restores: true }]);
    expect(built.world.state.nodes).toEqual(before);
  });

  test('that voids a signature has its dependents judged again before a model is asked', () => {
    const built = edited(book(two()));
    built.build();
    reopened(built);
    built.edit(book(two({}, { exports: ['def f(n: int) -> int: ...'] })));
    expect(built.statuses()).toEqual({ a: 'near', b: 'near' });
    const started = built.world.events.length;
    built.build();
    const made = built.world.events.slice(started);
    const dispatched = made.flatMap((event) => (event.type === 'dispatched' ? [event.data.record] : []));
    expect(dispatched.map(({ nodeId, role }) => [nodeId, role])).toEqual([
      ['a', 'test_author'],
      ['a', 'builder'],
    ]);
    expect(made.flatMap((event) => (event.type === 'regate_requested' ? [event.data.nodeId] : []))).toEqual([
      'b',
    ]);
    expect(built.world.state.run?.phase).toBe('sealed');
  });

  test('that was built meanwhile gives the older work back through the gate', () => {
    const built = edited(book(two()));
    built.build();
    reopened(built);
    built.edit(book(two({}, { exports: ['def f(n: int) -> int: ...'] })));
    built.world.open();
    built.world.writeSuite();
    built.world.returns(submitted({ tree: '9'.repeat(40) }));
    built.world.commit();
    built.world.runWell();
    reopened(built);
    built.edit(book(two()));
    expect(built.world.state.nodes['a']).toMatchObject({ status: 'near', suite: 1, regateLast: true });
    const started = built.world.events.length;
    built.build();
    const made = built.world.events.slice(started).map((event) => event.type);
    expect(made).not.toContain('dispatched');
    expect(built.statuses()).toEqual({ a: 'grounded', b: 'grounded' });
  });

  test('of a poisoned node frees what it held; a removed one comes back with its work', () => {
    const built = edited(book(two()));
    built.world.open({ manager: 'llm' });
    built.world.writeSuite();
    built.world.returns(failed());
    expect(built.statuses()).toEqual({ a: 'poisoned', b: 'poisoned' });
    built.world.send({ kind: 'halt_requested', reason: 'x', source: 'test' });
    built.edit(book(two({ examples: [{ call: 'f()', returns: 1 }] })));
    expect(built.statuses()).toEqual({ a: 'near', b: 'near' });
    expect(built.world.state.nodes['a']).toMatchObject({ suite: 1, regateLast: true });

    const removing = edited(book(two()));
    removing.build();
    reopened(removing);
    removing.edit(book(two().slice(0, 1)));
    expect(removing.statuses()).toEqual({ a: 'grounded' });
    removing.edit(book(two()));
    expect(removing.world.state.nodes['b']).toMatchObject({ status: 'near', suite: 1, regateLast: true });
  });
});
