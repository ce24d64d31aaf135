/**
 * Words between the host and the keeper of a room (`room-agent.ts`).
 * Host to keeper: length, plan, tar stream, standard input; then one byte cancels, end of file ends the room.
 * Keeper to host: frames of one kind byte, four length bytes (big endian), payload.
 */
import { z } from 'zod';
import type { SandboxUser } from '../../../core/ports/sandbox.ts';

/** One process to start; the first of a plan is the command, the others are companions. */
export interface PlanProcess {
  readonly user: SandboxUser;
  /** Joined with the command by a pair of pipes. */
  readonly channel: boolean;
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What the keeper does with a room. Byte counts of `tar` and `stdin` say what follows on the wire. */
export interface RoomPlan {
  /** The keeper has the capabilities to change owners and users. */
  readonly privileged: boolean;
  readonly tarBytes: number;
  readonly stdinBytes: number;
  readonly guestUid: number;
  readonly trustedUid: number;
  /** Limit by the room's own clock, which stands while the guest waits for a processor. */
  readonly wallMs: number;
  /** Limit by the wall clock, whatever the machine does. */
  readonly boundMs: number;
  readonly outputBytes: number;
  readonly diskBytes: number;
  readonly filesMax: number;
  readonly collectBytes: number;
  /** RLIMIT_NPROC of each uid, where no cgroup counts processes; 0 for none. */
  readonly processLimit: number;
  /** RLIMIT_DATA of each process, where no cgroup counts memory; 0 for none. */
  readonly dataLimitBytes: number;
  /** The room's own cgroup is mounted at /sys/fs/cgroup. */
  readonly readsCgroup: boolean;
  readonly writable: readonly string[];
  readonly collect: readonly string[];
  /** Of `collect`: folders of which only changes are streamed. */
  readonly changes: readonly string[];
  /** Files of these folders that the preparation lays: absolute path, and git's id behind `x` (executable) or `-`. */
  readonly prepared: readonly (readonly [path: string, id: string])[];
  /** Runs to its end before the processes; none: nothing does. */
  readonly prepare: PlanProcess | null;
  readonly processes: readonly PlanProcess[];
}

/** Byte that asks the keeper to kill the guest and report. */
export const CANCEL_BYTE = Buffer.from('c');

const FRAME_BYTES_MAX = 64 * 1024 * 1024;
const USERS: Record<SandboxUser, number> = { guest: 1, trusted: 2 };

/** A plan as the keeper reads it: fields ended by NUL, behind their total length. @throws {RangeError} for a NUL in a string. */
export function encodePlan(plan: RoomPlan): Buffer {
  const first = [
    Number(plan.privileged),
    plan.tarBytes,
    plan.stdinBytes,
    plan.guestUid,
    plan.trustedUid,
    plan.wallMs,
    plan.boundMs,
    plan.outputBytes,
    plan.diskBytes,
    plan.filesMax,
    plan.collectBytes,
    plan.processLimit,
    plan.dataLimitBytes,
    Number(plan.readsCgroup),
    ...counted(plan.writable),
    ...counted(plan.collect),
    ...counted(plan.changes),
    plan.prepared.length,
  ];
  const processes = [...(plan.prepare === null ? [] : [plan.prepare]), ...plan.processes];
  const last = [Number(plan.prepare !== null), processes.length, ...processes.flatMap(processFields)];
  const fields = [...first, ...plan.prepared.flat(), ...last].map(String);
  const bad = fields.find((field) => field.includes('\0'));
  if (bad !== undefined)
    throw new RangeError(`Cannot start a sandbox: "${bad.replaceAll('\0', '?')}" contains NUL`);
  const body = Buffer.from(`${fields.join('\0')}\0`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

function processFields(process: PlanProcess): (string | number)[] {
  const env = Object.entries(process.env).map(([name, value]) => `${name}=${value}`);
  return [
    USERS[process.user],
    Number(process.channel),
    process.cwd,
    ...counted(process.argv),
    ...counted(env),
  ];
}

function counted(values: readonly string[]): (string | number)[] {
  return [values.length, ...values];
}

/** A frame of the keeper: `r` ready, `s` started, `o` and `e` output, `t` tar, `x` refused entry, `k` unchanged files, `z` report, `f` failure. */
export interface Frame {
  readonly kind: string;
  readonly payload: Buffer;
}

/** Splits a byte stream into frames, whatever its chunks. @throws {RangeError} for a frame over 64 MiB: that is no keeper. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): Frame[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame !== null; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | null {
    if (this.#bytes < 5) return null;
    const length = this.#peek(5).readUInt32BE(1);
    if (length > FRAME_BYTES_MAX) throw new RangeError(`Cannot read the keeper: frame of ${length} bytes`);
    if (this.#bytes < 5 + length) return null;
    const all = this.#peek(this.#bytes);
    const rest = all.subarray(5 + length);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
    return { kind: String.fromCharCode(all[0] ?? 0), payload: all.subarray(5, 5 + length) };
  }

  #peek(bytes: number): Buffer {
    const head = this.#chunks[0];
    if (head !== undefined && head.length >= bytes) return head;
    this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }
}

const Counters = z.tuple([z.int().nullable(), z.int().nullable(), z.int().nullable()]).nullable();

/** The keeper's last word. `ended[i]`: exit code, minus the signal, or null for a process that the keeper killed. */
export const KeeperReport = z.strictObject({
  why: z.enum(['exit', 'timeout', 'output', 'cancel']),
  ms: z.number().min(0),
  /** Processor time of every process that the keeper reaped: all of them, once the room is empty. */
  cpuMs: z.number().min(0),
  /** Time in which the room's clock stood, for want of a processor; null where the kernel does not tell. */
  waitedMs: z.number().min(0).nullable(),
  ended: z.array(z.int().nullable()).min(1),
  /** Processor time in µs, out-of-memory kills, refused forks; null where there is no cgroup. */
  before: Counters,
  after: Counters,
  diskFull: z.boolean(),
});
export type KeeperReport = z.infer<typeof KeeperReport>;
