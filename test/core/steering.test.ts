/** What a person sees and may do: legal moves, who waits, the picture of the graph, the session of the folder. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sessionPlaces, withSession } from '../../client/session-argument.ts';
import { createProgram } from '../../client/cli.ts';
import { graphMermaid, graphSvg, graphText } from '../../core/graph/draw.ts';
import { checkAction } from '../../core/stage/check-action.ts';
import { emptyState } from '../../core/stage/draft.ts';
import { foldEvents } from '../../core/stage/fold.ts';
import { legalMoves } from '../../core/stage/legal-moves.ts';
import { readAction, readInput } from '../../core/stage/read-input.ts';
import type { StageState } from '../../core/stage/types.ts';
import { Choices } from '../support/stage-choices.ts';
import { expectGolden } from '../support/golden.ts';
import { simulate } from '../support/stage-simulation.ts';

describe('legalMoves()', () => {
  test('are legal as they are typed, in every state that random stages reach', () => {
    const numbers = fc.array(fc.nat({ max: 0x7fffffff }), { minLength: 120, maxLength: 200, size: 'max' });
    const met = new Set<string>();
    fc.assert(
      fc.property(numbers, (stream) => {
        const tally = { events: new Map(), rejections: new Map(), transitions: new Map() };
        let state: StageState = emptyState;
        for (const [index, event] of simulate(new Choices(stream), tally).entries()) {
          state = foldEvents(state, [event]);
          if (index % 5 !== 0) continue;
          for (const { action, typed } of legalMoves(state)) {
            met.add(action.action_type);
            const read = readInput(typed, null);
            expect(read).toMatchObject({ ok: true, input: { kind: 'action' } });
            if (!read.ok || read.input.action === null) throw new Error(typed);
            expect(read.input.action.action_type).toBe(action.action_type);
            expect([typed, checkAction(state, read.input.action, true).status]).toEqual([typed, 'ok']);
          }
        }
      }),
      { numRuns: 60, seed: 20_261_123 },
    );
    expect([...met].sort()).toEqual(
      [
        'COMMIT',
        'CONSULT',
        'DISPATCH',
        'HALT',
        'REDISPATCH',
        'SEAL',
        'SUSPEND',
        'UPDATE_PLAN',
        'VALIDATE',
      ].sort(),
    );
  });
});

describe('readAction()', () => {
  test('takes one word a parameter, short names and a checklist', () => {
    expect(readAction(['DISPATCH', 'price.money', 'role=builder', 'note=half to even'])).toMatchObject({
      ok: true,
      input: {
        text: 'DISPATCH price.money role=builder note="half to even"',
        action: {
          action_type: 'DISPATCH',
          parameters: { node_id: 'price.money', role: 'builder', manager_note: 'half to even' },
        },
      },
    });
    expect(readAction(['UPDATE_PLAN', 'narrative=money first', 'checklist=parse; format'])).toMatchObject({
      ok: true,
      input: {
        action: {
          parameters: {
            checklist: [
              { id: 'c1', text: 'parse', status: 'pending' },
              { id: 'c2', text: 'format', status: 'pending' },
            ],
          },
        },
      },
    });
  });

  test.each([
    ['SEAL', 'summary is missing. Form: SEAL summary="..."'],
    ['UPDATE_PLAN narrative=x', 'checklist is missing. Form: UPDATE_PLAN narrative="..." checklist='],
    ['DISPATCH a.b role=wizard', 'role: Invalid option: expected one of "builder"'],
    ['VALIDATE a.b why=so', 'it takes no parameter: "why". Form: VALIDATE NODE'],
  ])('of %s says what is wrong and the form of that very action', (line, told) => {
    expect(readInput(line, null)).toEqual({ ok: false, message: expect.stringContaining(told) });
  });

  test('names the action that was meant', () => {
    expect(readAction(['dispach', 'a'])).toEqual({
      ok: false,
      message: 'Cannot read the action "dispach": did you mean DISPATCH?',
    });
  });
});

describe('a drawn graph', () => {
  const node = (
    id: string,
    stage: string,
    status: 'grounded' | 'near' | 'poisoned',
    structural: string[] = [],
  ) => ({
    id,
    stage,
    status,
    structural,
    assumption: id === 'app.main' ? ['store.file'] : [],
  });
  const graph = {
    stages: ['core', 'app'],
    nodes: [
      node('price.money', 'core', 'grounded'),
      node('price.discount', 'core', 'poisoned', ['price.money']),
      node('store.file', 'app', 'near'),
      node('app.main', 'app', 'near', ['price.discount']),
    ],
  };

  test('is text, Mermaid and SVG with a colour for each status', () => {
    expectGolden('graph/graph.out.txt', `${graphText(graph)}\n\n${graphMermaid(graph)}\n`);
    expectGolden('graph/graph.out.svg', `${graphSvg(graph)}\n`);
  });

  test('escapes what a project called its nodes', () => {
    const svg = graphSvg({ stages: ['<b>'], nodes: [node('a&"b', '<b>', 'near')] });
    expect(svg).toContain('a&amp;&quot;b: near, stage &lt;b&gt;');
    expect(svg).not.toContain('<b>');
  });
});

describe('withSession()', () => {
  const parts = {
    loadServices: () => Promise.reject(new Error('')),
    setUp: () => Promise.resolve(0),
    version: '',
  };
  const places = sessionPlaces(createProgram(parts, () => undefined));
  const named = (argv: readonly string[], cwd: string) => withSession(argv, cwd, places);

  test('puts the session of the current folder where none is named', () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'a7-cwd-')));
    try {
      const inside = join(root, 'shop', 'content', 'price');
      mkdirSync(inside, { recursive: true });
      mkdirSync(join(root, 'shop', '.a7'));
      writeFileSync(join(root, 'shop', '.a7', 'session.json'), '{}');
      expect(named(['status'], inside)).toEqual(['status', '../..']);
      expect(named(['why', 'price.money'], join(root, 'shop'))).toEqual(['why', '.', 'price.money']);
      expect(named(['run', '--model', 'x'], join(root, 'shop'))).toEqual(['run', '.', '--model', 'x']);
      expect(named(['status', 'shop'], root)).toEqual(['status', 'shop']);
      expect(named(['status', '../other/shop'], inside)).toEqual(['status', '../other/shop']);
      expect(named(['status'], root)).toEqual(['status']);
      expect(named(['run', '--help'], inside)).toEqual(['run', '--help']);
      expect(named(['init', 'new'], inside)).toEqual(['init', 'new']);
      expect(named(['restore', '--cut'], inside)).toEqual(['restore', '../..', '--cut']);
      expect(named(['ledger', 'verify'], inside)).toEqual(['ledger', 'verify', '../..']);
      expect(named(['stage-reset', 'core'], inside)).toEqual(['stage-reset', '../..', 'core']);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
