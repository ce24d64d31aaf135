import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sumUsage } from '../../adapters/model/usage-report.ts';
import type { ModelServer } from '../../adapters/model-server/server.ts';
import { createObjectFiles } from '../../adapters/store/objects.ts';
import type { ModelOutcome } from '../../core/ports/model.ts';
import { StoredAnswer } from '../../schemas/model.ts';
import type { ScriptFault } from '../../schemas/model-script.ts';
import {
  TEST_KEY,
  makeFolder,
  makeModel,
  makeRequest,
  removeFolders,
  serveScript,
} from '../support/model-fixtures.ts';

const servers: ModelServer[] = [];

async function serve(...args: Parameters<typeof serveScript>): Promise<ModelServer> {
  const server = await serveScript(...args);
  servers.push(server);
  return server;
}

async function answerOf(sessionDir: string, outcome: ModelOutcome): Promise<StoredAnswer> {
  if (outcome.kind !== 'answered') throw new Error(`Expected an answer: ${JSON.stringify(outcome)}`);
  const bytes = await createObjectFiles({ dir: join(sessionDir, 'objects') }).get(outcome.answerRef);
  return StoredAnswer.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}

/** One call against a server that plays `faults` first. */
async function callWith(faults: readonly ScriptFault[], limits?: { readonly idleTimeoutMs: number }) {
  const server = await serve({ rules: [{ answer: { text: 'done', faults: [...faults] } }] });
  const sessionDir = await makeFolder();
  const full = { idleTimeoutMs: 2000, totalTimeoutMs: 10_000, answerBytesMax: 1_000_000, ...limits };
  const model = makeModel({ limits: full });
  const request = makeRequest({ sessionDir, baseUrl: server.url });
  return { server, sessionDir, model, request, outcome: await model.call(request) };
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(removeFolders);

describe('ModelPort.call', () => {
  test('call() puts a streamed answer with text and two tool calls together and prices it', async () => {
    const usage = { prompt_tokens: 50, completion_tokens: 20, cached_tokens: 10 };
    const text = 'Grüße — '.repeat(30);
    const calls = [
      { name: 'read_file', arguments: { path: 'price/money.py' } },
      { name: 'read_file', arguments: { path: 'price/money.py', intent: 'ä'.repeat(90) } },
    ];
    const server = await serve({ rules: [{ answer: { text, tool_calls: calls, usage } }] });
    const sessionDir = await makeFolder();
    const outcome = await makeModel().call(makeRequest({ sessionDir, baseUrl: server.url }));
    expect(outcome).toEqual({
      kind: 'answered',
      answerRef: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      summary: {
        textChars: text.length,
        toolCalls: [
          { id: 'call_1_1_1', name: 'read_file' },
          { id: 'call_1_1_2', name: 'read_file' },
        ],
      },
      usage: { inputTokens: 50, cachedInputTokens: 10, outputTokens: 20, reasoningTokens: 0 },
      costMicroUsd: 90,
      finishReason: 'tool_calls',
      elapsedMs: expect.any(Number),
      stored: false,
      unknownAttempts: 0,
      unknownMicroUsd: 0,
    });
    const answer = await answerOf(sessionDir, outcome);
    expect(answer.message.content).toBe(text);
    expect(answer.message.tool_calls?.map((call) => JSON.parse(call.function.arguments) as unknown)).toEqual(
      calls.map((call) => call.arguments),
    );
    expect(server.requests()).toMatchObject([{ streamed: true, outcome: 'answer', billable: true }]);
  });

  test('call() never sends a key again that has an answer', async () => {
    const { server, model, request, outcome } = await callWith([]);
    expect(outcome).toMatchObject({ kind: 'answered', stored: false });
    expect(await model.call(request)).toEqual({ ...outcome, stored: true });
    expect(await makeModel().call(request)).toEqual({ ...outcome, stored: true });
    expect(server.requests()).toHaveLength(1);
  });

  test('call() refuses another request under a paid key', async () => {
    const { server, sessionDir, model } = await callWith([]);
    const other = makeRequest({ sessionDir, baseUrl: server.url, prompt: 'something else' });
    expect(await model.call(other)).toMatchObject({ kind: 'conflict' });
    expect(server.requests()).toHaveLength(1);
  });

  test('call() goes on with a whole answer where streaming is refused, and remembers it', async () => {
    const server = await serve({
      supports_stream: false,
      supports_max_tokens: false,
      rules: [{ repeat: true, answer: { text: 'whole' } }],
    });
    const sessionDir = await makeFolder();
    const model = makeModel();
    const outcome = await model.call(makeRequest({ sessionDir, baseUrl: server.url }));
    expect((await answerOf(sessionDir, outcome)).message.content).toBe('whole');
    await model.call(makeRequest({ sessionDir, baseUrl: server.url, turn: 2 }));
    const answered = server.requests().filter((entry) => entry.outcome === 'answer');
    expect(answered.map((entry) => entry.streamed)).toEqual([false, false]);
    // Two parameters were learnt, once.
    expect(server.requests()).toHaveLength(4);
  });

  test.each([
    ['401', { status: 401, code: 'invalid_api_key' }, 'auth'],
    ['402', { status: 402, code: null }, 'payment_required'],
    ['403', { status: 403, code: null }, 'forbidden'],
    ['404', { status: 404, code: 'model_not_found' }, 'not_found'],
    ['400', { status: 400, code: 'invalid_value' }, 'bad_request'],
    ['429 without quota', { status: 429, code: 'insufficient_quota' }, 'payment_required'],
    ['400 for the context', { status: 400, code: 'context_length_exceeded' }, 'context_length'],
  ] as const)(
    'call() rests on %s without charging and answers after a person acted',
    async (_name, status, code) => {
      const fault = { kind: 'status', message: `Refused for ${TEST_KEY}`, ...status } as const;
      const { server, sessionDir, model, request, outcome } = await callWith([fault]);
      expect(outcome).toMatchObject({
        kind: 'rested',
        code,
        message: expect.stringContaining('Refused for [redacted]'),
      });
      expect((await sumUsage(sessionDir)).total).toMatchObject({
        knownMicroUsd: 0,
        reservedMicroUsd: 0,
        unknownAttempts: 0,
      });
      expect(await model.call(request)).toMatchObject({ kind: 'answered', stored: false });
      expect(server.requests().filter((entry) => entry.billable)).toHaveLength(1);
    },
  );

  test('call() rests when tools are refused by the endpoint or by configuration', async () => {
    const server = await serve({ supports_tools: false, rules: [] });
    const sessionDir = await makeFolder();
    const parts = { sessionDir, baseUrl: server.url };
    expect(await makeModel().call(makeRequest(parts))).toMatchObject({
      kind: 'rested',
      code: 'tools_unsupported',
    });
    const configured = await makeModel().call(makeRequest({ ...parts, supportsTools: false, turn: 2 }));
    expect(configured).toMatchObject({ kind: 'rested', code: 'tools_unsupported' });
    expect(await readdir(join(sessionDir, 'calls', 'core', 'price.money', '1'))).toEqual(['1']);
  });

  test('call() rests before it writes anything when there is no key, and reads it from a file', async () => {
    const server = await serve({ api_key: 'from-file', rules: [{ answer: { text: 'hi' } }] });
    const sessionDir = await makeFolder();
    const base = makeRequest({ sessionDir, baseUrl: server.url });
    const filePath = join(sessionDir, 'key');
    const request = { ...base, model: { ...base.model, apiKey: { envName: 'NO_SUCH_KEY', filePath } } };
    expect(await makeModel().call(request)).toEqual({
      kind: 'rested',
      code: 'auth',
      message: 'Model "test" has no API key',
      nextStep: `Put a valid key into "NO_SUCH_KEY" or "${filePath}" and run again`,
    });
    expect(await readdir(sessionDir)).toEqual([]);
    await writeFile(filePath, 'from-file\n');
    expect(await makeModel().call(request)).toMatchObject({ kind: 'answered' });
  });

  test('call() says what a wrong key is without telling it', async () => {
    const server = await serve({ api_key: 'another', rules: [] });
    const sessionDir = await makeFolder();
    const outcome = await makeModel().call(makeRequest({ sessionDir, baseUrl: server.url }));
    expect(outcome).toMatchObject({ kind: 'rested', code: 'auth' });
    expect(JSON.stringify(outcome)).not.toContain(TEST_KEY);
    const row = await readFile(join(sessionDir, 'calls/core/price.money/1/1/failed-1.json'), 'utf8');
    expect(row).not.toContain(TEST_KEY);
  });

  test.each([
    [
      '429 with Retry-After',
      { kind: 'status', status: 429, message: 'slow down', code: null, retry_after_seconds: 7 },
      7000,
    ],
    ['503', { kind: 'status', status: 503, message: 'busy', code: null }, null],
    ['500', { kind: 'status', status: 500, message: 'broken', code: null }, null],
    ['409', { kind: 'status', status: 409, message: 'conflict', code: null }, null],
  ] as const)(
    'call() asks for a retry on %s and is charged once in the end',
    async (_name, fault, afterMs) => {
      const { sessionDir, model, request, outcome } = await callWith([fault]);
      expect(outcome).toMatchObject({ kind: 'retry', afterMs });
      expect(await model.call(request)).toMatchObject({ kind: 'answered', unknownAttempts: 0 });
      expect((await sumUsage(sessionDir)).total).toMatchObject({
        attempts: 2,
        unknownAttempts: 0,
        answered: 1,
      });
    },
  );

  test('call() asks for a retry on a port that is never connected to: nothing was sent, nothing is charged', async () => {
    const sessionDir = await makeFolder();
    const outcome = await makeModel().call(makeRequest({ sessionDir, baseUrl: 'http://127.0.0.1:9/v1' }));
    expect(outcome).toMatchObject({ kind: 'retry', reason: expect.stringContaining('bad port') });
    expect((await sumUsage(sessionDir)).total.unknownAttempts).toBe(0);
  });

  test('call() asks for a retry when the connection is refused', async () => {
    const server = await serveScript({ rules: [] });
    await server.close();
    const sessionDir = await makeFolder();
    const outcome = await makeModel().call(makeRequest({ sessionDir, baseUrl: server.url }));
    expect(outcome).toMatchObject({ kind: 'retry', reason: expect.stringContaining('ECONNREFUSED') });
  });

  test.each([
    ['before any byte', { kind: 'drop', after_bytes: 0 }],
    ['in the middle of the stream', { kind: 'drop', after_bytes: 200 }],
    ['by silence', { kind: 'stall', after_bytes: 120 }],
    ['by silence before any byte', { kind: 'stall', after_bytes: 0 }],
  ] as const)(
    'call() charges an answer lost %s at its worst case and pays once more',
    async (_name, fault) => {
      const { server, sessionDir, outcome } = await callWith([fault], { idleTimeoutMs: 300 });
      expect(outcome).toMatchObject({ kind: 'answered', unknownAttempts: 1 });
      expect(server.requests().map((entry) => entry.billable)).toEqual([true, true]);
      const { total } = await sumUsage(sessionDir);
      const cost = outcome.kind === 'answered' ? (outcome.costMicroUsd ?? 0) : 0;
      expect(total).toMatchObject({ attempts: 2, unknownAttempts: 1, answered: 1 });
      // At least the 100 output tokens that the lost answer might have had.
      expect(total.knownMicroUsd - cost).toBeGreaterThan(200);
    },
  );

  test('call() pays an unknown attempt back once only', async () => {
    const drop = { kind: 'drop', after_bytes: 0 } as const;
    const { server, model, request, outcome } = await callWith([drop, drop]);
    expect(outcome).toMatchObject({ kind: 'unknown', attempts: 2 });
    expect(await model.call(request)).toMatchObject({ kind: 'unknown', attempts: 2 });
    expect(server.requests()).toHaveLength(2);
  });

  test('call() does not pay back at all when policy says halt', async () => {
    const server = await serve({ rules: [{ answer: { faults: [{ kind: 'drop' }] } }] });
    const sessionDir = await makeFolder();
    const outcome = await makeModel().call(
      makeRequest({ sessionDir, baseUrl: server.url, onUnknown: 'halt' }),
    );
    expect(outcome).toMatchObject({
      kind: 'unknown',
      attempts: 1,
      reason: expect.stringContaining('Connection lost'),
    });
    expect(server.requests()).toHaveLength(1);
  });

  test.each([
    ['a body that is no completion', { kind: 'garbage', body: '{"hello": 1}' }, '{"hello": 1}'],
    ['a body that is no JSON', { kind: 'garbage', body: '<<<' }, '<<<'],
  ] as const)('call() takes %s as a paid answer', async (_name, fault, raw) => {
    const { server, sessionDir, outcome } = await callWith([fault]);
    expect(outcome).toMatchObject({ kind: 'answered', finishReason: 'garbage', usage: null });
    expect(outcome).toMatchObject({ summary: { garbage: raw } });
    expect((await answerOf(sessionDir, outcome)).garbage).toBe(raw);
    expect(server.requests()).toHaveLength(1);
  });

  test('call() takes a stream with a broken event as a paid answer', async () => {
    const { sessionDir, outcome } = await callWith([{ kind: 'invalid_event' }]);
    expect(outcome).toMatchObject({ kind: 'answered', finishReason: 'garbage' });
    expect((await answerOf(sessionDir, outcome)).garbage).toContain('{"id": "broken');
  });

  test('call() rests when a web page answers', async () => {
    const { outcome } = await callWith([{ kind: 'html' }]);
    expect(outcome).toMatchObject({
      kind: 'rested',
      code: 'not_found',
      nextStep: expect.stringContaining('--base-url'),
    });
  });

  test('call() charges the worst case when the endpoint tells no usage', async () => {
    const server = await serve({ rules: [{ answer: { text: 'hi', omit_usage: true } }] });
    const sessionDir = await makeFolder();
    const outcome = await makeModel().call(makeRequest({ sessionDir, baseUrl: server.url }));
    expect(outcome).toMatchObject({ kind: 'answered', usage: null });
    const { total } = await sumUsage(sessionDir);
    expect(total.costMicroUsd).toBeGreaterThan(200);
  });

  test('call() gives signs of life while it waits and while a slow stream comes', async () => {
    const server = await serve({
      rules: [{ answer: { text: 'x'.repeat(200), delay_ms: 200, chunk_delay_ms: 20 } }],
    });
    const sessionDir = await makeFolder();
    const phases: string[] = [];
    const onProgress = ({ phase }: { phase: string }) => phases.push(phase);
    await makeModel().call(makeRequest({ sessionDir, baseUrl: server.url }), { onProgress });
    expect(phases.filter((phase) => phase === 'waiting').length).toBeGreaterThanOrEqual(2);
    expect(phases.filter((phase) => phase === 'receiving').length).toBeGreaterThanOrEqual(5);
  });
});
