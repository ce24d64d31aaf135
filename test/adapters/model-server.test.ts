import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { appendFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadModelScript } from '../../adapters/model-server/script-file.ts';
import { type ModelServer, startModelServer } from '../../adapters/model-server/server.ts';
import { makeFolder, removeFolders, serveScript } from '../support/model-fixtures.ts';

const servers: ModelServer[] = [];

async function serve(...args: Parameters<typeof serveScript>): Promise<ModelServer> {
  const server = await serveScript(...args);
  servers.push(server);
  return server;
}

const AT = { role: 'builder', stage: 'core', node: 'price.money', dispatch: 1, turn: 1 };
const BODY = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };

interface PostOptions {
  readonly at?: Record<string, unknown> | null;
  readonly key?: string | null;
  readonly body?: unknown;
  readonly path?: string;
}

async function post(server: ModelServer, options: PostOptions = {}) {
  const { at = AT, key = 'any', body = BODY, path = '/chat/completions' } = options;
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(at !== null && { 'x-a7-call': JSON.stringify(at) }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(removeFolders);

describe('startModelServer()', () => {
  test('POST /chat/completions answers whole with usage that is estimated', async () => {
    const server = await serve({ rules: [{ answer: { text: 'Hello you' } }] });
    const { status, text } = await post(server);
    expect({ status, body: JSON.parse(text) as unknown }).toEqual({
      status: 200,
      body: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: expect.any(Number),
        model: 'm',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'Hello you', refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage: {
          prompt_tokens: 10,
          completion_tokens: 3,
          total_tokens: 13,
          prompt_tokens_details: { cached_tokens: 0 },
        },
      },
    });
  });

  test('POST /chat/completions streams events and ends with usage only when it is asked for', async () => {
    const server = await serve({ rules: [{ repeat: true, answer: { text: 'Hello' } }] });
    const plain = await post(server, { body: { ...BODY, stream: true } });
    expect(plain.headers.get('content-type')).toBe('text/event-stream');
    expect(plain.text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(plain.text).not.toContain('usage');
    const asked = await post(server, {
      body: { ...BODY, stream: true, stream_options: { include_usage: true } },
    });
    expect(asked.text).toContain('"usage":{');
  });

  test.each<[string, PostOptions, number, string]>([
    ['no key', { key: null }, 401, 'invalid_api_key'],
    ['a wrong key', { key: 'wrong' }, 401, 'invalid_api_key'],
    ['no JSON', { body: '{', key: 'right' }, 400, 'invalid_value'],
    ['an unknown path', { path: '/completions', key: 'right' }, 404, 'unknown_url'],
    ['an unknown model', { body: { ...BODY, model: 'x' }, key: 'right' }, 404, 'model_not_found'],
    ['no rule', { at: { ...AT, turn: 5 }, key: 'right' }, 422, 'script_error'],
  ])('startModelServer() answers %s in the shape of the API', async (_name, options, status, code) => {
    const server = await serve({
      api_key: 'right',
      models: ['m'],
      rules: [{ turn: 1, answer: { text: 'x' } }],
    });
    const found = await post(server, options);
    expect({ status: found.status, body: JSON.parse(found.text) as unknown }).toMatchObject({
      status,
      body: { error: { code, message: expect.any(String), type: 'invalid_request_error' } },
    });
  });

  test('GET /models lists the models', async () => {
    const server = await serve({ models: ['a', 'b'], rules: [] });
    const response = await fetch(`${server.url}/models`, { headers: { authorization: 'Bearer x' } });
    const { data } = (await response.json()) as { data: { id: string }[] };
    expect(data.map((entry) => entry.id)).toEqual(['a', 'b']);
  });

  test('startModelServer() records script errors, so that a test can fail on them', async () => {
    const calls = [{ name: 'read_file', arguments: { path: 'secret.py' } }];
    const server = await serve({ rules: [{ answer: { tool_calls: calls } }] });
    const tools = [{ type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } }];
    const { status, text } = await post(server, { body: { ...BODY, tools } });
    expect(status).toBe(422);
    expect(text).toContain('Script rule 1 cannot be honest here: path \\"secret.py\\" is not in the request');
    expect(server.requests()).toMatchObject([{ outcome: 'script_error', rule: 0, billable: false }]);
  });

  test('startModelServer() records requests that it refuses', async () => {
    const server = await serve({ rules: [] });
    await post(server, { body: { ...BODY, magic: 1 } });
    expect(server.requests()).toMatchObject([
      { outcome: 'refused', coordinates: AT, detail: expect.stringContaining('magic') },
    ]);
  });

  test('startModelServer() counts the turns of a client that sends no coordinates', async () => {
    const server = await serve({ rules: [{ stage: 'external', turns: [{ text: 'one' }, { text: 'two' }] }] });
    expect((await post(server, { at: null })).text).toContain('one');
    const messages = [
      ...BODY.messages,
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'next' },
    ];
    expect((await post(server, { at: null, body: { ...BODY, messages } })).text).toContain('two');
  });

  test('startModelServer() goes on from its record after a restart, also when the last line is torn', async () => {
    const recordDir = join(await makeFolder(), 'record');
    const script = {
      rules: [
        { answer: { text: 'first', faults: [{ kind: 'status' as const, status: 503 }] } },
        { answer: { text: 'second' } },
      ],
    };
    const before = await serve(script, { recordDir });
    expect((await post(before)).status).toBe(503);
    await before.close();
    await appendFile(join(recordDir, 'requests.jsonl'), '{"torn');
    const after = await serve(script, { recordDir });
    expect((await post(after)).text).toContain('first');
    expect((await post(after, { at: { ...AT, turn: 2 } })).text).toContain('second');
    expect(after.requests().map((entry) => [entry.sequence, entry.outcome])).toEqual([
      [1, 'fault'],
      [2, 'answer'],
      [3, 'answer'],
    ]);
    expect(await readdir(join(recordDir, 'bodies'))).toHaveLength(1);
    expect((await readFile(join(recordDir, 'requests.jsonl'), 'utf8')).split('\n')).toHaveLength(5);
  });
});

describe('loadModelScript()', () => {
  async function scriptFile(text: string): Promise<string> {
    const folder = await makeFolder();
    await mkdir(join(folder, 'files'));
    await writeFile(join(folder, 'files', 'money.py'), 'import re\n');
    await writeFile(join(folder, 'script.yaml'), text);
    return join(folder, 'script.yaml');
  }

  test('loadModelScript() puts the text of a content_file into the arguments', async () => {
    const path = await scriptFile(`
version: 1
rules:
  - role: builder
    turns:
      - tool_calls:
          - {name: write_file, arguments: {path: price/money.py}, content_file: files/money.py}
`);
    const script = await loadModelScript(path);
    expect(script.rules[0]?.turns?.[0]?.tool_calls).toEqual([
      { name: 'write_file', arguments: { path: 'price/money.py', content: 'import re\n' } },
    ]);
    const server = await startModelServer({ script: { path } });
    servers.push(server);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  });

  test.each([
    ['broken YAML', 'version: 1\nrules: [', 'at line'],
    ['an unknown field', 'version: 1\nrules: [{rol: builder, answer: {}}]', 'rules[0]'],
    ['a rule without an answer', 'version: 1\nrules: [{role: builder}]', 'either answer or turns'],
    [
      'a missing file',
      'version: 1\nrules: [{answer: {tool_calls: [{name: w, content_file: no.py}]}}]',
      'Cannot read content_file "no.py"',
    ],
  ])('loadModelScript() tells %s with its place', async (_name, text, message) => {
    await expect(loadModelScript(await scriptFile(text))).rejects.toThrow(message);
  });

  test('loadModelScript() names a file that is not there', async () => {
    await expect(loadModelScript('/no/such/script.yaml')).rejects.toThrow(
      'Cannot read model script "/no/such/script.yaml"',
    );
  });

  describe('in other protocols', () => {
    const TOOL = { name: 'run', input_schema: { type: 'object', properties: { cmd: { type: 'string' } } } };
    const SCRIPT = {
      rules: [
        {
          turns: [
            { text: 'Now.', tool_calls: [{ name: 'run', arguments: { cmd: 'ls' } }] },
            { text: 'Done' },
          ],
        },
      ],
    };
    /** Types and texts of the events of a stream. */
    const events = (text: string): Record<string, unknown>[] =>
      text
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);

    test('POST /messages streams a tool call, takes its result, and is strict about order and fields', async () => {
      const server = await serve(SCRIPT);
      const said = { role: 'user', content: [{ type: 'text', text: 'Go' }] };
      const base = { model: 'm', max_tokens: 10, tools: [TOOL], messages: [said] };
      const ask = (body: unknown) => post(server, { at: null, path: '/messages', body });
      const first = events((await ask({ ...base, stream: true })).text);
      expect(first.map(({ type }) => type)).toEqual([
        'message_start',
        ...['content_block_start', 'content_block_delta', 'content_block_stop'],
        ...['content_block_start', 'content_block_delta', 'content_block_stop'],
        'message_delta',
        'message_stop',
      ]);
      const use = { type: 'tool_use', id: 't1', name: 'run', input: { cmd: 'ls' } };
      const result = { type: 'tool_result', tool_use_id: 't1', content: 'a b' };
      const turn = [said, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }];
      const whole = await ask({ ...base, messages: turn });
      expect(JSON.parse(whole.text)).toMatchObject({
        type: 'message',
        content: [{ type: 'text', text: 'Done' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: expect.any(Number), output_tokens: 1 },
      });
      const wrong = [
        { ...base, max_tokens: undefined },
        { ...base, evil: 1 },
        { ...base, messages: [said, { role: 'user', content: [result] }] },
        { ...base, messages: [said, { role: 'assistant', content: [use] }, said] },
        { ...base, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      ];
      for (const body of wrong) {
        const { status, text } = await ask(body);
        expect([status, JSON.parse(text)]).toMatchObject([
          400,
          { type: 'error', error: { type: 'invalid_request_error' } },
        ]);
      }
    });

    test('POST /responses streams a tool call, takes its output, and is strict about order and fields', async () => {
      const server = await serve(SCRIPT);
      const { name, input_schema: parameters } = TOOL;
      const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] };
      const base = { model: 'm', tools: [{ type: 'function', name, parameters }], input: [said] };
      const ask = (body: unknown) => post(server, { at: null, path: '/responses', body });
      const first = events((await ask({ ...base, stream: true })).text);
      expect(first.at(-1)).toMatchObject({
        type: 'response.completed',
        response: { output: [{ type: 'message' }, { type: 'function_call', arguments: '{"cmd":"ls"}' }] },
      });
      expect(first.map((event) => event['sequence_number'])).toEqual(first.map((_, at) => at));
      const call = { type: 'function_call', call_id: 'c1', name: 'run', arguments: '{"cmd":"ls"}' };
      const output = { type: 'function_call_output', call_id: 'c1', output: 'a b' };
      const whole = await ask({ ...base, input: [said, call, output] });
      expect(JSON.parse(whole.text)).toMatchObject({
        status: 'completed',
        output: [{ content: [{ type: 'output_text', text: 'Done' }] }],
      });
      const wrong = [
        { ...base, evil: 1 },
        { ...base, input: [said, output] },
        { ...base, input: [said, call, said] },
        { ...base, tools: [{ type: 'web_search' }] },
      ];
      for (const body of wrong) expect((await ask(body)).status).toBe(400);
    });
  });
});
