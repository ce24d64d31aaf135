import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Master } from '../../schemas/master.ts';
import { Manager } from '../../schemas/manager.ts';
import { Board } from '../../schemas/board.ts';
import type { LedgerEvent, LedgerLine } from '../../schemas/ledger.ts';
import { ResolvedContract } from '../../schemas/contract.ts';
import { boardMinTokens, boardView } from '../../core/board/board-view.ts';
import { canonicalJson, prettyJson } from '../../core/text/canonical.ts';
import { foldLines } from '../../core/ledger/fold-session.ts';
import { GENESIS_HASH } from '../../core/ledger/lines.ts';
import { renderManager, renderMaster } from '../../core/ledger/render-master.ts';
import { seededEvent, type SeedSource } from '../../core/ledger/seeded.ts';
import { emptyDoc, type SessionDoc } from '../../core/ledger/session-doc.ts';
import { estimateJsonTokens, estimateTokens } from '../../core/text/tokens.ts';
import { digest, failed, StageWorld, submitted } from '../support/stage-world.ts';

const hash = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

function contract(id: string, over: Record<string, unknown> = {}): ResolvedContract {
  return ResolvedContract.parse({
    id,
    stage: 'core',
    description: `What ${id} does`,
    interface: {
      exports: [],
      raises: ['ValueError', { type: 'KeyError', when: 'missing' }],
      guarantees: ['g'],
    },
    language: 'python',
    mode: 'B',
    files: [`${id}.py`],
    tests: [`tests/${id}/**`],
    contentFile: `${id}.py`,
    importLine: `from ${id} import ...`,
    ...over,
  });
}

function source(contracts: ResolvedContract[]): SeedSource {
  return {
    project: { projectId: 'p1', name: 'shop', description: 'A shop' },
    stages: [{ id: 'core', name: 'core', kind: 'pure' }],
    contracts,
    contractsRef: digest(1),
    digests: Object.fromEntries(contracts.map((each) => [each.id, hash(JSON.stringify(each))])),
  };
}

function linesOf(events: readonly LedgerEvent[]): LedgerLine[] {
  let prev = GENESIS_HASH;
  return events.map((event, index) => {
    const at = new Date(1_700_000_000_000 + 1000 * index).toISOString();
    const body = { seq: index + 1, prev, at, run: 1, fence: 1, ...event };
    prev = hash(canonicalJson(body));
    return { ...body, hash: prev };
  });
}

const contracts = [contract('a'), contract('b', { structural_deps: ['a'], assumption_deps: ['a'] })];

function session(): { doc: SessionDoc; lines: LedgerLine[]; world: StageWorld } {
  const world = new StageWorld(seededEvent(source(contracts)));
  world.open({ manager: 'llm' });
  world.returns(submitted({ prNote: 'careful', exports: ['def f() -> int: ...'] }));
  world.commit();
  world.returns(failed({ reasons: ['returned 3'] }));
  const lines = linesOf(world.events);
  return { doc: foldLines(emptyDoc, lines), lines, world };
}

describe('foldLines()', () => {
  test('one by one or all at once, and its decision state is the fold of the events', () => {
    const { doc, lines, world } = session();
    expect(lines.reduce((at, line) => foldLines(at, [line]), emptyDoc)).toEqual(doc);
    expect(doc.state).toEqual(world.state);
    expect(doc.headHash).toBe(lines.at(-1)?.hash);
  });

  test('refuses a gap and a foreign chain', () => {
    const { lines } = session();
    expect(() => foldLines(emptyDoc, lines.slice(1))).toThrow('it must follow line 0');
    const [first] = lines;
    if (first === undefined) throw new Error('no line');
    expect(() => foldLines(emptyDoc, [{ ...first, prev: digest(9) }])).toThrow('Cannot fold line 1');
  });

  test('keeps the failure, the tombstones and the story of a node', () => {
    const { doc } = session();
    expect(doc.nodes['a']).toMatchObject({
      retryContext: [{ attempt: 2, error: 'returned 3' }],
    });
    expect(doc.graveyard.map((stone) => `${stone.node_id} ${stone.reason} ${stone.scope}`)).toEqual([
      'a poisoned: returned 3 local',
      'b poisoned by a local',
    ]);
    expect(
      doc.nodes['a']?.chronicle.map((entry) => `${entry.action} ${entry.actor} ${entry.dispatch_seq ?? '-'}`),
    ).toEqual([
      'dispatched manager 1',
      'returned agent 1',
      'committed harness -',
      'dispatched manager 2',
      'returned agent 2',
      'poisoned harness -',
    ]);
  });
});

describe('renderMaster()', () => {
  test('is the document of the seed and the same bytes for the same lines', () => {
    const { doc, lines } = session();
    const master = renderMaster(doc, contracts);
    expect(Master.parse(master)).toEqual(master);
    expect(prettyJson(renderMaster(foldLines(emptyDoc, lines), contracts))).toBe(prettyJson(master));
    expect(master).toMatchObject({ seq: lines.length, head_hash: doc.headHash });
    expect(master.nodes['b']).toMatchObject({
      status: 'poisoned',
      poisoned_by: 'a',
      suspension_reason: null,
    });
    expect(master.nodes['a']).toMatchObject({
      interface: { exports: ['def f() -> int: ...'], raises: ['ValueError', 'KeyError'] },
      pr_note: 'careful',
      test_contract: 'TEST CONTRACT',
      metadata: { iteration_history: [3, 9], avg_iterations: 6 },
    });
    expect(master.nodes['a']).not.toHaveProperty('poisoned_by');
    expect(master.dependencies).toEqual([
      { from_node: 'b', to_node: 'a', type: 'structural', verified: true, discovered_by: 'human' },
      { from_node: 'b', to_node: 'a', type: 'assumption', verified: false, discovered_by: 'human' },
    ]);
  });

  test('renderManager() is there only while a run is open', () => {
    const { doc, world } = session();
    const manager = renderManager(doc);
    expect(Manager.parse(manager)).toMatchObject({
      current_stage_id: 'core',
      in_flight: [],
      mode: 'autonomous',
    });
    world.send({ kind: 'halt_requested', reason: 'r', source: 'cancel' });
    expect(renderManager(foldLines(emptyDoc, linesOf(world.events)))).toBeNull();
  });
});

describe('boardView()', () => {
  test('shows every field of the seed within its budget', () => {
    const { doc } = session();
    const board = boardView(doc, contracts, 8000);
    expect(Board.parse(board)).toEqual(board);
    expect(board).toMatchObject({ ready: [], valid_dispatch_targets: ['a'], collapsed: {}, ready_more: 0 });
    expect(board.nodes['a']).toMatchObject({ has_test: true, poisoned_by: null, last_failure: 'returned 3' });
    expect(board.nodes['b']).toMatchObject({ poisoned_by: 'a' });
    expect(board.token_budget.consumed).toBeLessThanOrEqual(8000);
  });

  test.each([50, 2000])(
    'fits the minimum with %i nodes of long texts: far ones collapse, ready is paged',
    (count) => {
      const long = 'x"\n\u0007'.repeat(500);
      const many = Array.from({ length: count }, (_, at) => contract(`n${at}`, { description: long }));
      const world = new StageWorld(seededEvent(source(many)));
      world.open({ manager: 'llm' });
      world.send({
        kind: 'input',
        input: { id: 'i', by: 'me', kind: 'text', text: long, nodeId: null, action: null },
      });
      const board = boardView(foldLines(emptyDoc, linesOf(world.events)), many, boardMinTokens);
      expect(estimateJsonTokens({ ...board, context_pressure: 0, token_budget: {} })).toBeLessThanOrEqual(
        boardMinTokens,
      );
      expect(board.collapsed.near).toBe(count - Object.keys(board.nodes).length);
      expect(board.ready.length + board.ready_more).toBe(count);
    },
  );

  test('says what it needs when the budget is below the minimum', () => {
    const { doc } = session();
    expect(() => boardView(doc, contracts, 10)).toThrow(
      /needs \d+ tokens, the budget is 10, the minimum is 6000/,
    );
  });
});

describe('seed', () => {
  test('a fresh node is small', () => {
    const world = new StageWorld(seededEvent(source(contracts)));
    expect(JSON.stringify(world.state.nodes['b']).length).toBeLessThanOrEqual(100 + 20);
  });
});

describe('canonicalJson()', () => {
  test('sorts keys, drops undefined and refuses what JSON cannot hold', () => {
    expect(canonicalJson({ b: [1, { d: null, c: undefined }], a: 'x' })).toBe('{"a":"x","b":[1,{"d":null}]}');
    expect(() => canonicalJson({ a: NaN })).toThrow('numbers must be finite');
    expect(() => canonicalJson({ a: () => 1 })).toThrow('Cannot write a function');
  });

  test('estimateTokens() is never 0 for a text', () => {
    expect([estimateTokens(''), estimateTokens('a'), estimateTokens('a'.repeat(35))]).toEqual([0, 1, 10]);
  });
});
