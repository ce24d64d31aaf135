/** Commits one small change after another until it is killed. Arguments: work tree, store. Run with `--import tsx`. */
import { createContentRepo } from '../../adapters/git/content-repo.ts';
import { createObjectStore } from '../../adapters/git/object-store.ts';

const [workTree = '', storeDir = ''] = process.argv.slice(2);
const store = await createObjectStore({ gitDir: storeDir });
const repo = createContentRepo({ workTree, storeDir });

for (;;) {
  const head = await repo.head();
  const tree = head === null ? store.emptyTree : await store.importCommit(`${workTree}/.git`, head);
  const round = (await store.listTree(tree)).length;
  const bytes = Buffer.from(`round ${round}\n`);
  const result = await store.writeFiles(tree, [
    { kind: 'write', path: `d${round % 3}/f${round}.py`, bytes },
    { kind: 'write', path: 'a.py', bytes },
  ]);
  const committed = await repo.commit({
    expectedHead: head,
    tree: result.tree,
    message: `Round ${round}`,
    trailers: [['Round', String(round)]],
    dateSeconds: 1_700_000_000 + round,
  });
  process.stdout.write(`${committed.status}\n`);
  if (committed.status !== 'committed') process.exit(1);
}
