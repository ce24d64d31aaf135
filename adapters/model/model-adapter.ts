/**
 * The model port over stored calls (design part 4). One running promise a call and process: attempts that overlap
 * share it, and an attempt that is cancelled leaves it running (M6).
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { canonicalRequest } from '../../core/model/canonical-request.ts';
import { isInScope } from '../../core/model/call-key.ts';
import type {
  ModelCallOptions,
  ModelOutcome,
  ModelPort,
  ModelProgress,
  ModelRequest,
} from '../../core/ports/model.ts';
import type { ObjectStore } from '../../core/ports/objects.ts';
import { sha256 } from '../system/sha256.ts';
import type { HeldAnswers } from './call-answer.ts';
import type { WithLock } from './call-claim.ts';
import { callFolder } from './call-files.ts';
import { runCall } from './call-run.ts';
import type { CallStep } from './call-step.ts';
import { createChatClient } from './chat-client.ts';
import { DEFAULT_WATCH_LIMITS, type WatchLimits } from './watched-fetch.ts';

export interface ModelAdapterOptions {
  /** Where answers of a session go: `<session>/objects`. */
  readonly objectsOf: (sessionDir: string) => ObjectStore;
  /** Exclusion across processes, for example `withLock` of the store. */
  readonly withLock: WithLock;
  /** Where API keys are looked up. Default: the environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly limits?: WatchLimits;
  /** How often an attempt looks for the answer of another process. Default 250 ms. */
  readonly pollMs?: number;
  /** How often `onProgress` is called while nothing comes. Default 1,000 ms. */
  readonly progressEveryMs?: number;
  /** Told what a person should know while calls are tried again; the same text at most once a minute. */
  readonly tell?: (text: string) => void;
  /** Called at each durable step; crash tests strike here. */
  readonly onStep?: (step: CallStep, request: ModelRequest) => void | Promise<void>;
}

interface RunningCall {
  readonly requestHash: string;
  readonly outcome: Promise<ModelOutcome>;
  readonly waiters: Set<(progress: ModelProgress) => void>;
  readonly abort: AbortController;
  isSent: boolean;
  last: ModelProgress;
}

const POLL_DEFAULT_MS = 250;
const PROGRESS_DEFAULT_MS = 1000;
const TOLD_AGAIN_MS = 60_000;

/** By call folder, of the whole process: overlapping attempts find each other whatever adapter they came through. */
const running = new Map<string, RunningCall>();

/** Builds the port. */
export function createModelAdapter(options: ModelAdapterOptions): ModelPort {
  const own = new Set<RunningCall>();
  const start = createStarter(options, own);
  let isClosed = false;
  return {
    async call(request, callOptions = {}) {
      if (!isInScope(request.key, request.cap.scope)) {
        throw new RangeError(
          `Cannot call model: key "${request.key}" must lie under its cap's scope "${request.cap.scope}"`,
        );
      }
      const folder = callFolder(request.sessionDir, request.key);
      const canonical = canonicalRequest(request);
      const requestHash = sha256(canonical);
      for (;;) {
        if (isClosed || isAborted(callOptions)) return { kind: 'cancelled', sent: false };
        const call = running.get(folder) ?? start(request, folder, canonical, requestHash, callOptions);
        if (call.requestHash !== requestHash)
          return { kind: 'conflict', storedHash: call.requestHash, requestHash };
        const outcome = await waitFor(call, callOptions, options.progressEveryMs ?? PROGRESS_DEFAULT_MS);
        // The attempt that was joined gave up unsent as its own caller left: begin anew.
        const isDeserted = outcome.kind === 'cancelled' && !outcome.sent && !isAborted(callOptions);
        if (!isDeserted) return outcome;
      }
    },
    inFlight: () => [...own].filter((call) => call.isSent).length,
    close: (graceMs) => {
      isClosed = true;
      return closeCalls(own, graceMs);
    },
  };
}

type Starter = (
  request: ModelRequest,
  folder: string,
  canonical: string,
  requestHash: string,
  callOptions: ModelCallOptions,
) => RunningCall;

function createStarter(options: ModelAdapterOptions, own: Set<RunningCall>): Starter {
  const limits = options.limits ?? DEFAULT_WATCH_LIMITS;
  const client = createChatClient(limits);
  const held: HeldAnswers = new Map();
  const tell = sparingly(options.tell ?? (() => undefined));
  return (request, folder, canonical, requestHash, callOptions) => {
    const waiters: RunningCall['waiters'] = new Set();
    const abort = new AbortController();
    const progress = (value: ModelProgress): void => {
      call.last = value;
      for (const waiter of waiters) waiter(value);
    };
    // Begins in the next turn of the loop, when its first waiter is there.
    const outcome = nextTurn().then(() =>
      runCall({
        request,
        folder,
        requestHash,
        requestBytes: Buffer.byteLength(canonical),
        totalTimeoutMs: limits.totalTimeoutMs,
        client,
        objects: options.objectsOf(request.sessionDir),
        held,
        env: options.env ?? process.env,
        withLock: options.withLock,
        pollMs: options.pollMs ?? POLL_DEFAULT_MS,
        signal: abort.signal,
        checkFence: callOptions.checkFence ?? (() => Promise.resolve(true)),
        onStep: async (step) => options.onStep?.(step, request),
        onProgress: progress,
        isDeserted: () => waiters.size === 0 || abort.signal.aborted,
        onSent: () => (call.isSent = true),
        tell,
      }),
    );
    const call: RunningCall = {
      requestHash,
      waiters,
      abort,
      isSent: false,
      last: { phase: 'waiting', bytes: 0 },
      outcome: outcome.finally(() => {
        running.delete(folder);
        own.delete(call);
      }),
    };
    // A caller that was cancelled reads no outcome: its failure must not end the process.
    call.outcome.catch(() => undefined);
    running.set(folder, call);
    own.add(call);
    return call;
  };
}

function sparingly(tell: (text: string) => void): (text: string) => void {
  const told = new Map<string, number>();
  return (text) => {
    const now = performance.now();
    if (now - (told.get(text) ?? -Infinity) < TOLD_AGAIN_MS) return;
    told.set(text, now);
    tell(text);
  };
}

/** The outcome, or `cancelled` as soon as the signal says so; a sign of life in between. */
async function waitFor(call: RunningCall, options: ModelCallOptions, everyMs: number): Promise<ModelOutcome> {
  const waiter = (progress: ModelProgress): void => options.onProgress?.(progress);
  call.waiters.add(waiter);
  const timer = setInterval(() => waiter(call.last), everyMs);
  const { promise: cancelled, resolve } = withResolvers();
  const onAbort = (): void => resolve({ kind: 'cancelled', sent: call.isSent });
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const outcome = await Promise.race([call.outcome, cancelled]);
    // The answer is stored whoever owns the session now; only its use is the owner's.
    const isOwner = outcome.kind !== 'answered' || ((await options.checkFence?.()) ?? true);
    return isOwner ? outcome : { kind: 'fence_lost' };
  } finally {
    clearInterval(timer);
    options.signal?.removeEventListener('abort', onAbort);
    call.waiters.delete(waiter);
  }
}

async function closeCalls(own: ReadonlySet<RunningCall>, graceMs: number): Promise<number> {
  const ended = (): Promise<unknown> => Promise.allSettled([...own].map((call) => call.outcome));
  const timer = new AbortController();
  await Promise.race([ended(), sleep(graceMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
  const left = [...own];
  for (const call of left) call.abort.abort();
  await ended();
  return left.filter((call) => call.isSent).length;
}

function isAborted(options: ModelCallOptions): boolean {
  return options.signal?.aborted ?? false;
}

function withResolvers(): { promise: Promise<ModelOutcome>; resolve: (outcome: ModelOutcome) => void } {
  let resolve: (outcome: ModelOutcome) => void = () => undefined;
  const promise = new Promise<ModelOutcome>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
