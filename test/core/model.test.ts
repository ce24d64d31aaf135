import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EMPTY_ANSWER, addChunk, completionAnswer, streamedAnswer } from '../../core/model/answer.ts';
import { canonicalJson } from '../../core/model/canonical-request.ts';
import { decideCap } from '../../core/model/cap.ts';
import { costOf, formatMicroUsd, worstCaseOf } from '../../core/model/cost.ts';
import { classifyFailure, retryAfterMs } from '../../core/model/failure.ts';
import { redactMessage } from '../../core/model/redact.ts';
import type { ModelTarget } from '../../core/ports/model.ts';
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

  test('classifyFailure() names the endpoint that is not reached, and asks for no wait of its own', () => {
    const failure = { kind: 'unsent', message: 'connect ECONNREFUSED' } as const;
    expect(classifyFailure(failure, TARGET)).toEqual({
      kind: 'retry',
      afterMs: null,
      reason: `Model "${TARGET.alias}" is not reached at "${TARGET.baseUrl}": connect ECONNREFUSED`,
    });
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
