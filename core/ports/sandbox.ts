/**
 * The sandbox port: one hostile command runs alone in a single-use clean room (design part 8, sandbox.md).
 *
 * Contract of every adapter:
 *  S1. A sandbox is used once. Its name is `key`: an attempt first removes whatever an earlier attempt of the same key left.
 *  S2. `run` never throws for what the guest did; every outcome is a value. What cannot be proven is `lost`, never `exited`.
 *  S3. All limits hold together; the guest is killed as a whole, by somebody it cannot signal.
 *  S4. What comes out is checked here: regular files only, normalised relative paths, bounded count and bytes.
 *  S5. Nothing of the host is writable, and nothing visible but the streamed tree, the pinned image and what `shows` names.
 */

/** A regular file of a tree: `path` is relative with `/`, checked by the caller's tree rules. */
export interface SandboxFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Default false. */
  readonly executable?: boolean;
}

/** Who a process inside is. Each is an unprivileged uid of its own, fresh for the run; neither can signal or read the other. */
export type SandboxUser = 'guest' | 'trusted';

/** A file that `SandboxRequest.prepare` lays. It counts as laid: room is made for it, and it is unchanged where git names its bytes `oid`. */
export interface PreparedFile {
  readonly path: string;
  readonly size: number;
  readonly executable: boolean;
  readonly oid: string;
}

/** A folder laid before the command starts: a size-limited tmpfs filled from `files`. */
export interface SandboxMount {
  /** Absolute path inside, for example `/work`. */
  readonly path: string;
  readonly files: readonly SandboxFile[];
  /** Default none. */
  readonly prepared?: readonly PreparedFile[];
  /** Who owns files and folder. Default `guest`. */
  readonly owner?: SandboxUser;
  /** Default true: the owner may write. False: nobody inside may. */
  readonly writable?: boolean;
  /** Default false: mode 0755/0644. True: only the owner may list or read (0700/0600). */
  readonly private?: boolean;
}

export interface SandboxLimits {
  readonly wallMs: number;
  readonly memoryBytes: number;
  /** Capacity of all writable folders together (mounts, /tmp, /dev/shm) for what the guest adds to the laid files. */
  readonly diskBytes: number;
  readonly filesMax: number;
  readonly processesMax: number;
  /** stdout + stderr of all processes together; going over it kills the guest. */
  readonly outputBytes: number;
  /** Cores, for example 1 or 0.5. */
  readonly cpus: number;
}

/** A second process of the same clean room, started before the command and killed after it (the far side of the glass wall). */
export interface SandboxCompanion {
  readonly argv: readonly string[];
  readonly user: SandboxUser;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /**
   * Default false. True: two pipes join it with the command, and nothing else does. The companion reads descriptor 3 and
   * writes 4; the command reads 3 and writes 4 for the first such companion, 5 and 6 for the second, and so on.
   */
  readonly channel?: boolean;
}

/** A folder of the host that a room sees and cannot write: an agent's program, or the door to its model. */
export interface SandboxShow {
  /** Absolute path on the host of the engine. */
  readonly from: string;
  readonly at: string;
}

export interface SandboxRequest {
  /** Name of the sandbox: `[a-zA-Z0-9_.-]{1,100}`, the same for every attempt of one step. */
  readonly key: string;
  /** Label by which orphans are found, for example the session's uuid. */
  readonly owner: string;
  /** Image tag, as `ImageRef.tag` names it. */
  readonly image: string;
  readonly mounts: readonly SandboxMount[];
  /**
   * Runs alone in `/` as the guest when all is laid, before the room's clock begins. The room is lost where it does not end with 0;
   * what it leaves running is ended.
   */
  readonly prepare?: readonly string[];
  readonly argv: readonly string[];
  /** Default `guest`. */
  readonly user?: SandboxUser;
  readonly env?: Readonly<Record<string, string>>;
  /** Default `/work`. */
  readonly cwd?: string;
  /** Bytes for standard input; it is closed after them. Default: closed at once. */
  readonly stdin?: Uint8Array;
  readonly companions?: readonly SandboxCompanion[];
  readonly limits: SandboxLimits;
  /** Absolute folders whose regular files come back after the command. Default none. */
  readonly collect?: readonly string[];
  /** Of `collect`: folders of which only what differs from the laid files comes back; the rest is named in `kept`. */
  readonly collectChanges?: readonly string[];
  /** Read-only folders of the host. A room with any is made for this run alone. Default none. */
  readonly shows?: readonly SandboxShow[];
}

/** How a process ended by itself: its wait status, seen by the keeper. Exit code 127 also means that it could not be started. */
export type SandboxEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signaled'; readonly signal: string };

export type SandboxOutcome =
  | SandboxEnd
  | { readonly kind: 'timed_out'; readonly limitMs: number }
  | { readonly kind: 'out_of_memory'; readonly limitBytes: number }
  | { readonly kind: 'output_limit'; readonly limitBytes: number }
  | { readonly kind: 'cancelled' }
  /** The engine, the keeper or the runner was lost: the platform's fault, nobody is charged. */
  | { readonly kind: 'lost'; readonly reason: string };

/** Output as text (invalid UTF-8 replaced). `bytes` counts what the guest wrote, `truncated` says that `text` holds less. */
export interface SandboxOutput {
  readonly text: string;
  readonly bytes: number;
  readonly truncated: boolean;
}

/** What became of a companion. `end` is null if it lived until the room was killed. */
export interface SandboxCompanionResult {
  readonly end: SandboxEnd | null;
  readonly stdout: SandboxOutput;
  readonly stderr: SandboxOutput;
}

/** Why an entry of a collected folder was refused. */
export interface RefusedEntry {
  readonly path: string;
  readonly reason:
    | 'symlink'
    | 'hard_link'
    | 'device'
    | 'fifo'
    | 'socket'
    | 'path'
    | 'git'
    | 'too_many'
    | 'too_large'
    | 'other';
  /** Of a symbolic link: where it leads, as far as 100 bytes tell. */
  readonly target?: string;
}

export interface SandboxResult {
  readonly outcome: SandboxOutcome;
  readonly stdout: SandboxOutput;
  readonly stderr: SandboxOutput;
  /** By collected folder: paths relative to it. */
  readonly files: Readonly<Record<string, readonly SandboxFile[]>>;
  readonly refused: readonly RefusedEntry[];
  /** By folder of `collectChanges`: laid files that are there unchanged, byte for byte. */
  readonly kept?: Readonly<Record<string, readonly string[]>>;
  /** From the start of the command to its proven end. */
  readonly durationMs: number;
  /** Processor time of everything inside; null where the backend cannot tell. */
  readonly cpuMs: number | null;
  /** How long the room's clock stood, since the machine gave the inside no processor; null or absent where nobody can tell. */
  readonly waitedMs?: number | null;
  /** A limit that was proven hit without ending the command (for example a process limit). */
  readonly limitsHit: readonly ('processes' | 'disk')[];
  /** By order of the request's companions; present if it had any. */
  readonly companions?: readonly SandboxCompanionResult[];
}

export interface SandboxRunOptions {
  readonly signal?: AbortSignal;
  /** Output of the command as it comes, within the output limit. Must not throw. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
}

/** An act that a probe attempted inside, and whether it was held. */
export interface ProbeResult {
  readonly act: string;
  readonly held: boolean;
  readonly detail: string;
}

/** The act without which no room has a side for the suite and one for the code: the glass wall cannot stand. */
export const TWO_USERS = 'keep two users of a room apart';

/** What a backend proved at start (G10). `level` is `hardened` only if every forbidden act was held. */
export interface IsolationProof {
  readonly backend: string;
  readonly level: 'hardened' | 'partial' | 'none';
  readonly acts: readonly ProbeResult[];
}

export interface SandboxPort {
  readonly backend: 'docker' | 'bubblewrap';
  /** Runs one command in a fresh clean room. Never throws for what the guest did (S2). */
  run(request: SandboxRequest, options?: SandboxRunOptions): Promise<SandboxResult>;
  /** Attempts forbidden acts and reports which were held. */
  probe(image: string): Promise<IsolationProof>;
  /**
   * Starts idle rooms ahead of need; returns at once; a no-op where nothing is gained. A room fits requests of one shape
   * (mount paths, limits); without `shape` the one that this image was last asked for, or will be asked for next.
   */
  warm(image: string, count: number, shape?: Pick<SandboxRequest, 'mounts' | 'limits'>): void;
  /** Removes rooms whose owner process is gone; returns how many. Never touches a living owner's. */
  reap(): Promise<number>;
  /** Ends the pool and everything this adapter started. */
  close(): Promise<void>;
}
