/** A tree with a link in it, made by plain git: our own store makes none. */
import { plainGit } from '../support/git-repo.ts';

/** The tree with a link `folder/name` that leads to the blob's text. Shown to the store as a person's base would be. */
export function linkedTree(gitDir: string, tree: string, folder: string, name: string, blob: string): string {
  const git = (args: readonly string[], input = ''): string =>
    plainGit(['--git-dir', gitDir, ...args], { input });
  const inner = git(['ls-tree', `${tree}:${folder}`]);
  const changed = git(['mktree'], `${inner}\n120000 blob ${blob}\t${name}\n`);
  const outer = git(['ls-tree', tree]).split('\n');
  const rows = outer.map((row) => (row.endsWith(`\t${folder}`) ? `040000 tree ${changed}\t${folder}` : row));
  return git(['mktree'], `${rows.join('\n')}\n`);
}
