/**
 * A model that can do nothing by itself: it makes the first call that the newest text names, with the arguments written there,
 * and fills in only what stands as "..." (the product that it is given). Speaks chat completions on loopback.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChatMessage } from '../../schemas/model.ts';

export interface ObedientModel {
  readonly env: Readonly<Record<string, string>>;
  /** Calls in their order, as `tool path`. */
  readonly calls: string[];
  close(): Promise<void>;
}

interface Work {
  /** What is written to a path: the first text the first time, and so on; the last one again and again. */
  readonly files: Readonly<Record<string, readonly string[]>>;
  /** Lines for the sections of a test contract, one for each "- ..." in order. */
  readonly testContract: readonly string[];
}

export async function obedientModel(work: Work): Promise<ObedientModel> {
  const calls: string[] = [];
  const written = new Map<string, number>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      // Whether it answers at all is asked before anything is built.
      if (request.method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      const { messages, model, stream } = JSON.parse(body) as {
        messages: ChatMessage[];
        model: string;
        stream?: boolean;
      };
      if (stream === true) {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: 'stream is not supported', param: 'stream' } }));
        return;
      }
      const call = namedCall(messages.at(-1)?.content ?? '');
      if (call !== null) calls.push(`${call.name} ${pathOf(call.input)}`.trim());
      const tools =
        call === null
          ? []
          : [
              {
                id: `c${String(calls.length)}`,
                type: 'function',
                function: { name: call.name, arguments: JSON.stringify(filled(call.input, work, written)) },
              },
            ];
      const message = { role: 'assistant', content: call === null ? 'I see nothing to call.' : null };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 1,
          model,
          choices: [
            {
              index: 0,
              message: tools.length === 0 ? message : { ...message, tool_calls: tools },
              finish_reason: tools.length === 0 ? 'stop' : 'tool_calls',
            },
          ],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
  return {
    env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'obedient' },
    calls,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => {
          done();
        });
      }),
  };
}

/** The first `tool {...}` of the last line that begins with "Next". */
function namedCall(text: string): { name: string; input: Record<string, unknown> } | null {
  const line = text
    .split('\n')
    .filter((each) => each.startsWith('Next'))
    .at(-1);
  const start = /(?<name>[a-z_]+) \{/u.exec(line ?? '');
  if (line === undefined || start?.groups === undefined) return null;
  const json = line.slice(start.index + start[0].length - 1);
  for (let end = json.indexOf('}'); end !== -1; end = json.indexOf('}', end + 1)) {
    try {
      const input = JSON.parse(json.slice(0, end + 1)) as Record<string, unknown>;
      return { name: start.groups['name'] ?? '', input };
    } catch {
      // A bracket inside of the arguments.
    }
  }
  return null;
}

function filled(
  input: Record<string, unknown>,
  { files, testContract }: Work,
  written: Map<string, number>,
): Record<string, unknown> {
  const path = pathOf(input);
  const more: Record<string, unknown> = {};
  if (input['content'] === '...') {
    const times = written.get(path) ?? 0;
    written.set(path, times + 1);
    more['content'] = files[path]?.[times] ?? files[path]?.at(-1) ?? '';
  }
  if (typeof input['test_contract'] === 'string') {
    let next = 0;
    more['test_contract'] = input['test_contract'].replaceAll(
      '- ...',
      () => `- ${testContract[next++] ?? ''}`,
    );
  }
  return { ...input, ...more };
}

function pathOf(input: Record<string, unknown>): string {
  return typeof input['path'] === 'string' ? input['path'] : '';
}
