/** Writing responses: JSON, errors in the API's shape, streams, and the faults that break them. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiError } from '../../core/scripted-model/strict.ts';
import type { ScriptedProtocol } from '../../core/scripted-model/protocols.ts';
import type { ScriptFault } from '../../schemas/model-script.ts';

/** A ready answer: a whole body, or the events of a stream. */
export type Payload =
  | { readonly kind: 'whole'; readonly body: string }
  | { readonly kind: 'stream'; readonly events: readonly string[]; readonly chunkDelayMs: number };

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function sendError(
  response: ServerResponse,
  error: ApiError,
  headers: Record<string, string> = {},
  protocol: ScriptedProtocol = 'chat',
): void {
  const { message, param, code } = error;
  if (protocol === 'messages') {
    const inner = { type: MESSAGES_ERRORS[error.status] ?? 'api_error', message };
    sendJson(response, error.status, { type: 'error', error: inner, request_id: null }, headers);
    return;
  }
  const type =
    error.status === 429
      ? 'rate_limit_error'
      : error.status >= 500
        ? 'server_error'
        : 'invalid_request_error';
  sendJson(response, error.status, { error: { message, type, param, code } }, headers);
}

const MESSAGES_ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export async function sendPayload(response: ServerResponse, payload: Payload): Promise<void> {
  writeHead(response, payload);
  if (payload.kind === 'whole') {
    response.end(payload.body);
    return;
  }
  for (const event of payload.events) {
    if (response.destroyed) return;
    response.write(eventText(event));
    if (payload.chunkDelayMs > 0) await sleep(payload.chunkDelayMs, undefined, { ref: false });
  }
  response.end();
}

/** Plays a fault in place of, or in the middle of, the answer. */
export async function sendFault(
  response: ServerResponse,
  fault: ScriptFault,
  payload: Payload,
  protocol: ScriptedProtocol,
): Promise<void> {
  switch (fault.kind) {
    case 'status': {
      const retryAfter = fault.retry_after_seconds;
      const headers: Record<string, string> =
        retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
      sendError(
        response,
        { status: fault.status, message: fault.message, code: fault.code, param: null },
        headers,
        protocol,
      );
      return;
    }
    case 'refuse_stream':
      sendError(
        response,
        {
          status: 400,
          message: 'Streaming is not supported: set "stream" to false.',
          code: null,
          param: 'stream',
        },
        {},
        protocol,
      );
      return;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(fault.body);
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>Welcome</title>');
      return;
    case 'invalid_event':
      await sendPayload(response, withInvalidEvent(payload));
      return;
    case 'drop':
      await writeStart(response, payload, fault.after_bytes);
      response.destroy();
      return;
    case 'stall':
      await writeStart(response, payload, fault.after_bytes);
  }
}

function withInvalidEvent(payload: Payload): Payload {
  if (payload.kind === 'whole') return { kind: 'whole', body: payload.body.slice(0, -5) };
  return {
    ...payload,
    events: [...payload.events.slice(0, 1), '{"id": "broken', ...payload.events.slice(1)],
  };
}

async function writeStart(response: ServerResponse, payload: Payload, bytes: number): Promise<void> {
  if (bytes === 0) return;
  const text = payload.kind === 'whole' ? payload.body : payload.events.map(eventText).join('');
  writeHead(response, payload);
  await new Promise<void>((resolve) => {
    response.write(Buffer.from(text).subarray(0, bytes), () => {
      resolve();
    });
  });
}

function writeHead(response: ServerResponse, payload: Payload): void {
  const contentType = payload.kind === 'whole' ? 'application/json' : 'text/event-stream';
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' });
}

/** An event with a name brings its own lines. */
function eventText(event: string): string {
  if (event.startsWith('event: ')) return `${event}\n\n`;
  return `data: ${event}\n\n`;
}
