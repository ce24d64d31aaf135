/** What the steps of a commit share: where the content repository lies, and readers of both object stores. */
import { lstat, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../core/text/error-text.ts';
import { EMPTY_TREE, Folders } from './folders.ts';
import { type GitPlace, git, tryGit } from './git-process.ts';
import { GitObjectError, ObjectReader } from './object-reader.ts';

export interface ContentContext {
  readonly workTree: string;
  readonly gitDir: string;
  /** For example `main`. */
  readonly branch: string;
  readonly place: GitPlace;
  /** `store.git`, which also keeps the branch once more. */
  readonly storeDir: string;
  /** Folders of `content/.git`. */
  readonly content: Folders;
  /** Folders of `store.git`, from which committed trees come. */
  readonly store: Folders;
}

/** Context of a work tree. Nothing is read or created yet. */
export function contentContext(workTree: string, branch: string, storeDir: string): ContentContext {
  const gitDir = join(workTree, '.git');
  return {
    workTree,
    gitDir,
    branch,
    place: { gitDir, workTree },
    storeDir,
    content: new Folders(gitDir, new ObjectReader(gitDir)),
    store: new Folders(storeDir, new ObjectReader(storeDir)),
  };
}

/** Creates the repository with one empty branch; a whole one is left alone. @throws {RangeError} for a linked work tree. */
export async function initContent(context: ContentContext): Promise<void> {
  const { gitDir, workTree, branch } = context;
  const kind = await kindOf(gitDir);
  if (kind === 'other') {
    throw new RangeError(`Cannot use "${workTree}": .git must be a folder, not a link to another repository`);
  }
  // git's own init completes what a killed one began, and writes over nothing.
  const parts = await Promise.all(
    ['HEAD', 'config', 'objects', 'refs'].map((name) => kindOf(join(gitDir, name))),
  );
  const config = await readFile(join(gitDir, 'config'), 'utf8').catch(() => '');
  if (!parts.includes('missing') && !/bare = true/.test(config)) return;
  await mkdir(gitDir, { recursive: true });
  await git({ gitDir }, ['init', '--quiet', `--initial-branch=${branch}`]);
  await git({ gitDir }, ['config', 'core.bare', 'false']);
}

async function kindOf(path: string): Promise<'missing' | 'folder' | 'other'> {
  try {
    return (await lstat(path)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'missing';
    throw error;
  }
}

/** Commit of the branch, or null. A packed ref is left to git. */
export async function readHead(context: ContentContext): Promise<string | null> {
  const ref = `refs/heads/${context.branch}`;
  const loose = await readFile(join(context.gitDir, ref), 'latin1').catch(() => '');
  if (/^[0-9a-f]{40}\n$/.test(loose)) return loose.trim();
  const result = await tryGit(context.place, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
  return result.exitCode === 0 ? result.stdout.trim() : null;
}

/** What is checked out instead of the branch, or null when it is the branch. */
export async function otherBranch(context: ContentContext): Promise<string | null> {
  const head = (await readFile(join(context.gitDir, 'HEAD'), 'utf8')).trim();
  return head === `ref: refs/heads/${context.branch}` ? null : head.replace(/^ref: (?:refs\/heads\/)?/, '');
}

/** Tree of a commit; the empty tree for null. */
export async function treeOfCommit(context: ContentContext, commit: string | null): Promise<string> {
  if (commit === null) return EMPTY_TREE;
  const object = await context.content.reader.read(commit);
  const tree = /^tree ([0-9a-f]{40})\n/.exec(object.body.toString('latin1'))?.[1];
  if (object.type !== 'commit' || tree === undefined) throw new GitObjectError(commit, 'it must be a commit');
  return tree;
}

/** Whether the first commit is the second or one of its ancestors; false when it does not exist. */
export async function isAncestor(context: ContentContext, commit: string, head: string): Promise<boolean> {
  return (await tryGit(context.place, ['merge-base', '--is-ancestor', commit, head])).exitCode === 0;
}
