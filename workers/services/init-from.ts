/**
 * `init --from`: a commit of an existing repository becomes the scaffold of a session, and its own tests the plan that judges
 * at SEAL. The repository is read as raw objects: its files, index, hooks, settings and branches stay as they are.
 */
import { realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { treeListing } from '../../activities/order/tree-listing.ts';
import { createContentRepo } from '../../adapters/git/content-repo.ts';
import { createObjectStore } from '../../adapters/git/object-store.ts';
import { importPartial } from '../../adapters/git/order-partial.ts';
import { commitOf, currentBranch } from '../../adapters/git/named-commits.ts';
import { findSource, type FoundRepository, SourceProblem } from '../../adapters/git/order-source.ts';
import { readSnapshot } from '../../adapters/git/read-snapshot.ts';
import { uncommittedPaths } from '../../adapters/git/uncommitted.ts';
import { writeOrigin } from '../../adapters/store/origin.ts';
import { sessionPaths } from '../../adapters/store/session.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import type { TreeStore } from '../../core/ports/git.ts';
import type { Failed, InitFromAsk, InitFromReport, Result } from '../../core/ports/services.ts';
import { counted } from '../../core/text/plural.ts';
import { type Surroundings, failed, failedWith } from './common.ts';
import { contractsFrom } from './init-from-contracts.ts';
import { planFrom } from './init-from-plan.ts';
import { INIT_FILES, layFolder, occupiedProblem } from './init.ts';
import { typed } from '../../core/text/typed.ts';

const NAMED_MAX = 5;

/** Makes a session of a repository. What fails leaves nothing behind. */
export async function initFrom(
  around: Surroundings,
  dir: string,
  ask: InitFromAsk,
): Promise<Result<InitFromReport>> {
  const path = resolve(dir);
  const occupied = await occupiedProblem(dir, path);
  if (occupied !== null) return occupied;
  try {
    const made = await make(around, dir, path, ask);
    if (!made.ok) await rm(path, { recursive: true, force: true });
    return made;
  } catch (error) {
    await rm(path, { recursive: true, force: true });
    if (error instanceof SourceProblem) return failed(2, error.message, error.next);
    throw error;
  }
}

async function make(
  around: Surroundings,
  dir: string,
  path: string,
  ask: InitFromAsk,
): Promise<Result<InitFromReport>> {
  const act = { verb: 'take', flag: '--from' };
  const repository = await findSource(ask.repo, join(homeFolder(around.env), 'sources'), around.env, act);
  const inside = await insideProblem(dir, path, repository);
  if (inside !== null) return inside;
  const commit = await commitOf(repository.gitDir, ask.base ?? 'HEAD');
  if (commit === null) return noCommit(ask);
  const paths = sessionPaths(path);
  const trees = await createObjectStore({ gitDir: paths.store });
  try {
    const promised = await importPartial(paths.store, repository.gitDir, commit, around.env);
    const base = promised ?? (await trees.importCommit(repository.gitDir, commit));
    const taken = await takeTree(trees, base, commit, ask);
    if ('ok' in taken) return taken;
    const project = ask.project ?? basename(path);
    const manifest = (await trees.readFile(taken.tree, 'package.json'))?.toString('utf8') ?? null;
    const contracts = await contractsFrom(project, taken.paths, manifest);
    if ('ok' in contracts) return contracts;
    await layFolder(path, contracts.text);
    const root = await firstCommit(paths.content, paths.store, taken.tree, commit, ask.repo);
    const branch = await branchOf(repository.gitDir, ask.base);
    const { kind, at } = repository;
    await writeOrigin(path, { version: 1, kind, at, commit, branch, root });
    const plan = await planFrom(around, paths.dir, taken.paths, ask.isTried);
    const notes = [
      ...taken.notes,
      ...contracts.notes,
      ...(await uncommittedNote(repository, trees, taken.base)),
      ...plan.notes,
    ];
    const created = [...INIT_FILES, '.a7/from.json', ...plan.created];
    const source = { at, commit, branch, files: taken.paths.length };
    return { ok: true, value: { dir: path, created, source, plan: plan.file, trial: plan.trial, notes } };
  } finally {
    await trees.close();
  }
}

/** A session in the work tree would be a change of it. */
async function insideProblem(
  dir: string,
  path: string,
  { kind, isBare, at, gitDir }: FoundRepository,
): Promise<Failed | null> {
  if (kind === 'url') return null;
  const root = isBare ? at : basename(gitDir) === '.git' ? dirname(gitDir) : at;
  const parent = await nearest(dirname(path));
  const way = relative(root, parent);
  const isInside = way === '' || !(way === '..' || way.startsWith('../'));
  return isInside
    ? failed(
        2,
        `Cannot init "${dir}": it lies inside the repository ${root}, which must stay as it is`,
        typed`a7-rt init ../${basename(path)} --from ${at}`,
      )
    : null;
}

/** The folder, or the nearest one above that is there, without links. */
async function nearest(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => null);
  return found === null ? nearest(dirname(folder)) : realpath(folder);
}

function noCommit({ repo, base }: InitFromAsk): Failed {
  return base === null
    ? failed(2, `Cannot take "${repo}": the repository has no commit`, 'git add . && git commit, then again')
    : failed(2, `Cannot take "${repo}": it has no branch or commit "${base}"`, 'git branch --list');
}

interface Taken {
  /** What the session begins with, and the commit's own tree. */
  readonly tree: string;
  readonly base: string;
  readonly paths: readonly string[];
  readonly notes: readonly string[];
}

/** By the rules of every gate: what cannot be judged is refused, or left out when a person says so. */
async function takeTree(
  trees: TreeStore,
  base: string,
  commit: string,
  { repo, leaveOut }: InitFromAsk,
): Promise<Taken | Failed> {
  const { files, refused, notes } = await readSnapshot(await treeListing(trees, base, commit), leaveOut);
  if (refused.length > 0) {
    const more = refused.length - NAMED_MAX;
    const problems = refused
      .slice(0, NAMED_MAX)
      .map(({ text }) => ({ message: `Cannot take "${repo}": ${text}` }));
    const rest = more > 0 ? [{ message: `and ${counted(more, 'path')} more` }] : [];
    const globs = refused.slice(0, NAMED_MAX).map(({ path }) => `'${path}'`);
    return failedWith(
      2,
      [...problems, ...rest],
      `--leave-out ${globs.join(' ')} begins without them; a branch that goes back keeps them as they are`,
    );
  }
  if (files.length === 0)
    return failed(2, `Cannot take "${repo}": the commit has no files`, 'Name another one: --base REVISION');
  const made = await trees.importFiles(files);
  if (made.status === 'refused') {
    const [first] = made.refusals;
    return failed(
      2,
      `Cannot take "${repo}": "${first?.path ?? '?'}" ${first?.rule ?? 'is refused'}`,
      '--leave-out GLOB',
    );
  }
  await trees.keep('refs/a7/from/base', base);
  await trees.keep('refs/a7/scaffold', made.tree);
  return { tree: made.tree, base, paths: files.map(({ path }) => path), notes };
}

async function firstCommit(
  workTree: string,
  storeDir: string,
  tree: string,
  from: string,
  repo: string,
): Promise<string> {
  const content = createContentRepo({ workTree, storeDir });
  try {
    await content.init();
    const result = await content.commit({
      expectedHead: null,
      tree,
      message: `Scaffold from ${basename(resolve(repo)).replace(/\.git$/u, '')} at ${from.slice(0, 12)}`,
      trailers: [['A7-From', from]],
      dateSeconds: Math.floor(Date.now() / 1000),
    });
    if (result.status !== 'committed') throw new Error(`Cannot commit the scaffold: ${result.status}`);
    return result.commit;
  } finally {
    await content.close();
  }
}

async function branchOf(gitDir: string, base: string | null): Promise<string | null> {
  if (base === null) return currentBranch(gitDir);
  return (await commitOf(gitDir, `refs/heads/${base}`)) === null ? null : base;
}

async function uncommittedNote(
  { kind, isBare, at }: FoundRepository,
  trees: TreeStore,
  base: string,
): Promise<string[]> {
  if (kind === 'url' || isBare) return [];
  const changed = await uncommittedPaths(at, await trees.listTree(base));
  if (changed.length === 0) return [];
  const named = changed.slice(0, NAMED_MAX).join(', ');
  const more = changed.length > NAMED_MAX ? ` and ${String(changed.length - NAMED_MAX)} more` : '';
  return [
    `Only what is committed was taken: ${named}${more} ${changed.length === 1 ? 'differs' : 'differ'} in the work tree`,
  ];
}
