/** The way from the door to the one endpoint: a request made anew, and plain answers of our own. */
import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ModelProtocol } from '../../core/ports/agent-driver.ts';
import type { ModelPrice } from '../../schemas/model.ts';
import type { UnderWay } from './under-way.ts';

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
  /** Headers of the room's own that go on. */
  readonly passed: Readonly<Record<string, string>>;
  readonly response: ServerResponse;
  readonly call: number;
}

const BODY_BYTES_MAX = 8 * 1024 * 1024;
/** Each piece costs time, however small: a body of one-byte chunks would cost seconds. */
const PIECES_MAX = 16_384;
/** A model that thinks before it answers in one piece is silent for minutes; a dead one is ended by the agent's own limit. */
const HEADER_MS = 600_000;

/** Sends a checked call to the endpoint; settles when its headers are there. `under` holds what a closing door ends. */
export function askEndpoint(
  { target, upstream, text, passed, protocol }: Forwarded,
  under: UnderWay,
): Promise<IncomingMessage> {
  const url = new URL(`${target.baseUrl.replace(/\/+$/, '')}${upstream}`);
  const make = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const out = make(
      url,
      {
        method: 'POST',
        headers: headersOf(passed, protocol, target.key, Buffer.byteLength(text)),
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

/** Made anew: of the room's own headers only those that have a name. */
function headersOf(
  passed: Readonly<Record<string, string>>,
  protocol: ModelProtocol,
  key: string,
  bytes: number,
): Record<string, string | number> {
  return {
    ...passed,
    'content-type': 'application/json',
    'content-length': bytes,
    'accept-encoding': 'identity',
    ...(protocol === 'anthropic' ? { 'x-api-key': key } : {}),
    authorization: `Bearer ${key}`,
  };
}

type ReadBody = { readonly body: Buffer } | { readonly status: number; readonly refused: string };

/** The body of a request, or why it is not read. */
export function readBody(incoming: IncomingMessage, count: (bytes: number) => void): Promise<ReadBody> {
  const encoding = incoming.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return Promise.resolve({
      status: 415,
      refused: `A body in "${encoding.slice(0, 20)}" is not read here`,
    });
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const refuse = (status: number, refused: string): void => {
      incoming.off('data', take).pause();
      resolve({ status, refused });
    };
    const take = (piece: Buffer): void => {
      bytes += piece.byteLength;
      count(piece.byteLength);
      pieces.push(piece);
      if (bytes > BODY_BYTES_MAX) refuse(413, `The body is larger than ${String(BODY_BYTES_MAX)} bytes`);
      else if (pieces.length > PIECES_MAX)
        refuse(413, `The body comes in more than ${String(PIECES_MAX)} pieces`);
    };
    incoming.on('data', take);
    incoming.once('end', () => resolve({ body: Buffer.concat(pieces) }));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new Error('The body was cut')));
  });
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
