/** What endpoints send that is not quite the protocol, over a real connection. */
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { type Server, createServer } from 'node:http';
import { type AddressInfo, type Socket, createServer as createListener } from 'node:net';
import { join } from 'node:path';
import { whySilent, whyUnreachable } from '../../adapters/model/reachable.ts';
import { createObjectFiles } from '../../adapters/store/objects.ts';
import type { ModelOutcome } from '../../core/ports/model.ts';
import { StoredAnswer } from '../../schemas/model.ts';
import {
  READ_FILE_TOOL,
  makeFolder,
  makeModel,
  makeRequest,
  removeFolders,
} from '../support/model-fixtures.ts';

const servers: Server[] = [];

/** An endpoint that answers each request by `answer`, given its body. */
async function serve(
  answer: (body: Record<string, unknown>) => { status?: number; type: string; text: string },
): Promise<string> {
  const server = createServer((request, response) => {
    if (request.method === 'HEAD') return void response.end();
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const {
        status = 200,
        type,
        text,
      } = answer(JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>);
      response.writeHead(status, { 'content-type': type }).end(text);
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
}

async function call(
  baseUrl: string,
  over: { raised?: number } = {},
): Promise<{ outcome: ModelOutcome; answer: StoredAnswer | null }> {
  const sessionDir = await makeFolder();
  const request = makeRequest({ sessionDir, baseUrl });
  const model =
    over.raised === undefined
      ? request.model
      : { ...request.model, usualOutputTokens: request.model.maxOutputTokens, maxOutputTokens: over.raised };
  const outcome = await makeModel().call({ ...request, model, tools: [READ_FILE_TOOL] });
  if (outcome.kind !== 'answered') return { outcome, answer: null };
  const bytes = await createObjectFiles({ dir: join(sessionDir, 'objects') }).get(outcome.answerRef);
  return { outcome, answer: StoredAnswer.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))) };
}

const whole =
  (message: object, reason: string | null = 'stop') =>
  () => ({
    type: 'application/json',
    text: JSON.stringify({ choices: [{ message, finish_reason: reason }] }),
  });
const stream =
  (...events: readonly (object | string)[]) =>
  () => ({
    type: 'text/event-stream',
    text: events
      .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
      .join(''),
  });
const delta = (part: object) => ({ choices: [{ index: 0, delta: part }] });
const CALL = [
  { id: expect.any(String), type: 'function', function: { name: 'read_file', arguments: '{"path":"a.py"}' } },
];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(removeFolders);

describe('an answer', () => {
  test.each([
    [
      'content in parts',
      whole({
        content: [
          { type: 'text', text: 'do' },
          { type: 'text', text: 'ne' },
        ],
      }),
      'done',
      undefined,
    ],
    [
      'arguments as an object',
      whole({
        content: null,
        tool_calls: [{ function: { name: 'read_file', arguments: { path: 'a.py' } } }],
      }),
      null,
      CALL,
    ],
    [
      'the call of old',
      whole({ content: '', function_call: { name: 'read_file', arguments: '{"path":"a.py"}' } }),
      '',
      CALL,
    ],
    [
      'a call as text',
      whole({ content: 'So: <tool_call>{"name":"read_file","arguments":{"path":"a.py"}}</tool_call>' }),
      'So:',
      CALL,
    ],
    [
      'a stream that ends with its mark alone',
      stream(delta({ content: 'do' }), delta({ content: [{ type: 'text', text: 'ne' }] }), '[DONE]'),
      'done',
      undefined,
    ],
    [
      'a stream of a call as text',
      stream(
        delta({ content: '{"name":"read_file",' }),
        delta({ content: '"arguments":{"path":"a.py"}}' }),
        '[DONE]',
      ),
      null,
      CALL,
    ],
    [
      'a stream with arguments as an object',
      stream(
        delta({
          tool_calls: [{ index: 0, id: 7, function: { name: 'read_file', arguments: { path: 'a.py' } } }],
        }),
        '[DONE]',
      ),
      null,
      CALL,
    ],
  ])('with %s is understood', async (_, answer, content, calls) => {
    const { outcome, answer: stored } = await call(await serve(answer));
    expect(outcome.kind).toBe('answered');
    expect(stored?.message.content).toBe(content);
    expect(stored?.message.tool_calls).toEqual(calls);
    expect(stored?.garbage).toBeNull();
  });

  test('of a stream that ends without reason or mark stays unknown', async () => {
    const { outcome } = await call(await serve(stream(delta({ content: 'do' }))));
    expect(outcome.kind).toBe('unknown');
  });

  test('may be longer after one was cut, unless the endpoint refuses that', async () => {
    const asked: unknown[] = [];
    const url = await serve((body) => {
      asked.push(body['max_tokens']);
      return body['max_tokens'] === 9_999
        ? { status: 400, type: 'application/json', text: '{"error":{"message":"max_tokens is too large"}}' }
        : whole({ content: 'done' })();
    });
    const { outcome } = await call(url, { raised: 9_999 });
    expect(outcome.kind).toBe('answered');
    expect(asked).toEqual([9_999, makeRequest({ sessionDir: '/s', baseUrl: url }).model.maxOutputTokens]);
  });
});

describe('an endpoint that is not there', () => {
  test('is told from one that takes connections and answers nothing', async () => {
    const held: Socket[] = [];
    const hole = createListener((socket) => void held.push(socket));
    await new Promise<void>((done) => hole.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${String((hole.address() as AddressInfo).port)}/v1`;
    expect(await whyUnreachable(url, 1_000)).toBeNull();
    expect(await whySilent(url, 100)).toBe('it takes connections and has answered nothing for 0.1 s');
    for (const socket of held) socket.destroy();
    await new Promise((done) => hole.close(done));
  });

  test('is told at once, with its address and why', async () => {
    const url = await serve(whole({}));
    expect([await whyUnreachable(url, 1_000), await whySilent(url, 1_000)]).toEqual([null, null]);
    const [server] = servers;
    await new Promise((done) => server?.close(done));
    expect(await whyUnreachable(url, 1_000)).toContain('ECONNREFUSED');
    const said: string[] = [];
    const model = makeModel({ tell: (text) => said.push(text) });
    const request = makeRequest({ sessionDir: await makeFolder(), baseUrl: url });
    await model.call(request);
    await model.call(request);
    expect(said).toEqual([
      expect.stringMatching(/is not reached at "http.*ECONNREFUSED.*; trying again, nothing is billed$/u),
    ]);
  });
});
