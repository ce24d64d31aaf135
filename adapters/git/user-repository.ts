/** Somebody else's repository, read with a clean environment (core/ports/user-repository.ts). */
import { lstat, readFile, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { Listing, SnapshotKind, UserRepository } from '../../core/ports/user-repository.ts';
import { type GitPlace, git, tryGit } from './git-process.ts';
import { ObjectReader } from './object-reader.ts';
import { readBlobEntry, readDiskEntry } from './read-entry.ts';
import { parseIndex, parseNames, parseTree } from './listings.ts';

/** There is no repository, no such commit, or one that cannot be read. */
export class RepositoryProblem extends Error {
  override readonly name = 'RepositoryProblem';
}

/** Opens the repository around a folder. @param env for `GIT_INDEX_FILE`, which git sets for a hook. @throws {RepositoryProblem} */
export async function openUserRepository(
  dir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<UserRepository> {
  const { root, gitDir } = await findRepository(dir);
  const place: GitPlace = { gitDir, workTree: root };
  const format = await tryGit(place, ['rev-parse', '--show-object-format']);
  if (format.exitCode !== 0)
    throw new RepositoryProblem(`Cannot read the repository at "${dir}": ${format.stderr.trim()}`);
  if (format.stdout.trim() !== 'sha1') {
    throw new RepositoryProblem(
      `Cannot read the repository at "${dir}": its object format must be sha1, current format is ${format.stdout.trim()}`,
    );
  }
  const reader = new ObjectReader(gitDir);
  return {
    root,
    gitDir,
    async list({ kind, revision }): Promise<Listing> {
      if (kind === 'commit') return listCommit(place, reader, revision ?? 'HEAD');
      const head = await commitOf(place, 'HEAD');
      const indexFile = kind === 'staged' ? await hookIndex(gitDir, env['GIT_INDEX_FILE']) : null;
      const at = indexFile === null ? place : { ...place, indexFile };
      return kind === 'staged' ? listIndex(at, reader, head) : listWorkTree(at, root, head);
    },
    close: () => reader.close(),
  };
}

/** The folder with `.git`, from here upwards; `.git` may be a file that names the folder. */
async function findRepository(dir: string): Promise<{ readonly root: string; readonly gitDir: string }> {
  const start = await realpath(resolve(dir)).catch(() => null);
  if (start === null) throw new RepositoryProblem(`Cannot find a repository: there is no folder "${dir}"`);
  for (let at = start; ; at = dirname(at)) {
    const dotGit = join(at, '.git');
    const stats = await lstat(dotGit).catch(() => null);
    if (stats?.isDirectory() === true) return { root: at, gitDir: dotGit };
    if (stats?.isFile() === true) {
      const [, named] = /^gitdir: (.+)$/m.exec(await readFile(dotGit, 'utf8')) ?? [];
      if (named === undefined)
        throw new RepositoryProblem(`Cannot read "${dotGit}": it must name a git folder`);
      return { root: at, gitDir: resolve(at, named.trim()) };
    }
    if (at === dirname(at))
      throw new RepositoryProblem(
        `Cannot find a repository: neither "${dir}" nor a folder around it has .git`,
      );
  }
}

/** Commit that a revision names, or null. Options and ranges are no revisions. */
async function commitOf(place: GitPlace, revision: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const found = await tryGit(place, args);
  return found.exitCode === 0 ? found.stdout.trim() : null;
}

async function listCommit(place: GitPlace, reader: ObjectReader, revision: string): Promise<Listing> {
  const commit = await commitOf(place, revision);
  if (commit === null)
    throw new RepositoryProblem(`Cannot find commit "${revision}": the repository has no such commit`);
  const base = await commitOf(place, `${commit}^1`);
  const listed = parseTree(await git(place, ['ls-tree', '-r', '-z', '--full-tree', commit]));
  return listing('commit', commit, base, listed, reader);
}

async function listIndex(place: GitPlace, reader: ObjectReader, head: string | null): Promise<Listing> {
  const listed = parseIndex(await git(place, ['ls-files', '--stage', '-z']));
  return listing('staged', head, head, listed, reader);
}

function listing(
  kind: SnapshotKind,
  commit: string | null,
  base: string | null,
  listed: ReturnType<typeof parseTree>,
  reader: ObjectReader,
): Listing {
  const oids = new Map(listed.map((entry) => [entry.path, entry.oid]));
  const entries = listed.map(({ path, kind: entryKind }) => ({ path, kind: entryKind }));
  return {
    kind,
    commit,
    base,
    entries,
    read: (entry, maxBytes) => readBlobEntry(reader, oids.get(entry.path) ?? null, entry.path, maxBytes),
  };
}

/** Tracked files as they lie there, and those that are neither tracked nor ignored. */
async function listWorkTree(place: GitPlace, root: string, head: string | null): Promise<Listing> {
  const tracked = parseIndex(await git(place, ['ls-files', '--stage', '-z']));
  const others = parseNames(await git(place, ['ls-files', '--others', '--exclude-standard', '-z']));
  const known = new Map(tracked.map(({ path, kind }) => [path, { path, kind }]));
  for (const entry of others) if (!known.has(entry.path)) known.set(entry.path, entry);
  const found = await Promise.all([...known.values()].map((entry) => asOnDisk(root, entry)));
  const entries = found.flat().toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return {
    kind: 'work_tree',
    commit: head,
    base: head,
    entries,
    read: (entry, maxBytes) => readDiskEntry(root, entry, maxBytes),
  };
}

/** What lies there now decides; submodules stay what the index says. Nothing for a file that was deleted. */
async function asOnDisk(
  root: string,
  entry: Listing['entries'][number],
): Promise<Listing['entries'][number][]> {
  if (entry.kind === 'submodule' || entry.kind === 'nested') return [entry];
  const stats = await lstat(join(root, entry.path)).catch(() => null);
  if (stats === null) return [];
  if (stats.isSymbolicLink()) return [{ ...entry, kind: 'symlink' }];
  if (stats.isDirectory()) return [];
  const executable = (stats.mode & 0o100) !== 0;
  return [{ ...entry, kind: executable ? 'executable' : 'file' }];
}

/** The index of a commit in progress, named by git for its hook; only one that lies in the repository's own folder. */
async function hookIndex(gitDir: string, named: string | undefined): Promise<string | null> {
  if (named === undefined || named === '') return null;
  const path = isAbsolute(named) ? named : resolve(named);
  const [folder, own] = await Promise.all([
    realpath(dirname(path)).catch(() => null),
    realpath(gitDir).catch(() => null),
  ]);
  if (folder === null || own === null) return null;
  return folder === own || folder.startsWith(own + sep) ? path : null;
}
