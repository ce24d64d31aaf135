/**
 * Every git process starts here: an environment made from nothing, no configuration but the repository's own, and that one
 * outvoted wherever it could run a program (gate.md part 8). Commands that apply filters are not used at all.
 */
import { execa } from 'execa';

/** A git command that must not fail did. `stderr` is git's own text. */
export class GitCommandError extends Error {
  override readonly name = 'GitCommandError';
  readonly args: readonly string[];
  readonly exitCode: number | undefined;
  readonly stderr: string;

  constructor(args: readonly string[], exitCode: number | undefined, stderr: string) {
    super(`Cannot run "git ${args.join(' ')}": exit code ${exitCode ?? 'none'}: ${stderr.trim()}`);
    this.args = args;
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

export interface GitPlace {
  readonly gitDir: string;
  readonly workTree?: string;
  /** Default: the repository's own. */
  readonly indexFile?: string;
}

export interface GitOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Wall time of one git process. */
const GIT_TIMEOUT_MS = 60_000;
/** Output of one git process. */
const GIT_MAX_OUTPUT_CHARS = 256 * 1024 * 1024;

/** Author and committer of every commit: the gate's word, not a person's. */
export const IDENTITY = { name: 'a7-rt', email: 'a7-rt@localhost' } as const;

/** Settings that outvote a hostile repository-local configuration. */
const OVERRIDES = [
  'core.hooksPath=/dev/null',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.bare=false',
  'core.autocrlf=false',
  'core.sshCommand=false',
  'core.gitProxy=',
  'core.alternateRefsCommand=false',
  'core.pager=cat',
  'core.fsync=all',
  'core.logAllRefUpdates=true',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'log.showSignature=false',
  'gpg.program=false',
  'diff.external=',
  'protocol.allow=never',
  'credential.helper=',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((setting) => ['-c', setting]);

/** Arguments before the subcommand. */
export function gitArguments(args: readonly string[]): string[] {
  return ['--no-replace-objects', '--literal-pathspecs', ...OVERRIDES, ...args];
}

/** Environment of a git process: nothing of the user's but `PATH`. */
export function gitEnvironment(place: GitPlace): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    LC_ALL: 'C',
    HOME: '/nonexistent',
    GIT_DIR: place.gitDir,
    ...(place.workTree === undefined ? {} : { GIT_WORK_TREE: place.workTree }),
    ...(place.indexFile === undefined ? {} : { GIT_INDEX_FILE: place.indexFile }),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_TEMPLATE_DIR: '',
    GIT_AUTHOR_NAME: IDENTITY.name,
    GIT_AUTHOR_EMAIL: IDENTITY.email,
    GIT_COMMITTER_NAME: IDENTITY.name,
    GIT_COMMITTER_EMAIL: IDENTITY.email,
  };
}

/** Runs git and returns its outcome, whatever the exit code. @throws {GitCommandError} when it was killed or did not start. */
export async function tryGit(place: GitPlace, args: readonly string[], input = ''): Promise<GitOutput> {
  const result = await execa('git', gitArguments(args), {
    ...processOptions(place),
    input,
    reject: false,
    stripFinalNewline: false,
    timeout: GIT_TIMEOUT_MS,
    maxBuffer: GIT_MAX_OUTPUT_CHARS,
  });
  if (result.exitCode === undefined)
    throw new GitCommandError(args, undefined, result.shortMessage ?? result.stderr);
  return { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr };
}

/** Runs git and returns its standard output. @throws {GitCommandError} on any other exit code than 0. */
export async function git(place: GitPlace, args: readonly string[], input = ''): Promise<string> {
  const result = await tryGit(place, args, input);
  if (result.exitCode !== 0) throw new GitCommandError(args, result.exitCode, result.stderr);
  return result.stdout;
}

/** Options that every git process shares. */
export function processOptions(place: GitPlace): {
  env: Record<string, string>;
  extendEnv: false;
  cwd: string;
} {
  return { env: gitEnvironment(place), extendEnv: false, cwd: place.workTree ?? place.gitDir };
}
