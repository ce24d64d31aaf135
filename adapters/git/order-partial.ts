/**
 * The base of a partial clone. What the clone holds is copied; what it left at its remote is asked for in the workspace's own
 * store, so that nothing is written into the clone, which git itself would fill (decision 0116).
 */
import { execa } from 'execa';
import { GitCommandError, git, gitArguments, processOptions, tryGit } from './git-process.ts';
import { treeOf } from './named-commits.ts';
import { gitReason, isUrl, porcelain, SourceProblem, withoutSecret } from './order-source.ts';

/** Objects that are named in one command. */
const ASKED_AT_ONCE = 10_000;

/** Where a partial clone says that its objects are; null: it is none. */
async function promisorOf(gitDir: string): Promise<string | null> {
  const read = async (...args: string[]): Promise<string> =>
    (await tryGit({ gitDir }, ['config', '--local', ...args])).stdout.trim();
  const named = (await read('--type=bool', '--get-regexp', String.raw`^remote\..*\.promisor$`))
    .split('\n')
    .flatMap((line) => /^remote\.(.*)\.promisor true$/.exec(line)?.[1] ?? []);
  // Clones of older versions of git have only the extension.
  const remote = named[0] ?? (await read('--get', 'extensions.partialClone'));
  return remote === '' ? null : await read('--get', `remote.${remote}.url`);
}

/**
 * Brings what a commit of a partial clone holds into the store `to`.
 * @returns its tree; null: `from` is no partial clone, and nothing was done @throws {SourceProblem} when its remote does not give the rest
 */
export async function importPartial(
  to: string,
  from: string,
  commit: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const promisor = await promisorOf(from);
  if (promisor === null) return null;
  const tree = await treeOf(from, commit);
  const { there, missing } = await objectsOf(from, tree);
  await copyObjects(from, to, there);
  if (missing.length > 0) await askFor(to, promisor, missing, env);
  const walked = await tryGit({ gitDir: to }, ['rev-list', '--objects', '--quiet', tree]);
  if (walked.exitCode !== 0) throw notGiven(promisor, walked.stderr.trim());
  return tree;
}

interface Listed {
  readonly there: readonly string[];
  /** What lies below a missing folder is not named. */
  readonly missing: readonly string[];
}

async function objectsOf(gitDir: string, tree: string): Promise<Listed> {
  const root = await tryGit({ gitDir }, ['cat-file', '-e', tree]);
  if (root.exitCode !== 0) return { there: [], missing: [tree] };
  const walk = ['rev-list', '--objects', '--no-object-names', '--missing=print', tree];
  const lines = (await git({ gitDir }, walk)).split('\n').filter((line) => line !== '');
  return {
    there: lines.filter((line) => !line.startsWith('?')),
    missing: lines.filter((line) => line.startsWith('?')).map((line) => line.slice(1)),
  };
}

async function copyObjects(from: string, to: string, oids: readonly string[]): Promise<void> {
  const unpack = ['index-pack', '--stdin'];
  const result = await execa('git', gitArguments(['pack-objects', '--quiet', '--stdout']), {
    ...processOptions({ gitDir: from }),
    input: oids.map((oid) => `${oid}\n`).join(''),
    reject: false,
  }).pipe('git', gitArguments(unpack), { ...processOptions({ gitDir: to }), reject: false });
  if (result.failed) throw new GitCommandError(unpack, result.exitCode, result.stderr);
}

/** Without a filter, so that a missing folder comes with all that is in it. */
async function askFor(
  to: string,
  promisor: string,
  oids: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (!isUrl(promisor) && !promisor.startsWith('/'))
    throw notGiven(promisor, 'its address is neither a URL nor an absolute folder');
  const fetch = [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-auto-gc',
    '--end-of-options',
  ];
  try {
    for (let at = 0; at < oids.length; at += ASKED_AT_ONCE)
      await porcelain(to, to, env).raw([...fetch, promisor, ...oids.slice(at, at + ASKED_AT_ONCE)]);
  } catch (error) {
    throw notGiven(promisor, gitReason(error));
  }
}

function notGiven(promisor: string, reason: string): SourceProblem {
  return new SourceProblem(
    `Cannot read the whole base: this is a partial clone, and "${withoutSecret(promisor)}" does not give what it lacks: ${reason}`,
    'git fetch --refetch --no-filter brings it into the clone; or name the URL: --repo URL',
  );
}
