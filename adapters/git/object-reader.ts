/**
 * Reads objects through one long-lived `git cat-file --batch`, 0.1 ms each, with a bounded cache before it.
 *
 *  R1. Only 40-hex ids are written to the process: a path holding a line break shifted the answers, `../x` killed it.
 *  R2. Every answer must name the id that was asked; anything else ends the process and fails what was waiting.
 */
import { spawn } from 'node:child_process';
import { BatchParser, ObjectTooLarge, type BatchAnswer } from './batch-parser.ts';
import { gitArguments, processOptions } from './git-process.ts';
import { type GitServer, endServer, holdLoop } from './hold-loop.ts';
import { assertOid } from './loose-objects.ts';

/** An object is missing, of another type, or could not be read. */
export class GitObjectError extends Error {
  override readonly name = 'GitObjectError';
  readonly oid: string;

  constructor(oid: string, problem: string) {
    super(`Cannot read object "${oid}": ${problem}`);
    this.oid = oid;
  }
}

export interface GitObject {
  readonly type: string;
  readonly body: Buffer;
}

interface Waiter {
  readonly oid: string;
  readonly resolve: (object: GitObject) => void;
  readonly reject: (error: Error) => void;
}

/** Bytes of objects kept in memory. */
const CACHE_MAX_BYTES = 64 * 1024 * 1024;
/** Larger objects are not kept. */
const CACHE_MAX_OBJECT_BYTES = 1024 * 1024;

export class ObjectReader {
  readonly #gitDir: string;
  readonly #cache = new Map<string, GitObject>();
  #cachedBytes = 0;
  #process: GitServer | null = null;
  #waiting: Waiter[] = [];

  constructor(gitDir: string) {
    this.#gitDir = gitDir;
  }

  /** Reads one object. @throws {GitObjectError} */
  async read(oid: string): Promise<GitObject> {
    const known = this.#cache.get(assertOid(oid));
    if (known !== undefined) {
      // Last used goes last: the map's order is the order of eviction.
      this.#cache.delete(oid);
      this.#cache.set(oid, known);
      return known;
    }
    const object = await new Promise<GitObject>((resolve, reject) => this.#ask({ oid, resolve, reject }));
    this.remember(oid, object);
    return object;
  }

  /** Keeps an object that was just written, so that the next read costs nothing. */
  remember(oid: string, object: GitObject): void {
    if (object.body.length > CACHE_MAX_OBJECT_BYTES || this.#cache.has(oid)) return;
    this.#cache.set(oid, object);
    this.#cachedBytes += object.body.length;
    for (const [oldest, old] of this.#cache) {
      if (this.#cachedBytes <= CACHE_MAX_BYTES) break;
      this.#cache.delete(oldest);
      this.#cachedBytes -= old.body.length;
    }
  }

  /** Ends the process; a later read starts another. */
  async close(): Promise<void> {
    const process = this.#process;
    if (process !== null) await endServer(process);
  }

  #ask(waiter: Waiter): void {
    const process = this.#process ?? this.#start();
    this.#waiting.push(waiter);
    holdLoop(process, true);
    process.stdin.write(`${waiter.oid}\n`);
  }

  #start(): GitServer {
    const child = spawn('git', gitArguments(['cat-file', '--batch']), {
      ...processOptions({ gitDir: this.#gitDir }),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const parser = new BatchParser();
    child.stdout.on('data', (chunk: Buffer) => {
      try {
        for (const answer of parser.push(chunk)) this.#settle(child, answer);
      } catch (error) {
        this.#fail(child, error instanceof ObjectTooLarge ? error : String(error));
      }
    });
    // A broken pipe is followed by `close`, which fails whatever waits.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => this.#fail(child, error.message));
    child.on('close', () => this.#fail(child, 'the reader process ended'));
    child.unref();
    this.#process = child;
    return child;
  }

  #settle(child: GitServer, answer: BatchAnswer): void {
    const waiter = this.#waiting.shift();
    if (waiter === undefined || waiter.oid !== answer.oid)
      throw new Error(`unexpected answer for "${answer.oid}"`);
    if (this.#waiting.length === 0) holdLoop(child, false);
    if (answer.object === null) waiter.reject(new GitObjectError(answer.oid, 'it is missing'));
    else waiter.resolve(answer.object);
  }

  #fail(child: GitServer, problem: string | ObjectTooLarge): void {
    if (this.#process !== child) return;
    this.#process = null;
    child.kill('SIGKILL');
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) {
      const error = new GitObjectError(waiter.oid, problem instanceof Error ? problem.message : problem);
      if (problem instanceof Error) error.cause = problem;
      waiter.reject(error);
    }
  }
}
