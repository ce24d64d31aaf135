/** One request under watch: sign of life, idle and total time, size of the answer; bounds are reported by name (G9). */

export interface WatchLimits {
  /** Longest silence, also before the first byte. */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly answerBytesMax: number;
}

/** Silence of 5 minutes (the client library's own bound for headers), 15 minutes in all, 16 MiB. */
export const DEFAULT_WATCH_LIMITS: WatchLimits = {
  idleTimeoutMs: 300_000,
  totalTimeoutMs: 900_000,
  answerBytesMax: 16 * 1024 * 1024,
};

const RAW_CHARS_KEPT = 4000;
const LAST_CHARS_KEPT = 64;

export interface Watch {
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** Why the watch ended the request; null when it did not. */
  reason(): string | null;
  /** Status of the response; null before it came. */
  status(): number | null;
  bytes(): number;
  /** The first characters of the body. */
  raw(): string;
  /** The last characters of the body. */
  last(): string;
  stop(): void;
}

/** Starts the clocks. `outer` ends the request as abandoned. */
export function startWatch(limits: WatchLimits, outer: AbortSignal, onBytes: (bytes: number) => void): Watch {
  const controller = new AbortController();
  const state = { reason: null as string | null, status: null as number | null, bytes: 0, raw: '', last: '' };
  const end = (reason: string): void => {
    state.reason ??= reason;
    controller.abort(new Error(reason));
  };
  const idle = setTimeout(
    () => end(`Nothing came for ${String(limits.idleTimeoutMs)} ms`),
    limits.idleTimeoutMs,
  );
  const total = setTimeout(
    () => end(`No end after ${String(limits.totalTimeoutMs)} ms`),
    limits.totalTimeoutMs,
  );
  const onOuter = (): void => end('Abandoned by its process');
  if (outer.aborted) onOuter();
  outer.addEventListener('abort', onOuter, { once: true });

  const take = (chunk: Uint8Array): void => {
    idle.refresh();
    state.bytes += chunk.byteLength;
    const text = Buffer.from(chunk).toString('utf8');
    if (state.raw.length < RAW_CHARS_KEPT) state.raw += text.slice(0, RAW_CHARS_KEPT);
    state.last = (state.last + text).slice(-LAST_CHARS_KEPT);
    if (state.bytes > limits.answerBytesMax)
      end(`Answer is larger than ${String(limits.answerBytesMax)} bytes`);
    onBytes(state.bytes);
  };
  const watchedFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    idle.refresh();
    state.status = response.status;
    return response.body === null ? response : withTap(response, response.body, take);
  };
  return {
    fetch: watchedFetch,
    signal: controller.signal,
    reason: () => state.reason,
    status: () => state.status,
    bytes: () => state.bytes,
    raw: () => state.raw,
    last: () => state.last,
    stop: () => {
      clearTimeout(idle);
      clearTimeout(total);
      outer.removeEventListener('abort', onOuter);
    },
  };
}

function withTap(
  response: Response,
  body: NonNullable<Response['body']>,
  take: (chunk: Uint8Array) => void,
): Response {
  const tap = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      take(chunk);
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body.pipeThrough(tap), { status, statusText, headers });
}
