/** What a promotion does in a repository: objects, one ref, a bundle or a push. Neither work tree nor index nor hooks. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { writeDurably } from '../system/files.ts';
import { GitCommandError, git, gitArguments, processOptions, tryGit } from './git-process.ts';
import { treeOf } from './named-commits.ts';
import { gitReason, porcelain, SourceProblem } from './order-source.ts';

/** Streams what the commits have and their base has not, as one pack. */
export async function givePack(
  store: string,
  gitDir: string,
  commits: readonly string[],
  base: string,
): Promise<void> {
  const baseTree = await treeOf(gitDir, base);
  const trees = await Promise.all(commits.map((commit) => treeOf(store, commit)));
  // Trees, not commits: the store has the base but not its parents, and git would walk to them.
  // A clone without folders does not know what of the base was promised to it: it is given all.
  const isKnown = (await tryGit({ gitDir }, ['cat-file', '-e', baseTree])).exitCode === 0;
  const wanted = [...new Set(trees), ...(isKnown ? [`^${baseTree}`] : [])];
  const listed = await git({ gitDir: store }, ['rev-list', '--objects', '--stdin'], `${wanted.join('\n')}\n`);
  const named = listed.split('\n').map((line) => line.split(' ')[0] ?? '');
  const oids = [...commits, ...named.filter((oid) => /^[0-9a-f]{40}$/.test(oid))];
  const pack = ['pack-objects', '--quiet', '--stdout'];
  const unpack = ['index-pack', '--stdin', '--fix-thin'];
  const result = await execa('git', gitArguments(pack), {
    ...processOptions({ gitDir: store }),
    input: `${oids.join('\n')}\n`,
    reject: false,
  }).pipe('git', gitArguments(unpack), { ...processOptions({ gitDir }), reject: false });
  if (result.failed) throw new GitCommandError(unpack, result.exitCode, result.stderr);
}

/** Names that git makes no branch or tag of, or that read as something else in every later command. */
const ODD_NAME = /^refs\/\w+\/(?:-|HEAD$|refs\/)/;

/** Compare-and-swap of one ref. @throws {SourceProblem} when somebody was faster, or the name is none */
export async function moveRef(
  gitDir: string,
  ref: string,
  commit: string,
  old: string | null,
): Promise<void> {
  const valid = await tryGit({ gitDir }, ['check-ref-format', ref]);
  if (valid.exitCode !== 0 || ODD_NAME.test(ref))
    throw new SourceProblem(`Cannot promote: "${ref}" is no name of a ref`, 'Choose another name');
  const moved = await tryGit({ gitDir }, [
    'update-ref',
    '-m',
    'a7-rt promote',
    ref,
    commit,
    old ?? '0'.repeat(40),
  ]);
  if (moved.exitCode !== 0)
    throw new SourceProblem(
      `Cannot promote: ${moved.stderr.trim()}`,
      'Look at the branch, then promote again',
    );
}

/** Branches of the repository's work trees. */
export async function checkedOutBranches(gitDir: string): Promise<string[]> {
  // Ours outvotes the repository's own word (`OVERRIDES`); here that word is wanted.
  const bare = await tryGit({ gitDir }, ['config', '--local', '--get', '--bool', 'core.bare']);
  const listed = await git({ gitDir }, [
    '-c',
    'core.bare=' + (bare.stdout.trim() === 'true' ? 'true' : 'false'),
    'worktree',
    'list',
    '--porcelain',
  ]);
  return [...listed.matchAll(/^branch refs\/heads\/(.+)$/gm)].map((match) => match[1] ?? '');
}

/** A bundle that a clone of the source can fetch from. */
export async function promotionBundle(asked: {
  readonly scratch: string;
  readonly store: string;
  readonly source: string;
  readonly base: string;
  readonly commit: string;
  readonly name: string;
  readonly file: string;
}): Promise<void> {
  const { scratch, store, source, base, commit, name, file } = asked;
  const gitDir = join(scratch, 'promotion.git');
  await mkdir(dirname(file), { recursive: true });
  await git({ gitDir: scratch }, ['init', '--quiet', '--bare', gitDir]);
  await writeDurably(
    join(gitDir, 'objects', 'info', 'alternates'),
    `${join(store, 'objects')}\n${join(source, 'objects')}\n`,
  );
  await git({ gitDir }, ['update-ref', `refs/heads/${name}`, commit]);
  await porcelain(gitDir, gitDir, {}).raw(['bundle', 'create', '--quiet', file, name, `^${base}`]);
}

/** Whether a file is a bundle with this commit, made by a promotion before. */
export async function isBundleOf(gitDir: string, file: string, commit: string): Promise<boolean> {
  const listed = await tryGit({ gitDir }, ['bundle', 'list-heads', file]);
  return listed.exitCode === 0 && listed.stdout.includes(commit);
}

/** Sets a ref where the repository was cloned from, if it still is at `old`. @throws {SourceProblem} when it is refused */
export async function pushRef(
  gitDir: string,
  { ref, commit, old }: { readonly ref: string; readonly commit: string; readonly old: string | null },
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const lease = `--force-with-lease=${ref}:${old ?? ''}`;
  try {
    await porcelain(gitDir, gitDir, env).raw(['push', '--quiet', lease, 'origin', `${commit}:${ref}`]);
  } catch (error) {
    throw new SourceProblem(
      `Cannot push "${ref}": ${gitReason(error)}`,
      'Promote to a bundle or a patch instead',
    );
  }
}
