/** An endpoint that knows no tool calls and no schemas: `models --check` finds the way that is left, and a run goes by it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { z } from 'zod';
import { setToolCalls } from '../../core/config/tool-calls-line.ts';
import { formRequest } from '../../core/model/tool-form.ts';
import { removeHome, tempHome } from '../support/server.ts';
import { honestScript, makeSession } from '../support/session.ts';

const Body = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string().nullable() })),
  tools: z.unknown().optional(),
  response_format: z.unknown().optional(),
  stream: z.boolean().optional(),
});
type Body = z.infer<typeof Body>;

const asked: Body[] = [];
let url = '';
let home = '';

/** Refuses what it does not know, as llama.cpp and others do; answers calls as fenced text. */
const server = createServer((request, response) => {
  if (request.method === 'HEAD') return void response.end();
  void readAll(request).then((sent) => {
    const body = Body.parse(JSON.parse(sent));
    asked.push(body);
    const refused =
      body.tools !== undefined ? 'tools' : body.response_format !== undefined ? 'response_format' : null;
    const status = refused === null ? 200 : 400;
    const content = answerTo(body, String(request.headers['x-a7-call']));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        refused === null
          ? { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] }
          : { error: { message: `${refused} is not supported by this server` } },
      ),
    );
  });
});

function answerTo({ messages }: Body, call: string): string {
  const fenced = (value: object): string => `I do it now.\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`;
  if (messages.at(-1)?.content?.includes('notes/first.txt') === true)
    return fenced({
      name: 'write_file',
      arguments: { path: 'notes/first.txt', content: 'say "hello"\nand go' },
    });
  const { role } = z.object({ role: z.string() }).parse(JSON.parse(call));
  const calls = honestScript().rules.find((rule) => rule.role === role)?.answer?.tool_calls ?? [];
  return calls.map(fenced).join('\n');
}

beforeAll(async () => {
  home = await tempHome();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  url = `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}/v1`;
});
afterAll(async () => {
  server.close();
  await removeHome(home);
});

test('models --check tries three ways, keeps the one that works, and a run builds by it', async () => {
  const session = await makeSession({ home });
  const env = { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'none' };
  appendFileSync(
    session.path('.a7/models.toml'),
    '\n[small]\nmodel_id = "tiny" # on this machine\nmax_tokens = 2000\n',
  );
  const refused = await session.at(['run', '--model', 'small', '--manager', 'policy'], env);
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('a7-rt models --check small')]);
  const checked = await session.at(['models', '--check', 'small'], env);
  expect([checked.code, checked.err]).toEqual([0, '']);
  expect(
    checked.out
      .replace(/\d+\.\d s/g, 'N s')
      .split('\n')
      .slice(1),
  ).toEqual([
    expect.stringMatching(/^fail the endpoint's own tool calls: .*tools is not supported/),
    expect.stringMatching(/^fail an answer held to a JSON schema: .*response_format is not supported/),
    'ok   a call written as text, N s',
    'Runs use a call written as text (tool_calls = "text", written into sums/.a7/models.toml)',
  ]);
  const kept = readFileSync(session.path('.a7/models.toml'), 'utf8');
  expect(kept).toMatch(/\[small\]\ntool_calls = "text" .*\nmodel_id = "tiny" # on this machine\n/);
  asked.length = 0;
  const built = await session.at(['run'], env);
  expect([built.code, built.out]).toEqual([0, expect.stringContaining('1 of 1 node grounded')]);
  for (const { messages } of asked) {
    expect(messages[0]?.content).toContain('- submit_pr: ');
    expect(messages.map(({ role }) => role)).not.toContain('tool');
    expect(messages.some(({ role }, at) => role === messages[at + 1]?.role)).toBe(false);
  }
  await session.remove();
}, 180_000);

test('formRequest() writes calls and results as words, and a schema that allows nothing but a call', () => {
  const tools = [
    { type: 'function' as const, function: { name: 'read_file', description: 'Read.', parameters: { type: 'object', properties: { path: { type: 'string' } } } } },
  ]; // prettier-ignore
  const call = {
    id: 'c1',
    type: 'function' as const,
    function: { name: 'read_file', arguments: '{"path":"a.py"}' },
  };
  const messages = [
    { role: 'system' as const, content: 'Work.' },
    { role: 'user' as const, content: 'Begin.' },
    { role: 'assistant' as const, content: null, tool_calls: [call] },
    { role: 'tool' as const, tool_call_id: 'c1', content: 'x = 1' },
    { role: 'user' as const, content: 'Go on.' },
  ];
  expect(formRequest(messages, tools, 'native')).toEqual({ messages, tools, answerSchema: null });
  const formed = formRequest(messages, tools, 'json_schema');
  expect(formed.tools).toEqual([]);
  expect(formed.messages.slice(1)).toEqual([
    { role: 'user', content: 'Begin.' },
    { role: 'assistant', content: '{"name": "read_file", "arguments": {"path":"a.py"}}' },
    { role: 'user', content: 'Result of your call:\nx = 1\n\nGo on.' },
  ]);
  expect(formed.answerSchema).toMatchObject({ anyOf: [{ properties: { name: { const: 'read_file' } } }] });
  expect(formRequest(messages, [], 'text').messages).toEqual(messages);
});

test.each([
  ['', 'fast', '[fast]\ntool_calls = "text"'],
  ['[fast]\nmodel_id = "x"\n[slow]\ntool_calls = "native"\n', 'fast', '[fast]\ntool_calls = "text"'],
  ['["qwen/coder"]\ntool_calls = "native"\n', 'qwen/coder', '["qwen/coder"]\ntool_calls = "text"'],
  ['[slow]\n', 'qwen/coder', '[slow]\n\n["qwen/coder"]\ntool_calls = "text"'],
])('setToolCalls(%j, %s) changes that line alone', (before, alias, wanted) => {
  const after = setToolCalls(before, alias, 'text');
  expect(after).toContain(wanted);
  expect(after.match(/"text"/g)).toHaveLength(1);
  expect(after.includes('[slow]\ntool_calls = "native"')).toBe(before.includes('[slow]\ntool_calls'));
});
