/** Every commit of a branch with its trailers and what it changed, by two git processes, whatever the branch's length. */
import type { BranchCommit } from '../../core/record/branch.ts';
import { type GitPlace, git, tryGit } from './git-process.ts';

const NO_OBJECT = '0'.repeat(40);

/** From the oldest to the head; empty when there is no repository or no such branch. */
export async function branchLog(place: GitPlace, branch: string): Promise<readonly BranchCommit[]> {
  const ref = `refs/heads/${branch}`;
  const listed = await tryGit(place, ['rev-list', '--reverse', '--topo-order', '--header', ref, '--']).catch(
    () => null,
  );
  if (listed === null || listed.exitCode !== 0) return [];
  const records = listed.stdout.split('\0').filter((record) => record.trim() !== '');
  const ids = records.map((record) => record.trimStart().slice(0, 40));
  const changes = await changesOf(place, ids);
  return records.map((record, index) => readCommit(record, changes.get(ids[index] ?? '') ?? []));
}

function readCommit(record: string, changes: BranchCommit['changes']): BranchCommit {
  const rows = record.trimStart().split('\n');
  const blank = rows.indexOf('');
  const header = rows.slice(1, blank === -1 ? undefined : blank);
  const values = (name: string): string[] =>
    header.filter((row) => row.startsWith(`${name} `)).map((row) => row.slice(name.length + 1));
  const message =
    blank === -1
      ? ''
      : rows
          .slice(blank + 1)
          .map((row) => row.slice(4))
          .join('\n');
  return {
    id: rows[0] ?? '',
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    trailers: trailersOf(message),
    changes,
  };
}

/** `Name: value` lines of the last paragraph. */
function trailersOf(message: string): BranchCommit['trailers'] {
  const paragraph =
    message
      .trimEnd()
      .split(/\n[ \t]*\n+/u)
      .at(-1) ?? '';
  return paragraph.split('\n').flatMap((row) => {
    const [, name, value] = /^([A-Za-z][A-Za-z0-9-]*): (.*)$/u.exec(row) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.trim()] as const];
  });
}

/** Against the first parent; git tells a merge once a parent, and the first one counts. */
async function changesOf(
  place: GitPlace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, BranchCommit['changes']>> {
  const options = [
    '--stdin',
    '-r',
    '-z',
    '--raw',
    '--root',
    '-m',
    '--no-renames',
    '--no-abbrev',
    '--no-ext-diff',
  ];
  const tokens = (await git(place, ['diff-tree', ...options], `${ids.join('\n')}\n`)).split('\0');
  const found = new Map<string, { path: string; oid: string | null }[]>();
  let current: { path: string; oid: string | null }[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    const raw = /^:\d+ \d+ [0-9a-f]{40} ([0-9a-f]{40}) [A-Z]/u.exec(token);
    if (raw !== null) {
      at += 1;
      const oid = raw[1] === NO_OBJECT ? null : (raw[1] ?? null);
      current.push({ path: tokens[at] ?? '', oid });
    } else if (/^[0-9a-f]{40}$/u.test(token.trim())) {
      current = [];
      if (!found.has(token.trim())) found.set(token.trim(), current);
    }
  }
  return found;
}
