/** What git's listings say: `ls-files --stage -z`, `ls-tree -r -z` and `ls-files -z`. */
import type { ListedEntry, ListedKind } from '../../core/ports/user-repository.ts';

export interface ListedObject extends ListedEntry {
  readonly oid: string;
}

const KINDS: Readonly<Record<string, ListedKind>> = {
  '100644': 'file',
  '100664': 'file',
  '100755': 'executable',
  '120000': 'symlink',
  '160000': 'submodule',
};

/** `<mode> <oid> <stage>\t<path>`: a stage other than 0 is a merge that is not done; its path comes once. */
export function parseIndex(output: string): ListedObject[] {
  const entries = records(output).map(({ head: [mode = '', oid = '', stage = '0'], path }) => ({
    path,
    kind: stage === '0' ? kindOf(mode) : ('unmerged' as const),
    oid,
  }));
  return [...new Map(entries.map((entry) => [entry.path, entry])).values()].toSorted(byPath);
}

/** `<mode> <type> <oid>\t<path>`. */
export function parseTree(output: string): ListedObject[] {
  return records(output)
    .map(({ head: [mode = '', , oid = ''], path }) => ({ path, kind: kindOf(mode), oid }))
    .toSorted(byPath);
}

/** Paths alone; a folder's path ends in `/`: it is a repository of its own. */
export function parseNames(output: string): ListedEntry[] {
  return names(output).map((path) =>
    path.endsWith('/') ? { path: path.slice(0, -1), kind: 'nested' } : { path, kind: 'file' },
  );
}

function records(output: string): { readonly head: readonly string[]; readonly path: string }[] {
  return names(output).map((record) => {
    const tab = record.indexOf('\t');
    return { head: record.slice(0, tab).split(' '), path: record.slice(tab + 1) };
  });
}

function names(output: string): string[] {
  return output.split('\0').filter((name) => name !== '');
}

function kindOf(mode: string): ListedKind {
  return KINDS[mode] ?? 'submodule';
}

function byPath(a: ListedEntry, b: ListedEntry): number {
  return a.path < b.path ? -1 : 1;
}
