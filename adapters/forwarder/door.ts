/** One open door: each request is checked, counted against the bounds, carried, and settled with what it used. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DoorRequest } from '../../core/ports/agent-driver.ts';
import { doorBody, questionOf } from '../../core/model/door-body.ts';
import { doorPath } from '../../core/model/door-rules.ts';
import type { DoorRecord } from '../../core/ports/door-record.ts';
import { canonicalJson } from '../../core/text/canonical.ts';
import { worstCase } from './bounds.ts';
import { carry } from './carry.ts';
import { type Forwarded, type ForwarderTarget, readBody, send } from './upstream.ts';

/** Of all requests together, also those that are refused: what a room asks must not keep its host busy. */
const FLOOD_MAX = 10_000;
const BODY_BYTES_MAX = 1024 * 1024 * 1024;
/** Bodies that are read at once. */
const READING_MAX = 8;
/** Key, payment, permission: a person must act. */
const NO_ACCESS = new Set([401, 402, 403]);

/** Decides about each request of one room, and carries those that may pass. */
export class Door {
  /** The bound that was hit, in words. */
  limitHit: string | null = null;
  /** The status by which the endpoint said that nobody is let in: no further call can help. */
  noAccess: number | null = null;
  readonly #request: DoorRequest;
  readonly #target: ForwarderTarget | null;
  readonly #record: DoorRecord;
  readonly #floodMax: number;
  readonly #under = new Set<{ destroy(): void }>();
  #requests = 0;
  #bodyBytes = 0;
  #reading = 0;

  constructor(
    request: DoorRequest,
    target: ForwarderTarget | null,
    record: DoorRecord,
    floodMax = FLOOD_MAX,
  ) {
    this.#floodMax = floodMax;
    this.#request = request;
    this.#target = target;
    this.#record = record;
  }

  /** True once the room has asked so much that nothing of it is read any more. */
  get isShut(): boolean {
    return this.#requests > this.#floodMax || this.#bodyBytes > BODY_BYTES_MAX;
  }

  /** Counts a request of any kind. False: it gets no answer. */
  admit(): boolean {
    this.#requests += 1;
    if (this.isShut)
      this.limitHit ??= `requests of any kind, at most ${String(this.#floodMax)} with ${String(BODY_BYTES_MAX)} bytes`;
    return !this.isShut;
  }

  /** Writes a refusal down. */
  refused(url: string, status: number, message: string): void {
    this.#record.refused(url, status, message);
  }

  close(): void {
    for (const each of this.#under) each.destroy();
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = incoming.url ?? '';
    if (!this.admit()) {
      incoming.destroy();
      return;
    }
    const path = doorPath(incoming.method ?? '', url, this.#request.protocol);
    const target = this.#target;
    if (target === null) {
      this.#refuse(response, url, 403, 'This order has no model');
      return;
    }
    if (path.kind === 'refused') {
      this.#refuse(response, url, path.status, path.message);
      return;
    }
    if (path.kind === 'models') {
      const model = { id: target.modelId, object: 'model', created: 0, owned_by: 'a7' };
      send(response, 200, { object: 'list', data: [model] });
      return;
    }
    const read = await this.#read(incoming);
    if ('refused' in read) {
      this.#refuse(response, url, read.status, read.refused);
      return;
    }
    if (path.kind === 'count_tokens') {
      send(response, 200, { input_tokens: Math.ceil(read.bytes / 3) });
      return;
    }
    const { protocol, upstream } = path;
    const bound = { id: target.modelId, maxOutputTokens: target.maxOutputTokens };
    const body = doorBody(read.json, protocol, bound);
    if (body.kind === 'refused') {
      this.#refuse(response, url, 400, body.message);
      return;
    }
    await this.#pay({ target, protocol, upstream, incoming, response }, url, body);
  }

  async #read(incoming: IncomingMessage): ReturnType<typeof readBody> {
    if (this.#reading >= READING_MAX)
      return { status: 429, refused: `${String(READING_MAX)} bodies are being read; ask again` };
    this.#reading += 1;
    try {
      return await readBody(incoming, (bytes) => void (this.#bodyBytes += bytes));
    } finally {
      this.#reading -= 1;
    }
  }

  /** Answered from what was paid for, or within the bounds sent. */
  async #pay(
    at: Pick<Forwarded, 'target' | 'protocol' | 'upstream' | 'incoming' | 'response'>,
    url: string,
    { body, maxOutputTokens, dropped }: Extract<ReturnType<typeof doorBody>, { kind: 'ok' }>,
  ): Promise<void> {
    const question = `${at.upstream}\n${canonicalJson(questionOf(body))}`;
    const hash = createHash('sha256').update(question).digest('hex');
    const kept = await this.#record.takeKept(hash);
    if (kept !== null) {
      at.response.writeHead(200, { 'content-type': kept.contentType });
      at.response.end(kept.body);
      return;
    }
    const text = JSON.stringify(body);
    const worst = worstCase(text, maxOutputTokens, at.target.price, at.protocol);
    const row = { hash, path: at.upstream, bytes: Buffer.byteLength(text), dropped: dropped.slice(0, 50) };
    const sent = await this.#record.sent({ ...row, worst });
    if ('bound' in sent) {
      this.limitHit = sent.bound;
      this.#refuse(at.response, url, 400, `No further call is allowed: ${sent.bound}`);
      return;
    }
    const status = await carry({ ...at, text, call: sent.call }, this.#record, this.#under);
    if (NO_ACCESS.has(status)) this.noAccess ??= status;
  }

  #refuse(response: ServerResponse, url: string, status: number, message: string): void {
    this.refused(url, status, message);
    const error = { type: 'invalid_request_error', message: `a7-rt: ${message}`, code: 'a7_refused' };
    send(response, status, { type: 'error', error });
  }
}
