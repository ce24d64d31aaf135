/** Where an order's work comes from: a folder or a URL, through `simple-git`; its objects by our own plumbing (decision 0037). */
import { mkdir, realpath, stat } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { type SimpleGit, simpleGit } from 'simple-git';
import type { Listing } from '../../core/ports/user-repository.ts';
import { madeBeside, whileLocked } from './beside.ts';
import { git, gitEnvironment, tryGit } from './git-process.ts';
import { openUserRepository } from './user-repository.ts';

/** What is wrong with a source; the message names it, `next` what to do. */
export class SourceProblem extends Error {
  override readonly name = 'SourceProblem';
  readonly next: string;
  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** A repository as it was found. */
export interface FoundRepository {
  readonly kind: 'path' | 'url';
  /** Absolute folder or URL. */
  readonly at: string;
  readonly gitDir: string;
  /** What makes two clones of it the same workspace. */
  readonly identity: string;
  readonly isBare: boolean;
  readonly isShallow: boolean;
}

const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'fetch.recurseSubmodules=no',
];
const CLONE_TIMEOUT_MS = 10 * 60_000;
const FETCH = ['fetch', '--quiet', '--prune', '--no-auto-gc', 'origin', '+refs/heads/*:refs/heads/*'];

/** `https://…`, `ssh://…`, `file://…` or `user@host:path`. */
export function isUrl(named: string): boolean {
  return /^(?:https?|ssh|git|file):\/\//.test(named) || /^\w[\w.-]*@[\w.-]+:[^/].*/.test(named);
}

/** simple-git with an environment made from nothing: no user or system settings, hooks, prompts or pagers. */
export function porcelain(
  folder: string,
  gitDir: string,
  env: Readonly<Record<string, string | undefined>>,
): SimpleGit {
  const { GIT_DIR: _gitDir, ...clean } = gitEnvironment({ gitDir });
  const agent = env['SSH_AUTH_SOCK'];
  const environment = { ...clean, ...(agent === undefined ? {} : { SSH_AUTH_SOCK: agent }) };
  return simpleGit({
    baseDir: folder,
    timeout: { block: CLONE_TIMEOUT_MS },
    config: SETTINGS,
    // All of them ours: they take the user's own settings away.
    allowEnvironment: Object.keys(environment),
    unsafe: {
      allowUnsafeHooksPath: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeTemplateDir: true,
    },
  }).env(environment);
}

/** What a repository is named for: half a sentence, and the flag that names it. */
export interface SourceAct {
  readonly verb: string;
  readonly flag: string;
}
const SUBMIT: SourceAct = { verb: 'submit for', flag: '--repo' };

/** Finds the repository that a person named. URLs are cloned bare below `cache`, or fetched when they are there. */
export async function findSource(
  named: string,
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
  act: SourceAct = SUBMIT,
): Promise<FoundRepository> {
  return isUrl(named) ? await fetched(named, cache, env) : await local(named, act);
}

async function local(named: string, act: SourceAct): Promise<FoundRepository> {
  const folder = await realpath(resolve(named)).catch(() => null);
  if (folder === null)
    throw new SourceProblem(
      `Cannot ${act.verb} "${named}": there is no such folder`,
      `Name a git repository: ${act.flag} FOLDER or URL`,
    );
  const isBare = await looksBare(folder);
  const gitDir = isBare ? folder : await workTreeGitDir(folder, named, act);
  const format = await tryGit({ gitDir }, ['rev-parse', '--show-object-format']);
  if (format.exitCode !== 0 || format.stdout.trim() !== 'sha1')
    throw new SourceProblem(
      `Cannot ${act.verb} "${named}": its object format must be sha1, git says ${(format.stdout || format.stderr).trim()}`,
      'Name another repository',
    );
  const common = (await git({ gitDir }, ['rev-parse', '--path-format=absolute', '--git-common-dir'])).trim();
  const origin = await tryGit({ gitDir }, ['config', '--local', '--get', 'remote.origin.url']);
  const shallow = (await git({ gitDir }, ['rev-parse', '--is-shallow-repository'])).trim() === 'true';
  const identity = origin.exitCode === 0 ? origin.stdout.trim() : common;
  return { kind: 'path', at: folder, gitDir, identity: normalIdentity(identity), isBare, isShallow: shallow };
}

async function workTreeGitDir(folder: string, named: string, act: SourceAct): Promise<string> {
  const repository = await openUserRepository(folder, {}).catch((error: unknown) => {
    throw new SourceProblem(
      error instanceof Error ? error.message : `Cannot ${act.verb} "${named}"`,
      `git init && git add . && git commit, or name a repository: ${act.flag} FOLDER or URL`,
    );
  });
  await repository.close();
  return repository.gitDir;
}

async function looksBare(folder: string): Promise<boolean> {
  const [head, objects, dotGit] = await Promise.all(
    ['HEAD', 'objects', '.git'].map((name) => stat(join(folder, name)).catch(() => null)),
  );
  return head?.isFile() === true && objects?.isDirectory() === true && dotGit === null;
}

async function fetched(
  url: string,
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FoundRepository> {
  const name = createHash('sha256').update(normalIdentity(url)).digest('hex').slice(0, 16);
  const gitDir = join(cache, `${name}.git`);
  await mkdir(cache, { recursive: true });
  const isThere = (await stat(join(gitDir, 'HEAD')).catch(() => null)) !== null;
  try {
    if (isThere) await whileLocked(() => porcelain(gitDir, gitDir, env).raw(FETCH));
    else
      await madeBeside(gitDir, (fresh) =>
        porcelain(cache, fresh, env).clone(url, fresh, ['--bare', '--quiet', '--no-tags']),
      );
  } catch (error) {
    throw new SourceProblem(
      `Cannot fetch "${withoutSecret(url)}": ${gitReason(error)}`,
      'Look at the address, or clone it yourself and name the folder',
    );
  }
  return {
    kind: 'url',
    at: withoutSecret(url),
    gitDir,
    identity: normalIdentity(url),
    isBare: true,
    isShallow: false,
  };
}

/** The same repository under its different spellings. */
function normalIdentity(url: string): string {
  return url
    .replace(/^file:\/\//, '')
    .replace(/^[\w.-]+@([\w.-]+):/, '$1/')
    .replace(/^\w+:\/\/(?:[^@/]*@)?/, '')
    .replace(/\/+$/, '')
    .replace(/\/?\.git$/, '');
}

/** Name of the workspace of a repository and a base. */
export function workspaceId(identity: string, base: string): string {
  const digest = createHash('sha256').update(`${identity}\n${base}`).digest('hex').slice(0, 12);
  const name =
    basename(identity)
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .slice(0, 40) || 'repository';
  return `${name}-${digest}`;
}

/** Files of a work tree as they lie there, tracked or new. */
export async function workTreeListing(
  folder: string,
): Promise<{ readonly listing: Listing; close(): Promise<void> }> {
  const repository = await openUserRepository(folder, {});
  return {
    listing: await repository.list({ kind: 'work_tree', revision: null }),
    close: () => repository.close(),
  };
}

/** Without a password or token; the name that ssh logs in with is none. The clone's own settings keep what it was made with. */
export function withoutSecret(text: string): string {
  return text.replace(/(https?:\/\/)[^@/\s]*@/g, '$1').replace(/(\w+:\/\/[^@/:\s]*):[^@/\s]*@/g, '$1@');
}

/** What git says was wrong: the line that it calls fatal or rejected, else the last. */
export function gitReason(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n');
  const told = lines.find((line) => /^(?:fatal|error|ERROR): | ! \[/.test(line)) ?? lines.at(-1) ?? '';
  return withoutSecret(told.trim());
}
