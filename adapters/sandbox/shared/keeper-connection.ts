/**
 * The host's end of one room: sends the job, gathers the keeper's frames, and never waits without a bound.
 * It decides nothing: what the frames prove is read in `verdict.ts`.
 */
import type { Readable, Writable } from 'node:stream';
import type { RefusedEntry } from '../../../core/ports/sandbox.ts';
import { CANCEL_BYTE, encodePlan, FrameReader, KeeperReport } from './room-protocol.ts';
import type { Frame, RoomPlan } from './room-protocol.ts';

/** Streams to the keeper, and the one act that ends a room for sure. */
export interface KeeperWires {
  readonly stdin: Writable;
  readonly stdout: Readable;
  kill(): void;
}

/** What is sent into a room. */
export interface KeeperJob {
  readonly plan: RoomPlan;
  readonly tar: Buffer;
  readonly stdin: Uint8Array;
  /** Called when everything is laid and the command starts. */
  readonly onStarted?: () => void;
  /** Called with what the command writes, as it comes. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', bytes: Uint8Array) => void) | undefined;
}

/** Output of one process: what was kept, and how many bytes it wrote. */
export interface StreamRecord {
  readonly chunks: Buffer[];
  bytes: number;
}

/** Everything that was seen of a room. `failure` says why there is no report. */
export interface KeeperRecord {
  report: KeeperReport | null;
  failure: string | null;
  cancelled: boolean;
  started: boolean;
  /** Key: `o` or `e`, then the number of the process. */
  readonly streams: Map<string, StreamRecord>;
  readonly tar: Buffer[];
  readonly refused: RefusedEntry[];
  /** `<number of the folder>/<path>` of laid files that are unchanged. */
  readonly kept: string[];
}

const READY_MS = 30_000;
const LAYING_MS = 60_000;
const ANSWER_MS = 10_000;
const CANCEL_MS = 3_000;
const REFUSALS_MAX = 1_000;
const REASONS = new Set<string>(['socket', 'too_many', 'too_large', 'path', 'other']);

/** One connection serves one run. `ready()` settles when the keeper answers; `run()` always settles. */
export class KeeperConnection {
  readonly #wires: KeeperWires;
  readonly #frames = new FrameReader();
  readonly #record: KeeperRecord = {
    report: null,
    failure: null,
    cancelled: false,
    started: false,
    streams: new Map(),
    tar: [],
    refused: [],
    kept: [],
  };
  #tarBytesLeft = 0;
  #onStarted: (() => void) | undefined;
  #onOutput: KeeperJob['onOutput'];
  #timer: NodeJS.Timeout | undefined;
  #settleReady: (alive: boolean) => void = () => undefined;
  #settleRun: () => void = () => undefined;
  readonly #ready: Promise<boolean>;
  readonly #ended: Promise<void>;

  constructor(wires: KeeperWires) {
    this.#wires = wires;
    this.#ready = new Promise((resolve) => (this.#settleReady = resolve));
    this.#ended = new Promise((resolve) => (this.#settleRun = resolve));
    this.#expect(READY_MS, 'the keeper did not start');
    wires.stdout.on('data', (chunk: Buffer) => {
      this.#read(chunk);
    });
    const lost = (): void => {
      this.#fail('the keeper ended without a report');
    };
    for (const event of ['end', 'close', 'error']) wires.stdout.on(event, lost);
    wires.stdin.on('error', lost);
  }

  /** True when the keeper is up; false when the room is lost. */
  async ready(): Promise<boolean> {
    return await this.#ready;
  }

  /** False once the room is lost or has done its one run. */
  get isIdle(): boolean {
    return this.#record.failure === null && this.#record.report === null && !this.#record.started;
  }

  /** Sends the job and waits for its proven end. An abort asks the keeper to stop, then kills the room. */
  async run(job: KeeperJob, signal?: AbortSignal): Promise<KeeperRecord> {
    const { plan } = job;
    this.#tarBytesLeft = plan.collectBytes + (plan.filesMax + 8) * 3072;
    this.#onStarted = () => {
      this.#expect(
        plan.boundMs + ANSWER_MS,
        `the keeper did not answer ${ANSWER_MS} ms after the wall limit`,
      );
      job.onStarted?.();
    };
    const cancel = (): void => {
      this.#record.cancelled = true;
      if (this.#record.started) this.#wires.stdin.write(CANCEL_BYTE);
      else this.#fail('cancelled before the command started');
      this.#expect(CANCEL_MS, 'the keeper did not answer the cancellation');
    };
    this.#onOutput = job.onOutput;
    this.#expect(LAYING_MS, 'the tree was not laid in time');
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
    if (this.#record.failure === null) {
      for (const part of [encodePlan(plan), job.tar, job.stdin]) this.#wires.stdin.write(part);
    }
    await this.#ended;
    signal?.removeEventListener('abort', cancel);
    return this.#record;
  }

  /** Ends the room now; a pending run settles as lost. */
  kill(reason: string): void {
    this.#fail(reason);
  }

  #expect(ms: number, otherwise: string): void {
    clearTimeout(this.#timer);
    if (this.#record.failure !== null || this.#record.report !== null) return;
    this.#timer = setTimeout(() => {
      this.#fail(otherwise);
    }, ms);
  }

  #fail(reason: string): void {
    if (this.#record.report === null && this.#record.failure === null) {
      this.#record.failure = reason;
      this.#wires.kill();
    }
    clearTimeout(this.#timer);
    this.#settleReady(false);
    this.#settleRun();
  }

  #read(chunk: Buffer): void {
    if (this.#record.failure !== null || this.#record.report !== null) return;
    try {
      for (const frame of this.#frames.push(chunk)) this.#take(frame);
    } catch (error) {
      this.#fail(`the keeper sent what cannot be read: ${String(error)}`);
    }
  }

  #take({ kind, payload }: Frame): void {
    switch (kind) {
      case 'r':
        clearTimeout(this.#timer);
        this.#settleReady(true);
        return;
      case 's':
        this.#record.started = true;
        this.#onStarted?.();
        return;
      case 'o':
      case 'e':
        this.#takeOutput(kind, payload);
        return;
      case 't':
        this.#tarBytesLeft -= payload.length;
        if (this.#tarBytesLeft < 0) throw new RangeError('more tar than the limits allow');
        this.#record.tar.push(payload);
        return;
      case 'x':
        this.#takeRefusal(payload);
        return;
      case 'k':
        this.#record.kept.push(...payload.toString().split('\0').slice(0, -1));
        return;
      case 'z':
        this.#record.report = KeeperReport.parse(JSON.parse(payload.toString()));
        this.#fail('');
        return;
      default:
        this.#fail(kind === 'f' ? `the keeper failed: ${payload.toString()}` : `unknown frame "${kind}"`);
    }
  }

  #takeOutput(kind: 'o' | 'e', payload: Buffer): void {
    const key = `${kind}${payload.readUInt8(0)}`;
    const stream = this.#record.streams.get(key) ?? { chunks: [], bytes: 0 };
    stream.bytes += payload.readUInt32BE(1);
    stream.chunks.push(payload.subarray(5));
    this.#record.streams.set(key, stream);
    if (key.endsWith('0') && payload.length > 5)
      this.#onOutput?.(kind === 'o' ? 'stdout' : 'stderr', payload.subarray(5));
  }

  #takeRefusal(payload: Buffer): void {
    const [reason = '', path = ''] = payload.toString().split('\0');
    if (this.#record.refused.length >= REFUSALS_MAX || !REASONS.has(reason)) return;
    this.#record.refused.push({ path, reason: reason as RefusedEntry['reason'] });
  }
}
