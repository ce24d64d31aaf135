/** A door on the host with an endpoint behind it that keeps what it was sent: for tests and attacks of the forwarder. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ForwarderOptions, openForwarder } from '../../adapters/forwarder/forwarder.ts';
import type { ForwarderTarget } from '../../adapters/forwarder/upstream.ts';
import type { DoorRequest, OpenDoor } from '../../core/ports/agent-driver.ts';

export const KEY = 'sk-the-real-key-of-the-host-0123456789';

export interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface DoorYard {
  /** What reached the endpoint. */
  readonly seen: Seen[];
  /** How it answers; default: one chat completion. */
  answer: (response: ServerResponse, seen: Seen) => void;
  open(
    request?: Partial<DoorRequest> & Partial<Pick<ForwarderOptions, 'http' | 'floodMax' | 'doors'>>,
    target?: Partial<ForwarderTarget>,
  ): Promise<OpenDoor>;
  /** Sends bytes to the door of `open` and reads what comes until it closes. */
  raw(door: OpenDoor, ...pieces: (string | Buffer)[]): Promise<string>;
  rows(): Record<string, unknown>[];
  fresh(): void;
  /** Of everything that it makes. */
  readonly home: string;
  close(): Promise<void>;
}

export const CHAT_ANSWER = JSON.stringify({
  id: 'c1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 40, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 0 } },
});

export const json =
  (body: string, status = 200) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(body);

export async function doorYard(): Promise<DoorYard> {
  const home = mkdtempSync(join(tmpdir(), 'a7-door-'));
  const seen: Seen[] = [];
  const doors = new Set<OpenDoor>();
  let turn = 0;
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    incoming.on('end', () => {
      const one = { url: incoming.url ?? '', headers: incoming.headers, body };
      seen.push(one);
      yard.answer(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const folder = (): string => join(home, `turn-${String(turn)}`);
  const yard: DoorYard = {
    seen,
    home,
    answer: json(CHAT_ANSWER),
    async open({ http: times, floodMax, doors: at, ...request } = {}, target = {}): Promise<OpenDoor> {
      const door = await openForwarder({
        ...(times === undefined ? {} : { http: times }),
        ...(floodMax === undefined ? {} : { floodMax }),
        request: {
          agent: { model: 'm', baseUrl: null },
          limits: { costMicroUsd: 1_000_000, tokensMax: 100_000, requestsMax: 20 },
          networkHosts: [],
          protocol: 'chat',
          spent: { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
          folder: folder(),
          ...request,
        },
        target: {
          modelId: 'real-model',
          baseUrl: `http://127.0.0.1:${String(port)}/v1`,
          maxOutputTokens: 100,
          price: null,
          key: KEY,
          ...target,
        },
        doors: at ?? join(home, 'doors'),
      });
      doors.add(door);
      return door;
    },
    raw: (door, ...pieces) =>
      new Promise((resolve) => {
        let text = '';
        const socket = connect(join(door.folder, 'model.sock'), () => {
          for (const piece of pieces) socket.write(piece);
        });
        socket.on('data', (chunk) => (text += chunk.toString('latin1')));
        socket.on('error', () => resolve(text));
        socket.on('close', () => resolve(text));
        // A door that leaves a connection open fails its test by what it said, not by the time of the test.
        socket.setTimeout(RAW_TIMEOUT_MS, () => socket.destroy());
      }),
    rows: () =>
      readFileSync(join(folder(), 'calls.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    fresh(): void {
      turn += 1;
      seen.length = 0;
      yard.answer = json(CHAT_ANSWER);
    },
    async close(): Promise<void> {
      await Promise.all([...doors].map((door) => door.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(home, { recursive: true, force: true });
    },
  };
  return yard;
}

/** A request as it goes over the wire. */
export function http(line: string, body?: unknown, headers: readonly string[] = []): string {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const length = body === undefined ? [] : [`content-length: ${String(Buffer.byteLength(text))}`];
  return [`${line} HTTP/1.1`, 'host: model', 'connection: close', ...length, ...headers, '', text].join(
    '\r\n',
  );
}

const RAW_TIMEOUT_MS = 30_000;

export const CHAT = 'POST /v1/chat/completions';
export const HELLO = { model: 'dear', messages: [{ role: 'user', content: 'hello' }] };
