/** One open door: each request is checked, counted against the bounds, carried, and settled with what it used. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DoorRequest } from '../../core/ports/agent-driver.ts';
import { passedHeaders } from '../../core/model/door-headers.ts';
import { doorPath } from '../../core/model/door-rules.ts';
import type { DoorRecord } from '../../core/ports/door-record.ts';
import { worstCase } from './bounds.ts';
import { carry } from './carry.ts';
import { Share } from './share.ts';
import { UnderWay } from './under-way.ts';
import { type Forwarded, type ForwarderTarget, readBody, send } from './upstream.ts';
import { type Weighed, weighBody } from './weigh-body.ts';

/** Of all requests and all connections, also those that are refused: what a room asks must not keep its host busy. */
const FLOOD_MAX = 10_000;
const BODY_BYTES_MAX = 1024 * 1024 * 1024;
/** Pieces that bodies come in, for each request that the flood allows: reading one costs time, however small it is. */
const PIECES_A_REQUEST = 100;
/** Bodies that are read at once. */
const READING_MAX = 8;
const DROPPED_TOLD_MAX = 50;
/** Key, payment, permission: a person must act. */
const NO_ACCESS = new Set([401, 402, 403]);

type WeighedCall = Extract<Weighed, { kind: 'call' }>;
type CallPath = Pick<Forwarded, 'protocol' | 'upstream'>;

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
  readonly #under = new UnderWay();
  readonly #share = new Share();
  /** Called once, when the door shuts. */
  onShut: () => void = () => undefined;
  #requests = 0;
  #connections = 0;
  #bodyBytes = 0;
  #pieces = 0;
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
  get #isFlooded(): boolean {
    const asked = Math.max(this.#requests, this.#connections, this.#pieces / PIECES_A_REQUEST);
    return asked > this.#floodMax || this.#bodyBytes > BODY_BYTES_MAX;
  }

  /** Counts a request of any kind. False: it gets no answer. */
  admit(): boolean {
    this.#requests += 1;
    return this.#isOpen();
  }

  /** Counts a connection, whatever comes by it. False: it is ended. */
  connected(): boolean {
    this.#connections += 1;
    return this.#isOpen();
  }

  #isOpen(): boolean {
    if (!this.#isFlooded) return true;
    this.limitHit ??= `requests of any kind, at most ${String(this.#floodMax)} with ${String(BODY_BYTES_MAX)} bytes`;
    this.onShut();
    return false;
  }

  /** Writes a refusal down. */
  refused(url: string, status: number, message: string): void {
    this.#record.refused(url, status, message);
  }

  /** Ends what is under way; every paid call is settled when it resolves. */
  async close(): Promise<void> {
    await this.#under.close();
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
    const { expect } = incoming.headers;
    if (expect !== undefined) {
      if (expect.toLowerCase() !== '100-continue') {
        this.#refuse(response, url, 417, 'No such expectation is met here');
        return;
      }
      response.writeContinue();
    }
    const weighed = await this.#weigh(incoming, path, target);
    if (weighed.kind === 'refused') this.#refuse(response, url, weighed.status, weighed.message);
    else if (weighed.kind === 'counted') send(response, 200, { input_tokens: weighed.tokens });
    else if (this.#under.isFull) this.#refuse(response, url, 429, 'Too many calls are under way; ask again');
    else {
      const { protocol, upstream } = weighed.path;
      await this.#under.during(
        this.#pay({ target, incoming, response, protocol, upstream }, url, weighed.body),
      );
    }
  }

  /** Reads a body and weighs it in the room's share of this process; bodies that wait for that are bounded, too. */
  async #weigh(
    incoming: IncomingMessage,
    path: Extract<ReturnType<typeof doorPath>, { kind: 'call' | 'count_tokens' }>,
    { modelId: id, maxOutputTokens }: ForwarderTarget,
  ): Promise<
    | { readonly kind: 'refused'; readonly status: number; readonly message: string }
    | { readonly kind: 'counted'; readonly tokens: number }
    | { readonly kind: 'call'; readonly path: CallPath; readonly body: WeighedCall }
  > {
    if (this.#reading >= READING_MAX)
      return {
        kind: 'refused',
        status: 429,
        message: `${String(READING_MAX)} bodies are being read; ask again`,
      };
    this.#reading += 1;
    try {
      const read = await readBody(incoming, (bytes) => {
        this.#bodyBytes += bytes;
        this.#pieces += 1;
      });
      if ('refused' in read) return { kind: 'refused', status: read.status, message: read.refused };
      if (path.kind === 'count_tokens')
        return { kind: 'counted', tokens: Math.ceil(read.body.byteLength / 3) };
      const body = await this.#share.take(() => weighBody(read.body, path, { id, maxOutputTokens }));
      return body.kind === 'refused' ? { ...body, status: 400 } : { kind: 'call', path, body };
    } finally {
      this.#reading -= 1;
    }
  }

  /** Answered from what was paid for, or within the bounds sent. */
  async #pay(
    {
      incoming,
      ...at
    }: Pick<Forwarded, 'target' | 'protocol' | 'upstream' | 'response'> & {
      readonly incoming: IncomingMessage;
    },
    url: string,
    { hash, text, bound, dropped }: WeighedCall,
  ): Promise<void> {
    if (this.#under.isClosed) return;
    const kept = await this.#record.takeKept(hash);
    if (kept !== null) {
      at.response.writeHead(200, { 'content-type': kept.contentType });
      at.response.end(kept.body);
      return;
    }
    const worst = worstCase(text, bound, at.target.price, at.protocol);
    const passed = passedHeaders(incoming.headers, at.protocol);
    const left = [...dropped, ...passed.dropped].slice(0, DROPPED_TOLD_MAX);
    const row = { hash, path: at.upstream, bytes: Buffer.byteLength(text), dropped: left };
    const sent = await this.#record.sent({ ...row, worst });
    if ('bound' in sent) {
      this.limitHit = sent.bound;
      this.#refuse(at.response, url, 400, `No further call is allowed: ${sent.bound}`);
      return;
    }
    const call = { ...at, passed: passed.headers, text, call: sent.call };
    const status = await carry(call, this.#record, this.#under);
    if (NO_ACCESS.has(status)) this.noAccess ??= status;
  }

  #refuse(response: ServerResponse, url: string, status: number, message: string): void {
    this.refused(url, status, message);
    const error = { type: 'invalid_request_error', message: `a7-rt: ${message}`, code: 'a7_refused' };
    send(response, status, { type: 'error', error });
  }
}
