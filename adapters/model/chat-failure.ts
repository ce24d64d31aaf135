/** From what the client library throws to what happened on the wire. */
import type { CallFailure } from '../../core/model/failure.ts';
import { retryAfterMs } from '../../core/model/failure.ts';
import { redactMessage } from '../../core/model/redact.ts';
import type { Watch } from './watched-fetch.ts';

/** Codes that prove that no byte of the request reached the endpoint. */
const UNSENT_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_INVALID_URL',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
/** What `fetch` says, without a code, of a port that it never connects to. */
const BLOCKED_PORT = 'bad port';
const CAUSES_MAX = 8;

/** Never holds `apiKey` (M5). */
export function readFailure(error: unknown, watch: Watch, apiKey: string): CallFailure {
  const status = numberField(error, 'status');
  const ended = watch.reason();
  if (ended !== null) return { kind: 'broken', message: ended };
  if (status !== null) return statusFailure(error, status, apiKey);
  const message = redactMessage(deepestMessage(error), apiKey);
  const isUnsent = watch.status() === null && causes(error).some(neverSent);
  if (isUnsent) return { kind: 'unsent', message };
  return {
    kind: 'broken',
    message: `Connection lost after ${String(watch.bytes())} bytes of the answer: ${message}`,
  };
}

function neverSent(cause: unknown): boolean {
  return UNSENT_CODES.has(textField(cause, 'code')) || textField(cause, 'message') === BLOCKED_PORT;
}

function statusFailure(error: unknown, status: number, apiKey: string): CallFailure {
  const headers = field(error, 'headers');
  const header = (name: string): string | null => (headers instanceof Headers ? headers.get(name) : null);
  const milliseconds = Number(header('retry-after-ms') ?? Number.NaN);
  return {
    kind: 'status',
    status,
    code: textField(error, 'code') || textField(error, 'type'),
    message: redactMessage(textField(error, 'message').replace(/^\d{3} /, ''), apiKey),
    retryAfterMs: Number.isFinite(milliseconds)
      ? retryAfterMs(String(milliseconds / 1000), Date.now())
      : retryAfterMs(header('retry-after'), Date.now()),
  };
}

function deepestMessage(error: unknown): string {
  const messages = causes(error).map((cause) => textField(cause, 'message') || textField(cause, 'code'));
  return messages.filter((message) => message !== '').at(-1) ?? 'unknown error';
}

function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (
    let cause = error;
    cause !== undefined && cause !== null && chain.length < CAUSES_MAX;
    cause = field(cause, 'cause')
  ) {
    chain.push(cause);
    const inner = field(cause, 'errors');
    if (Array.isArray(inner)) chain.push(...(inner as readonly unknown[]).slice(0, CAUSES_MAX));
  }
  return chain;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textField(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === 'string' ? found : '';
}

function numberField(value: unknown, name: string): number | null {
  const found = field(value, name);
  return typeof found === 'number' ? found : null;
}
