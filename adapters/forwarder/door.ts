/** One open door: each request is checked, counted against the order's bounds, carried, and settled with what it used. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DoorRequest } from '../../core/ports/agent-driver.ts';
import { doorBody, doorPath } from '../../core/model/door-rules.ts';
import { costOf, worstCaseOf } from '../../core/model/cost.ts';
import { canonicalJson } from '../../core/text/canonical.ts';
import { AnswerReader } from './answer-reader.ts';
import type { CallRecord } from './call-record.ts';
import { askEndpoint, type Forwarded, type ForwarderTarget, readBody, send } from './upstream.ts';

const STALL_MS = 120_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** Decides about each request of one room, and carries those that may pass. */
export class Door {
  limitHit: string | null = null;
  readonly #request: DoorRequest;
  readonly #target: ForwarderTarget | null;
  readonly #record: CallRecord;
  readonly #under = new Set<{ destroy(): void }>();
  #reservedMicroUsd = 0;
  #reservedTokens = 0;

  constructor(request: DoorRequest, target: ForwarderTarget | null, record: CallRecord) {
    this.#request = request;
    this.#target = target;
    this.#record = record;
  }

  close(): void {
    for (const each of this.#under) each.destroy();
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = incoming.method ?? '';
    const url = incoming.url ?? '';
    const path = doorPath(method, url, this.#request.protocol);
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
      send(response, 200, {
        object: 'list',
        data: [{ id: target.modelId, object: 'model', created: 0, owned_by: 'a7' }],
      });
      return;
    }
    const read = await readBody(incoming);
    if (typeof read === 'string') {
      this.#refuse(response, url, 413, read);
      return;
    }
    if (path.kind === 'count_tokens') {
      send(response, 200, { input_tokens: Math.ceil(read.bytes / 3) });
      return;
    }
    const body = doorBody(read.json, path.protocol, {
      id: target.modelId,
      maxOutputTokens: target.maxOutputTokens,
    });
    if (body.kind === 'refused') {
      this.#refuse(response, url, 400, body.message);
      return;
    }
    await this.#pay(
      { target, protocol: path.protocol, upstream: path.upstream, incoming, response, url },
      body,
    );
  }

  /** Answered from what was paid for, or within the bounds sent. */
  async #pay(
    at: Pick<Forwarded, 'target' | 'protocol' | 'upstream' | 'incoming' | 'response'> & {
      readonly url: string;
    },
    body: { readonly body: Readonly<Record<string, unknown>>; readonly maxOutputTokens: number },
  ): Promise<void> {
    const { target, response, url } = at;
    const hash = createHash('sha256')
      .update(`${at.upstream}\n${canonicalJson(body.body)}`)
      .digest('hex');
    const kept = this.#record.takeKept(hash);
    if (kept !== null) {
      response.writeHead(200, { 'content-type': kept.contentType });
      response.end(kept.body);
      return;
    }
    const text = JSON.stringify(body.body);
    const worst = worstCaseOf({
      requestBytes: Buffer.byteLength(text),
      messages: 0,
      tools: 0,
      maxOutputTokens: body.maxOutputTokens,
      price: target.price,
    });
    const bound = this.#bound(worst);
    if (bound !== null) {
      this.limitHit = bound;
      this.#refuse(response, url, 400, `The order allows no further call: ${bound}`);
      return;
    }
    const call = this.#record.sent({
      hash,
      path: at.upstream,
      bytes: Buffer.byteLength(text),
      worstTokens: worst.tokens,
      worstMicroUsd: worst.microUsd,
    });
    this.#reservedMicroUsd += worst.microUsd ?? 0;
    this.#reservedTokens += worst.tokens;
    try {
      await this.#forward({ ...at, text, call, worst });
    } finally {
      this.#reservedMicroUsd -= worst.microUsd ?? 0;
      this.#reservedTokens -= worst.tokens;
    }
  }

  /** The bound that this call would pass; null for none. */
  #bound(worst: { readonly microUsd: number | null; readonly tokens: number }): string | null {
    const { limits } = this.#request.order;
    const { spent } = this.#request;
    const used = this.#record.usage();
    if (this.#record.calls() >= limits.requestsMax)
      return `requests an iteration, at most ${String(limits.requestsMax)}`;
    if (worst.microUsd !== null) {
      const total =
        (spent.costMicroUsd ?? 0) + (used.costMicroUsd ?? 0) + this.#reservedMicroUsd + worst.microUsd;
      if (total > limits.costMicroUsd)
        return `max-cost ${(limits.costMicroUsd / 1e6).toFixed(2)} USD; spent, under way and the worst case of this call come to ${(total / 1e6).toFixed(4)} USD`;
      return null;
    }
    const tokens =
      spent.inputTokens +
      spent.outputTokens +
      used.inputTokens +
      used.outputTokens +
      this.#reservedTokens +
      worst.tokens;
    return tokens > limits.tokensMax
      ? `tokens of a model without a price, at most ${String(limits.tokensMax)}`
      : null;
  }

  #refuse(response: ServerResponse, url: string, status: number, message: string): void {
    this.#record.refused(url, status, message);
    send(response, status, {
      type: 'error',
      error: { type: 'invalid_request_error', message: `a7-rt: ${message}`, code: 'a7_refused' },
    });
  }

  async #forward(call: Forwarded): Promise<void> {
    const { target, protocol, response } = call;
    const reader = new AnswerReader(protocol, target.key);
    const settle = (status: number, contentType: string | null): void =>
      this.#settle(call, reader, status, contentType);
    const answer = await askEndpoint(call, this.#under).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (typeof answer === 'string') {
      settle(0, null);
      // The one status that no agent retries for minutes (drivers: a model that stops answering).
      send(response, 400, {
        type: 'error',
        error: {
          type: 'api_error',
          message: `a7-rt: the model endpoint failed: ${answer.replaceAll(target.key, '***')}`,
        },
      });
      return;
    }
    const status = answer.statusCode ?? 502;
    const contentType = answer.headers['content-type'] ?? 'application/json';
    const retryAfter = answer.headers['retry-after'];
    response.writeHead(status, {
      'content-type': contentType,
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    });
    try {
      let bytes = 0;
      answer.setTimeout(STALL_MS, () => answer.destroy(new Error('the answer stalled')));
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        bytes += chunk.byteLength;
        if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer is too large');
        const shown = reader.push(chunk);
        if (shown.byteLength > 0 && !response.destroyed) response.write(shown);
      }
      const rest = reader.end();
      settle(status, contentType);
      response.end(rest);
    } catch {
      settle(status, null);
      response.destroy();
    } finally {
      this.#under.delete(answer);
    }
  }

  #settle(call: Forwarded, reader: AnswerReader, status: number, contentType: string | null): void {
    const { target } = call;

    const usage = reader.usage();
    const isBilled = status === 200;
    const known =
      usage ??
      (isBilled ? { inputTokens: call.worst.tokens, outputTokens: 0 } : { inputTokens: 0, outputTokens: 0 });
    const priced =
      target.price === null
        ? null
        : usage === null
          ? isBilled
            ? call.worst.microUsd
            : 0
          : costOf({ ...usage, cachedInputTokens: 0, reasoningTokens: 0 }, target.price);
    const isWhole = isBilled && reader.isWhole && contentType !== null;
    this.#record.settled(
      {
        call: call.call,
        status,
        ...known,
        costMicroUsd: priced,
        contentType: isWhole ? contentType : null,
      },
      isWhole ? reader.body() : null,
    );
  }
}
