import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openCall, rebuildIndex, settleEnded, settledOf } from '../../core/model/budget-index.ts';
import { isInScope, keyFolders } from '../../core/model/call-key.ts';
import { callState, openCharge, settledCharge, sumCharges } from '../../core/model/call-state.ts';
import { canonicalJson, canonicalRequest } from '../../core/model/canonical-request.ts';
import type { ModelTarget } from '../../core/ports/model.ts';
import type { CallRow, SentRow } from '../../schemas/model-call.ts';
const TARGET: ModelTarget = {
  alias: 'fast',
  modelId: 'acme/fast-1',
  baseUrl: 'https://models.example/v1',
  maxOutputTokens: 100,
  price: { inputMicroUsdPerMTok: 3_000_000, outputMicroUsdPerMTok: 15_000_000 },
  supportsTools: true,
  apiKey: { envName: 'ACME_KEY', filePath: null },
};
const COORDINATES = { role: 'builder', stage: 'core', node: 'a', dispatch: 1, turn: 1 } as const;
const HASH = `sha256:${'a'.repeat(64)}`;

const reserved: CallRow = {
  kind: 'reserved',
  key: 'core/a',
  scope: 'core',
  coordinates: COORDINATES,
  atMs: 1,
};

function sent(attempt: number, microUsd: number | null = 100): SentRow {
  return {
    kind: 'sent',
    attempt,
    requestHash: HASH,
    fence: 1,
    owner: { bootId: 'b', namespace: null, pid: 1, startTime: '1' },
    modelAlias: 'fast',
    modelId: 'acme/fast-1',
    price: microUsd === null ? null : (TARGET.price ?? null),
    worstCase: { microUsd, tokens: 50 },
    atMs: 1,
    deadlineMs: 2,
  };
}

const unknown = (attempt: number): CallRow => ({ kind: 'unknown', attempt, reason: 'lost', atMs: 1 });
const returned = (attempt: number): CallRow => ({ kind: 'returned', attempt, reason: '429', atMs: 1 });
const received = (attempt: number, costMicroUsd: number | null): CallRow => ({
  kind: 'received',
  attempt,
  answerRef: HASH,
  summary: { textChars: 1, toolCalls: [] },
  finishReason: 'stop',
  usage: { inputTokens: 5, cachedInputTokens: 0, outputTokens: 2, reasoningTokens: 0 },
  costMicroUsd,
  atMs: 1,
});

describe('call keys', () => {
  test('keyFolders() gives different keys different folders, also where case is ignored', () => {
    const segment = fc.string({
      minLength: 1,
      maxLength: 12,
      unit: fc.constantFrom('a', 'A', '.', '%', 'é', 'É', ' ', '4', '1'),
    });
    fc.assert(
      fc.property(segment, segment, (left, right) => {
        fc.pre(left !== right);
        expect(keyFolders(left)[0]?.toLowerCase()).not.toBe(keyFolders(right)[0]?.toLowerCase());
      }),
    );
  });

  test.each([
    ['core/price.money/1/2', ['core', 'price.money', '1', '2']],
    ['../Up', ['%2e.', '%55p']],
    ['a b/é', ['a%20b', '%c3%a9']],
  ])('keyFolders() keeps "%s" inside its folder', (key, folders) => {
    expect(keyFolders(key)).toEqual(folders);
  });

  test.each(['', 'a//b', '/a', 'a/', 'a\u0000b', Array(14).fill('a').join('/')])(
    'keyFolders() refuses %j',
    (key) => {
      expect(() => keyFolders(key)).toThrow(RangeError);
    },
  );

  test('isInScope() compares whole segments', () => {
    expect([isInScope('core/a', 'core'), isInScope('core', 'core'), isInScope('core2/a', 'core')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('canonicalRequest()', () => {
  test('is one text for one request, whatever was sent before it and however its keys are ordered', () => {
    const call = { id: 'c1', type: 'function' as const, function: { name: 'read_file', arguments: '{}' } };
    const messages = [
      { role: 'user' as const, content: 'a "task"' },
      { role: 'assistant' as const, content: null, tool_calls: [call] },
      { role: 'tool' as const, tool_call_id: 'c1', content: 'text' },
    ];
    const parameters = { type: 'object' as const, properties: {} };
    const tools = [
      { type: 'function' as const, function: { name: 'read_file', description: 'reads', parameters } },
    ];
    const [opening] = messages;
    expect(canonicalRequest({ messages: [opening!], tools })).toBe(
      canonicalJson({ messages: [opening], tools }),
    );
    const whole = canonicalJson({ tools, messages });
    expect(canonicalRequest({ messages, tools })).toBe(whole);
    expect(canonicalRequest({ messages: structuredClone(messages), tools: structuredClone(tools) })).toBe(
      whole,
    );
    expect(canonicalRequest({ messages: messages.toReversed(), tools })).not.toBe(whole);
    expect(canonicalRequest({ messages: [], tools: [] })).toBe('{"messages":[],"tools":[]}');
  });
});

describe('callState()', () => {
  test.each<[string, CallRow[], string, number, number]>([
    ['nothing', [], 'none', 0, 0],
    ['reserved only', [reserved], 'reserved', 0, 0],
    ['sent', [sent(1), reserved], 'sent', 0, 100],
    ['refused', [reserved, sent(1), returned(1)], 'reserved', 0, 0],
    ['refused, then sent', [reserved, sent(1), returned(1), sent(2)], 'sent', 0, 100],
    ['unknown', [reserved, sent(1), unknown(1)], 'unknown', 100, 0],
    ['unknown, sent again', [reserved, sent(1), unknown(1), sent(2)], 'sent', 100, 100],
    ['unknown, refused', [reserved, sent(1), unknown(1), sent(2), returned(2)], 'reserved', 100, 0],
    ['unknown, repaid', [reserved, sent(1), unknown(1), sent(2), received(2, 7)], 'received', 107, 0],
    ['received', [received(1, 7), sent(1), reserved], 'received', 7, 0],
  ])('callState() of %s charges what may have been billed', (_name, rows, kind, settled, open) => {
    const state = callState(rows);
    expect({
      kind: state.kind,
      settled: settledCharge(state).microUsd,
      open: openCharge(state).microUsd,
    }).toEqual({
      kind,
      settled,
      open,
    });
  });

  test('settledCharge() counts tokens where there is no price', () => {
    const rows = [reserved, sent(1, null), unknown(1), sent(2, null), received(2, null)];
    expect(settledCharge(callState(rows))).toEqual({ microUsd: 0, unpricedTokens: 57 });
  });

  test('callState() refuses an end without a beginning', () => {
    expect(() => callState([reserved, received(1, 7)])).toThrow('no sent row');
  });
});

describe('budget index', () => {
  const step = fc.record({
    key: fc.constantFrom('core/a', 'core/b', 'core/c'),
    end: fc.constantFrom('returned', 'unknown', 'received', 'open'),
  });

  test('settleEnded() counts every call once, whatever order calls open and end in', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const rows = new Map<string, CallRow[]>();
        const states = () => new Map([...rows].map(([key, list]) => [key, callState(list)]));
        let index = rebuildIndex('core', new Map());
        for (const { key, end } of steps) {
          const list = rows.get(key) ?? [reserved];
          const state = callState(list);
          if (state.kind === 'received' || state.kind === 'sent') continue;
          index = openCall(settleEnded(index, states()).index, key, state);
          const attempt = list.filter((row) => row.kind === 'sent').length + 1;
          const ends = {
            returned: [returned(attempt)],
            unknown: [unknown(attempt)],
            received: [received(attempt, 7)],
            open: [],
          };
          rows.set(key, [...list, sent(attempt), ...ends[end]]);
        }
        const result = settleEnded(index, states());
        const all = [...states().values()];
        expect(settledOf(result.index)).toEqual(sumCharges(all.map(settledCharge)));
        expect(result.reserved).toEqual(sumCharges(all.map(openCharge)));
        expect(rebuildIndex('core', states())).toEqual(result.index);
      }),
      { numRuns: 500 },
    );
  });
});
