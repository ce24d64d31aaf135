import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EMPTY_ANSWER, addChunk, completionAnswer, streamedAnswer } from '../../core/model/answer.ts';
import { openCall, rebuildIndex, settleEnded, settledOf } from '../../core/model/budget-index.ts';
import { isInScope, keyFolders } from '../../core/model/call-key.ts';
import { callState, openCharge, settledCharge, sumCharges } from '../../core/model/call-state.ts';
import { canonicalJson, canonicalRequest } from '../../core/model/canonical-request.ts';
import { decideCap } from '../../core/model/cap.ts';
import { costOf, formatMicroUsd, worstCaseOf } from '../../core/model/cost.ts';
import { classifyFailure, retryAfterMs } from '../../core/model/failure.ts';
import { redactMessage } from '../../core/model/redact.ts';
import type { ModelTarget } from '../../core/ports/model.ts';
import type { CallRow, SentRow } from '../../schemas/model-call.ts';
import { WireChunk } from '../../schemas/model-wire.ts';

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

describe('cost', () => {
  test('costOf() prices cached tokens apart and rounds up', () => {
    const usage = { inputTokens: 1000, cachedInputTokens: 400, outputTokens: 10, reasoningTokens: 0 };
    const price = {
      inputMicroUsdPerMTok: 3_000_000,
      cachedInputMicroUsdPerMTok: 300_000,
      outputMicroUsdPerMTok: 15_000_000,
    };
    expect(costOf(usage, price)).toBe(1800 + 120 + 150);
    expect(
      costOf(
        { ...usage, inputTokens: 1, cachedInputTokens: 0, outputTokens: 0 },
        { ...price, inputMicroUsdPerMTok: 1 },
      ),
    ).toBe(1);
  });

  test('costOf() stays exact beyond 53 bits', () => {
    const usage = { inputTokens: 9_007_199_254, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0 };
    expect(costOf(usage, { inputMicroUsdPerMTok: 1_000_001, outputMicroUsdPerMTok: 0 })).toBe(9_007_208_262);
  });

  test('worstCaseOf() bounds the cost of every answer that keeps to its limits', () => {
    const tokens = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, (requestBytes, maxOutputTokens, someInput, someOutput) => {
        const price = { inputMicroUsdPerMTok: 2_500_000, outputMicroUsdPerMTok: 10_000_000 };
        const worst = worstCaseOf({ requestBytes, messages: 1, tools: 0, maxOutputTokens, price });
        const inputTokens = Math.min(someInput, requestBytes);
        const outputTokens = Math.min(someOutput, maxOutputTokens);
        const cost = costOf({ inputTokens, cachedInputTokens: 0, outputTokens, reasoningTokens: 0 }, price);
        expect(worst.microUsd).toBeGreaterThanOrEqual(cost);
      }),
    );
  });

  test.each([
    [null, 'unknown'],
    [0, '$0.0000'],
    [1, '$0.0001'],
    [1_234_500, '$1.2345'],
  ])('formatMicroUsd(%p) reads %s', (microUsd, text) => {
    expect(formatMicroUsd(microUsd)).toBe(text);
  });

  test('decideCap() lets a call reach the cap and not pass it', () => {
    const cap = { scope: 'core', maxCostMicroUsd: 100, maxTokensWhenUnpriced: 10 };
    const spent = { microUsd: 40, unpricedTokens: 3 };
    const given = { cap, spent, reserved: { microUsd: 30, unpricedTokens: 2 } };
    expect(decideCap({ ...given, worstCase: { microUsd: 30, tokens: 99 } })).toEqual({ kind: 'fits' });
    expect(decideCap({ ...given, worstCase: { microUsd: 31, tokens: 99 } })).toEqual({
      kind: 'refused',
      unit: 'micro_usd',
      spent: 40,
      reserved: 30,
      cap: 100,
      worstCase: 31,
    });
    expect(decideCap({ ...given, worstCase: { microUsd: null, tokens: 6 } })).toMatchObject({
      kind: 'refused',
      unit: 'tokens',
    });
  });
});

describe('classifyFailure()', () => {
  test.each([
    [404, '', 'No endpoints found that support tool use', 'tools_unsupported'],
    [400, '', 'Tools are not supported by this model', 'tools_unsupported'],
    [400, '', '"auto" tool choice is unsupported', 'tools_unsupported'],
    [400, 'unsupported_parameter', "Unsupported parameter: 'temperature'", 'bad_request'],
    [413, '', 'Too large', 'context_length'],
    [301, '', 'Moved', 'bad_request'],
  ])('classifyFailure() rests on %p %p %p as %s', (status, code, message, expected) => {
    const failure = { kind: 'status', status, code, message, retryAfterMs: null } as const;
    expect(classifyFailure(failure, TARGET)).toMatchObject({ kind: 'rest', code: expected });
  });

  test('retryAfterMs() reads seconds and dates and bounds them', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const values = [
      '3',
      '0.5',
      'Thu, 01 Jan 2026 00:00:09 GMT',
      'Thu, 01 Jan 2020 00:00:00 GMT',
      '99999999',
      'soon',
      '',
      null,
    ];
    expect(values.map((value) => retryAfterMs(value, now))).toEqual([
      3000,
      500,
      9000,
      0,
      3_600_000,
      null,
      null,
      null,
    ]);
  });

  test('redactMessage() removes keys, control characters and excess', () => {
    const text = `key topsecret9 and sk-abcdefgh1234 and Bearer xyz\u001b[31m ${'long '.repeat(200)}`;
    const redacted = redactMessage(text, 'topsecret9');
    expect(redacted).toMatch(/^key \[redacted\] and \[redacted\] and Bearer \[redacted\]/);
    expect(redacted).not.toContain('\u001b');
    expect(redacted.length).toBeLessThanOrEqual(501);
  });
});

describe('answers', () => {
  const chunk = (delta: unknown, rest: Record<string, unknown> = {}) =>
    WireChunk.parse({ id: 'c1', model: 'm', choices: [{ index: 0, delta, ...rest }] });

  test('streamedAnswer() puts interleaved tool calls together by index', () => {
    const chunks = [
      chunk({ role: 'assistant', content: null }),
      chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'write', arguments: '{"x"' } }] }),
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '' } }] }),
      chunk({
        tool_calls: [
          { index: 0, function: { arguments: '{}' } },
          { index: 1, function: { arguments: ':1}' } },
        ],
      }),
      chunk({}, { finish_reason: 'tool_calls' }),
      WireChunk.parse({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }),
    ];
    expect(streamedAnswer(chunks.reduce(addChunk, EMPTY_ANSWER))).toEqual({
      version: 1,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } },
          { id: 'b', type: 'function', function: { name: 'write', arguments: '{"x":1}' } },
        ],
      },
      finishReason: 'tool_calls',
      usage: { inputTokens: 3, cachedInputTokens: 0, outputTokens: 4, reasoningTokens: 0 },
      provider: { responseId: 'c1', model: 'm' },
      garbage: null,
    });
  });

  test('completionAnswer() gives calls without ids or with equal ids one each', () => {
    const call = { function: { name: 'read', arguments: '{}' } };
    const calls = [{ ...call, id: 'x' }, { ...call, id: 'x' }, call];
    const answer = completionAnswer({ choices: [{ message: { content: null, tool_calls: calls } }] });
    expect(answer.message.tool_calls?.map((entry) => entry.id)).toEqual(['x', 'call_1', 'call_2']);
  });

  test('canonicalJson() does not depend on the order of keys', () => {
    expect(canonicalJson({ b: 1, a: [{ d: 'é', c: undefined }] })).toBe('{"a":[{"d":"é"}],"b":1}');
  });
});
