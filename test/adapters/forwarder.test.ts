/** The forwarder over its real socket, with an endpoint behind it that keeps what it was sent. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { CHAT, CHAT_ANSWER, type DoorYard, doorYard, HELLO, http, json, KEY } from '../support/door-yard.ts';

let yard: DoorYard;
beforeAll(async () => {
  yard = await doorYard();
});
beforeEach(() => yard.fresh());
afterAll(() => yard.close());

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
const PRICE = { inputMicroUsdPerMTok: 1_000_000, outputMicroUsdPerMTok: 2_000_000 };

/** Server-sent events, written one after the other. */
const stream =
  (...events: unknown[]) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events)
      response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
    response.end();
  };

describe('openForwarder()', () => {
  test("carries a call with the order's model, bound and key, and tells what it used", async () => {
    const door = await yard.open();
    const answer = await yard.raw(
      door,
      http(CHAT, { ...HELLO, max_tokens: 9999, n: 5, service_tier: 'priority', store: true }, [
        'authorization: Bearer stolen',
        'x-api-key: stolen',
        'cookie: a=b',
        'x-forwarded-host: evil',
      ]),
    );
    expect([statusOf(answer), answer.includes('hello')]).toEqual([200, true]);
    const [one] = yard.seen;
    expect([one?.url, JSON.parse(one?.body ?? '')]).toEqual([
      '/v1/chat/completions',
      { messages: HELLO.messages, model: 'real-model', max_tokens: 100 },
    ]);
    expect(one?.headers['authorization']).toBe(`Bearer ${KEY}`);
    expect(Object.keys(one?.headers ?? {}).toSorted()).toEqual([
      'accept-encoding',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
    ]);
    expect(door.usage()).toEqual({ calls: 1, inputTokens: 40, outputTokens: 10, costMicroUsd: null });
    expect(yard.rows()[0]).toMatchObject({ state: 'sent', dropped: ['n', 'service_tier', 'store'] });
  });

  test('passes a stream as it comes, and counts what its last words tell', async () => {
    let more = (): void => undefined;
    yard.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"delta":{"content":"one"}}]}\n\n');
      more = () =>
        void response.end(
          'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\ndata: [DONE]\n\n',
        );
    };
    const door = await yard.open();
    const socket = connect(`${door.folder}/model.sock`);
    socket.write(http(CHAT, { ...HELLO, stream: true }));
    let text = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      text += chunk.toString('utf8');
      // The end is sent only after the beginning has arrived.
      if (text.includes('one')) more();
    }
    expect(text).toContain('[DONE]');
    expect(JSON.parse(yard.seen[0]?.body ?? '')).toMatchObject({ stream_options: { include_usage: true } });
    expect(door.usage()).toMatchObject({ inputTokens: 7, outputTokens: 3 });
  });

  test('never lets the key into the room, whole, cut by pieces, or in the words of an error', async () => {
    const door = await yard.open();
    yard.answer = (response, { headers }) => {
      const said = String(headers['authorization']);
      response.writeHead(200, { 'content-type': 'application/json', 'x-key': said });
      response.write(`{"choices": [], "said": "${said.slice(0, 20)}`);
      setImmediate(() => response.end(`${said.slice(20)}", "again": "${said}"}`));
    };
    const echoed = await yard.raw(door, http(CHAT, HELLO));
    yard.answer = json(JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}` } }), 401);
    const refused = await yard.raw(door, http(CHAT, { ...HELLO, seed: 2 }));
    expect([statusOf(echoed), statusOf(refused)]).toEqual([200, 401]);
    expect(echoed + refused).not.toContain('sk-the-real');
    expect(echoed + refused).not.toContain('0123456789');
    expect(echoed).toContain('"again"');
  });

  test('never lets the key into the room in another writing', async () => {
    const key = 'sk/the+real/key=of the host';
    const door = await yard.open({}, { key });
    const written = [
      key,
      key.replaceAll('/', '\\/'),
      encodeURIComponent(key),
      'sk%2fthe%2breal%2fkey%3dof%20the%20host',
    ];
    yard.answer = (response) => {
      response.writeHead(500, { 'content-type': 'text/plain' });
      for (const each of written) {
        response.write(each.slice(0, 9));
        response.write(`${each.slice(9)} `);
      }
      response.end();
    };
    expect(await yard.raw(door, http(CHAT, HELLO))).not.toMatch(/the.{1,3}real|the host/);
  });

  test('stops before a call that could pass a bound: requests, tokens, money', async () => {
    const requests = await yard.open({
      limits: { costMicroUsd: 1, tokensMax: 100_000, requestsMax: 1 },
    });
    const ask = async (door: typeof requests, seed: number): Promise<string> =>
      await yard.raw(door, http(CHAT, { ...HELLO, seed }));
    expect([statusOf(await ask(requests, 1)), statusOf(await ask(requests, 2))]).toEqual([200, 400]);
    expect(requests.limitHit()).toBe('requests an iteration, at most 1');

    yard.fresh();
    const tokens = await yard.open({ limits: { costMicroUsd: 1, tokensMax: 300, requestsMax: 9 } });
    expect([statusOf(await ask(tokens, 1)), statusOf(await ask(tokens, 2))]).toEqual([200, 200]);
    expect(statusOf(await ask(tokens, 3))).toBe(400);
    expect(tokens.limitHit()).toContain('at most 300');

    yard.fresh();
    // 40 + 10 tokens cost 60; the worst case of a call is about 320.
    const money = await yard.open(
      { limits: { costMicroUsd: 400, tokensMax: 1, requestsMax: 9 } },
      { price: PRICE },
    );
    expect(statusOf(await ask(money, 1))).toBe(200);
    // Two at once: what is under way is counted.
    const both = await Promise.all([ask(money, 2), ask(money, 3)]);
    expect(both.map(statusOf).toSorted()).toEqual([200, 400]);
    expect([money.usage().costMicroUsd, yard.seen.length]).toEqual([120, 2]);
    expect(money.limitHit()).toContain('max-cost 0.00 USD');
  });

  test('gives an answer that is paid for again to the next attempt, once, and never one that was cut', async () => {
    const first = await yard.open();
    await yard.raw(first, http(CHAT, { ...HELLO, metadata: { session: 'a' } }));
    yard.answer = stream({ choices: [{ delta: { content: 'cut' } }] });
    await yard.raw(first, http(CHAT, { ...HELLO, stream: true }));
    await first.close();
    expect(existsSync(first.folder)).toBe(false);
    // The worker died; the agent runs again from the beginning.
    const second = await yard.open();
    const reused = await yard.raw(second, http(CHAT, { ...HELLO, metadata: { session: 'b' } }));
    expect([reused.includes('hello'), yard.seen.length]).toEqual([true, 2]);
    await yard.raw(second, http(CHAT, HELLO));
    await yard.raw(second, http(CHAT, { ...HELLO, stream: true }));
    expect(yard.seen.length).toBe(4);
    expect(yard.rows().map(({ state }) => state)).toEqual([
      'sent',
      'settled',
      'sent',
      'settled',
      'reused',
      'sent',
      'settled',
      'sent',
      'settled',
    ]);
  });

  test('charges the worst case of what nobody knows, and nothing for what was never sent', async () => {
    yard.answer = (response) => void response.destroy();
    const cut = await yard.open({}, { price: PRICE });
    expect(statusOf(await yard.raw(cut, http(CHAT, HELLO)))).toBe(400);
    expect(cut.usage().costMicroUsd).toBeGreaterThan(200);
    yard.fresh();
    const closed = await yard.open({}, { price: PRICE, baseUrl: 'http://127.0.0.1:1/v1' });
    expect(statusOf(await yard.raw(closed, http(CHAT, HELLO)))).toBe(400);
    expect(closed.usage().costMicroUsd).toBe(0);
    yard.fresh();
    yard.answer = json('{"error": {"message": "slow down"}}', 429);
    const busy = await yard.open({}, { price: PRICE });
    expect(statusOf(await yard.raw(busy, http(CHAT, HELLO)))).toBe(429);
    expect(busy.usage()).toEqual({ calls: 1, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 });
  });

  test('reads caches of Anthropic: what is read is cheap, what is written is dear', async () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 400,
      cache_read_input_tokens: 1000,
      output_tokens: 1,
    };
    yard.answer = stream(
      { type: 'message_start', message: { usage } },
      { type: 'message_delta', usage: { output_tokens: 20 } },
      { type: 'message_stop' },
    );
    const price = { ...PRICE, cachedInputMicroUsdPerMTok: 100_000 };
    const door = await yard.open({ protocol: 'anthropic' }, { price });
    const answer = await yard.raw(
      door,
      http('POST /v1/messages?beta=true', { ...HELLO, max_tokens: 50, stream: true }, [
        'anthropic-beta: effort-2025-11-24, context-1m-2025-08-07,evil',
        'openai-beta: x',
      ]),
    );
    expect(answer).toContain('message_stop');
    // 10 + 400 + 100 written beyond, 1000 read at a tenth, 20 out at twice.
    expect(door.usage()).toEqual({ calls: 1, inputTokens: 1410, outputTokens: 20, costMicroUsd: 650 });
    expect(yard.seen[0]).toMatchObject({
      url: '/v1/messages',
      headers: { 'x-api-key': KEY, 'anthropic-beta': 'effort-2025-11-24' },
    });
    expect(yard.seen[0]?.headers['openai-beta']).toBeUndefined();
    expect(yard.rows()[0]).toMatchObject({
      dropped: ['anthropic-beta context-1m-2025-08-07', 'anthropic-beta evil'],
    });
  });

  test('answers list of models and token counts itself, and a body in pieces like any other', async () => {
    const door = await yard.open({ protocol: null });
    expect(await yard.raw(door, http('GET /v1/models'))).toContain('"real-model"');
    expect(await yard.raw(door, http('POST /v1/messages/count_tokens', HELLO))).toContain('"input_tokens"');
    expect(yard.seen).toEqual([]);
    const body = JSON.stringify(HELLO);
    const pieces = [body.slice(0, 9), body.slice(9)].map(
      (each) => `${each.length.toString(16)}\r\n${each}\r\n`,
    );
    const head = `${CHAT} HTTP/1.1\r\nhost: m\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n`;
    expect(statusOf(await yard.raw(door, head, ...pieces, '0\r\n\r\n'))).toBe(200);
    expect(CHAT_ANSWER).toContain('hello');
  });

  test('says 413 to what is too large, 415 to what is packed, 408 to what does not come', async () => {
    const door = await yard.open();
    const hasty = await yard.open({
      http: { requestTimeout: 150, headersTimeout: 100, connectionsCheckingInterval: 50 },
    });
    const large = JSON.stringify({ ...HELLO, user: 'x'.repeat(17 * 1024 * 1024) });
    const answers = await Promise.all([
      yard.raw(door, http(CHAT, large)),
      yard.raw(door, http(CHAT, HELLO, ['content-encoding: br'])),
      yard.raw(hasty, http(CHAT, HELLO).slice(0, -5)),
      yard.raw(hasty, `${CHAT} HTTP/1.1\r\nhost:`),
    ]);
    expect(answers.map(statusOf)).toEqual([413, 415, 408, 408]);
    expect([yard.seen, answers[0].includes('8388608 bytes')]).toEqual([[], true]);
  });

  test('leads no tunnel to inner addresses, whatever name they have, and writes down what it refused', async () => {
    const door = await yard.open({ networkHosts: ['localhost'] });
    const asked = ['localhost:443', 'localhost:80', 'evil.example:443', '127.0.0.1:443'];
    const answers = await Promise.all(asked.map((at) => yard.raw(door, http(`CONNECT ${at}`))));
    expect(answers.map(statusOf)).toEqual([403, 403, 403, 403]);
    expect(
      yard
        .rows()
        .map(({ path, message }) => `${String(path)} ${String(message)}`)
        .toSorted()[2],
    ).toMatch(/^localhost:443 (127\.0\.0\.1|::1) is no place/);
  });

  test('charges what an answer does not tell: packed, of another success, without whole counts', async () => {
    const used = async (answer: DoorYard['answer'], body: object = HELLO): Promise<unknown[]> => {
      yard.fresh();
      yard.answer = answer;
      const door = await yard.open({}, { price: PRICE });
      const said = await yard.raw(door, http(CHAT, body));
      return [statusOf(said), (door.usage().costMicroUsd ?? 0) > 200, door.usage().calls];
    };
    const packed: DoorYard['answer'] = (response, { headers }) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(JSON.stringify({ echo: headers['authorization'] })));
    expect(await used(packed)).toEqual([0, true, 1]);
    expect(await used(json('{}', 202))).toEqual([202, true, 1]);
    expect(await used(json(CHAT_ANSWER.replace('"completion_tokens":10', '"completion_tokens":0')))).toEqual([
      200,
      true,
      1,
    ]);
    const absurd = CHAT_ANSWER.replace('"completion_tokens":10', '"completion_tokens":1e300');
    expect(await used(json(absurd))).toEqual([200, true, 1]);
    const redirect: DoorYard['answer'] = (response) =>
      void response.writeHead(307, { location: 'http://127.0.0.1:1/evil' }).end('elsewhere');
    expect(await used(redirect)).toEqual([307, false, 1]);
    const streamed = stream({ choices: [{ delta: { content: 'x' } }] }, '[DONE]');
    expect(await used(streamed, { ...HELLO, stream: true, stream_options: null })).toEqual([200, true, 1]);
  });

  test('reserves for a picture and a tool of the endpoint more than their bytes', async () => {
    const door = await yard.open();
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const ask = (content: unknown[]): Promise<string> =>
      yard.raw(door, http(CHAT, { messages: [{ role: 'user', content }] }));
    expect(statusOf(await ask([picture]))).toBe(200);
    expect(yard.rows()[0]?.['worstTokens']).toBeGreaterThan(50_000);
    expect([statusOf(await ask([picture, picture])), door.limitHit()]).toEqual([
      400,
      expect.stringContaining('at most 100000'),
    ]);
    const claude = await yard.open({ protocol: 'anthropic' });
    const tools = [{ type: 'bash_20250124', name: 'bash' }];
    await yard.raw(claude, http('POST /v1/messages', { ...HELLO, tools }));
    expect(yard.rows().at(-1)?.['inputTokens']).toBeGreaterThan(1_500);
  });

  test('says what it cannot write anew', async () => {
    const door = await yard.open();
    const said = await yard.raw(door, http(CHAT, '{"messages": [], "temperature": 1e999}'));
    expect([statusOf(said), said]).toEqual([400, expect.stringContaining('cannot be written anew')]);
    expect(await yard.raw(door, http(CHAT, HELLO, ['expect: 100-continue']))).toMatch(
      /^HTTP\/1.1 100[^]*HTTP\/1.1 200/,
    );
  });
});
