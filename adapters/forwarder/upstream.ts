/** The way from the door to the one endpoint: a request made anew, and plain answers of our own. */
import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ModelProtocol } from '../../core/ports/agent-driver.ts';
import type { ModelPrice } from '../../schemas/model.ts';

export interface ForwarderTarget {
  readonly modelId: string;
  /** For example `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly maxOutputTokens: number;
  readonly price: ModelPrice | null;
  readonly key: string;
}

/** One call on its way. */
export interface Forwarded {
  readonly target: ForwarderTarget;
  readonly protocol: ModelProtocol;
  readonly upstream: string;
  readonly text: string;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly call: number;
}

const BODY_BYTES_MAX = 8 * 1024 * 1024;
const HEADER_MS = 120_000;

/** Sends a checked call to the endpoint; settles when its headers are there. `under` holds what a closing door ends. */
export function askEndpoint(
  { target, upstream, text, incoming, protocol }: Forwarded,
  under: Set<{ destroy(): void }>,
): Promise<IncomingMessage> {
  const url = new URL(`${target.baseUrl.replace(/\/+$/, '')}${upstream}`);
  const make = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const out = make(
      url,
      {
        method: 'POST',
        headers: headersOf(incoming, protocol, target.key, Buffer.byteLength(text)),
        timeout: HEADER_MS,
        // A connection that is kept may be closed by the endpoint as the next call is written: nobody would know whether it was billed.
        agent: false,
      },
      (answer) => {
        under.add(answer);
        under.delete(out);
        resolve(answer);
      },
    );
    under.add(out);
    out.on('timeout', () => out.destroy(new Error(`no answer within ${String(HEADER_MS / 1000)} s`)));
    out.on('error', (error) => {
      under.delete(out);
      reject(error);
    });
    out.end(text);
  });
}

/** Made anew: of the room's own headers only those that say how to read the body. */
function headersOf(
  incoming: IncomingMessage,
  protocol: ModelProtocol,
  key: string,
  bytes: number,
): Record<string, string | number> {
  const passed = ['anthropic-version', 'anthropic-beta', 'accept', 'openai-beta'].flatMap((name) => {
    const value = incoming.headers[name];
    return typeof value === 'string' && value.length < 1000 ? [[name, value] as const] : [];
  });
  return {
    ...Object.fromEntries(passed),
    'content-type': 'application/json',
    'content-length': bytes,
    'accept-encoding': 'identity',
    ...(protocol === 'anthropic' ? { 'x-api-key': key } : {}),
    authorization: `Bearer ${key}`,
  };
}

/** The body of a request, or why it is not read. */
export async function readBody(
  incoming: IncomingMessage,
  count: (bytes: number) => void,
): Promise<{ readonly body: Buffer } | { readonly status: number; readonly refused: string }> {
  const encoding = incoming.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return { status: 415, refused: `A body in "${encoding.slice(0, 20)}" is not read here` };
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    count(chunk.byteLength);
    if (bytes > BODY_BYTES_MAX)
      return { status: 413, refused: `The body is larger than ${String(BODY_BYTES_MAX)} bytes` };
    chunks.push(chunk);
  }
  return { body: Buffer.concat(chunks) };
}

/** An answer of ours. */
export function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(body));
}
