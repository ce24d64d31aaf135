/** A `git diff-tree --stdin` that makes one patch after the other. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { GitCommandError, gitArguments, processOptions } from './git-process.ts';
import { type GitServer, endServer, holdLoop } from './hold-loop.ts';

const PATCH_TIMEOUT_MS = 60_000;
const PATCH_BYTES_MAX = 64 * 1024 * 1024;
const FORMAT = ['--binary', '--full-index', '--no-ext-diff', '--no-textconv', '--no-renames'];
const ARGUMENTS = ['diff-tree', '--stdin', '-r', '-p', ...FORMAT];

export class PatchProcess {
  readonly #child: GitServer;
  readonly #fail = new Set<(error: Error) => void>();
  #problem: string | null = null;
  /** Patches that it was asked for. */
  asked = 0;

  constructor(gitDir: string) {
    this.#child = spawn('git', gitArguments(ARGUMENTS), {
      ...processOptions({ gitDir }),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    // A broken pipe is followed by `close`, which fails whoever waits.
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', (error) => this.#end(error.message));
    this.#child.on('close', (code) => this.#end(`it ended with exit code ${String(code)}`));
    this.#child.unref();
    holdLoop(this.#child, false);
  }

  /** Whether it can be asked again. */
  get isAlive(): boolean {
    return this.#problem === null;
  }

  /** The patch of a pair of tree ids, `before after`. One caller at a time. @throws {GitCommandError} */
  async patch(pair: string): Promise<Uint8Array> {
    this.asked += 1;
    if (this.#problem !== null) throw failure(pair, this.#problem);
    const timer = setTimeout(() => this.#end('it took too long'), PATCH_TIMEOUT_MS);
    holdLoop(this.#child, true);
    try {
      return cut(pair, await this.#answer(pair));
    } finally {
      clearTimeout(timer);
      holdLoop(this.#child, false);
    }
  }

  async close(): Promise<void> {
    if (this.#problem === null) await endServer(this.#child);
  }

  /** What it prints for the pair: what is no object id it repeats, which no line of a patch can look like. */
  #answer(pair: string): Promise<Buffer> {
    const mark = Buffer.from(`end ${randomBytes(12).toString('hex')}\n`);
    const { stdin, stdout } = this.#child;
    return new Promise<Buffer>((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const take = (chunk: Buffer): void => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > PATCH_BYTES_MAX) this.#end('the patch is larger than 64 MiB');
        else if (endsWith(chunks, mark))
          settle(() => resolve(Buffer.concat(chunks).subarray(0, -mark.length)));
      };
      const fail = (error: Error): void => settle(() => reject(failure(pair, error.message)));
      const settle = (how: () => void): void => {
        stdout.off('data', take);
        this.#fail.delete(fail);
        how();
      };
      stdout.on('data', take);
      this.#fail.add(fail);
      stdin.write(`${pair}\n${mark.toString()}`);
    });
  }

  #end(problem: string): void {
    this.#problem ??= problem;
    this.#child.kill('SIGKILL');
    for (const fail of this.#fail) fail(new Error(this.#problem));
  }
}

/** Without its first line, which names the pair; nothing at all was printed for a tree that is missing. */
function cut(pair: string, answer: Buffer): Uint8Array {
  const head = Buffer.from(`${pair}\n`);
  if (!answer.subarray(0, head.length).equals(head)) throw failure(pair, 'a tree is missing');
  return answer.subarray(head.length);
}

function endsWith(chunks: readonly Buffer[], mark: Buffer): boolean {
  const last = chunks.at(-1) ?? mark;
  const tail = last.length >= mark.length ? last : Buffer.concat(chunks);
  return tail.subarray(-mark.length).equals(mark);
}

function failure(pair: string, problem: string): GitCommandError {
  return new GitCommandError([...ARGUMENTS, pair], undefined, problem);
}
