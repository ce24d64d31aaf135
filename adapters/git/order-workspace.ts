/** A workspace of orders: the trees of one repository and base branch, and who holds it (core/ports/orders.ts). */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { LeaseTurn, Workspace } from '../../core/ports/orders.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { writeDurably } from '../system/files.ts';
import { makeCommit } from './commit-object.ts';
import { git } from './git-process.ts';
import { assertOid, writeLoose } from './loose-objects.ts';
import { createObjectStore } from './object-store.ts';

const Lease = z.strictObject({
  version: z.literal(1),
  holder: z.string().nullable(),
  queue: z.array(z.string()),
});
type Lease = z.infer<typeof Lease>;

/** One holder at a time for the file of leases. */
export type WithLock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Opens or makes the workspace at `dir`. */
export async function openWorkspace(dir: string, id: string, withLock: WithLock): Promise<Workspace> {
  const gitDir = join(dir, 'store.git');
  const trees = await withLock(`a7-workspace:${dir}`, () => createObjectStore({ gitDir }));
  const locked = <T>(work: (lease: Lease) => Promise<T>): Promise<T> =>
    withLock(`a7-workspace:${dir}`, async () => work(await readLease(dir)));
  const write = (lease: Lease): Promise<void> =>
    writeDurably(join(dir, 'lease.json'), `${JSON.stringify(lease)}\n`);
  return {
    id,
    gitDir,
    trees,
    enqueue: (orderId) =>
      locked(async (lease) => {
        if (lease.holder === orderId || lease.queue.includes(orderId)) return;
        await write({ ...lease, queue: [...lease.queue, orderId] });
      }),
    takeTurn: (orderId, isGone) =>
      locked(async (lease) => {
        const { next, turn } = await turnOf(lease, orderId, isGone);
        if (JSON.stringify(next) !== JSON.stringify(lease)) await write(next);
        return turn;
      }),
    release: (orderId) =>
      locked(async (lease) => {
        const holder = lease.holder === orderId ? null : lease.holder;
        await write({ ...lease, holder, queue: lease.queue.filter((each) => each !== orderId) });
      }),
    holder: async () => (await readLease(dir)).holder,
    async commitTree({ tree, parent, message, dateSeconds }): Promise<string> {
      const commit = makeCommit({ expectedHead: parent, tree, message, trailers: [], dateSeconds });
      await writeLoose(gitDir, [commit]);
      return commit.oid;
    },
    async readCommit(commit) {
      const text = await git({ gitDir }, ['cat-file', 'commit', assertOid(commit)]);
      const parents = [...(text.split('\n\n')[0] ?? '').matchAll(/^parent ([0-9a-f]{40})$/gm)].map(
        (match) => match[1] ?? '',
      );
      return { tree: /^tree ([0-9a-f]{40})$/m.exec(text)?.[1] ?? '', parents };
    },
    packOf: (commit, tree) => packOf(gitDir, [commit, tree]),
    sizesOf: (tree) => sizesOf(gitDir, tree),
    bundle: (path, branches) => bundle(gitDir, path, branches),
  };
}

/** Whose turn it is when everybody who is gone has left the line. */
async function turnOf(
  lease: Lease,
  orderId: string,
  isGone: (orderId: string) => Promise<boolean>,
): Promise<{ readonly next: Lease; readonly turn: LeaseTurn }> {
  const line = lease.queue.includes(orderId) ? lease.queue : [...lease.queue, orderId];
  if (lease.holder === orderId)
    return {
      next: { ...lease, queue: line.filter((each) => each !== orderId) },
      turn: { kind: 'yours', tookOverFrom: null },
    };
  const lost = lease.holder !== null && (await isGone(lease.holder)) ? lease.holder : null;
  const holder = lost === null ? lease.holder : null;
  const ahead: string[] = [];
  for (const each of line.slice(0, line.indexOf(orderId))) if (!(await isGone(each))) ahead.push(each);
  const queue = [...ahead, ...line.slice(line.indexOf(orderId))];
  if (holder !== null || ahead.length > 0)
    return {
      next: { ...lease, holder, queue },
      turn: { kind: 'wait', ahead: [...(holder === null ? [] : [holder]), ...ahead] },
    };
  return {
    next: { ...lease, holder: orderId, queue: queue.filter((each) => each !== orderId) },
    turn: { kind: 'yours', tookOverFrom: lost },
  };
}

async function readLease(dir: string): Promise<Lease> {
  try {
    return Lease.parse(JSON.parse(await readFile(join(dir, 'lease.json'), 'utf8')));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { version: 1, holder: null, queue: [] };
    throw error;
  }
}

/** One listing of git's: to read each object for its size takes as long as to read the tree. */
async function sizesOf(gitDir: string, tree: string): Promise<ReadonlyMap<string, number>> {
  const text = await git({ gitDir }, ['ls-tree', '-r', '-l', '-z', assertOid(tree)]);
  const found = text.matchAll(/[0-7]+ blob [0-9a-f]+ +(\d+)\t([^\0]+)\0/gu);
  return new Map([...found].map(([, size = '', path = '']) => [path, Number(size)]));
}

async function packOf(
  gitDir: string,
  objects: readonly string[],
): Promise<{ readonly pack: Uint8Array; readonly index: Uint8Array }> {
  // On the store's own disk: git writes among its objects and renames, which no other disk allows.
  const folder = await mkdtemp(join(gitDir, 'a7-pack-'));
  try {
    await git(
      { gitDir },
      ['pack-objects', '--quiet', '--revs', '--window=0', join(folder, 'p')],
      `${objects.map(assertOid).join('\n')}\n`,
    );
    const names = await readdir(folder);
    const read = (end: string): Promise<Buffer> =>
      readFile(join(folder, names.find((name) => name.endsWith(end)) ?? end));
    return { pack: await read('.pack'), index: await read('.idx') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Made in a repository of its own that borrows the objects: its branches carry the names that a person reads. */
async function bundle(
  gitDir: string,
  path: string,
  branches: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'a7-bundle-'));
  const own = { gitDir: folder };
  try {
    await git(own, ['init', '--quiet', '--bare', '--initial-branch=base']);
    await writeDurably(join(folder, 'objects', 'info', 'alternates'), `${join(gitDir, 'objects')}\n`);
    for (const [name, commit] of Object.entries(branches))
      await git(own, ['update-ref', `refs/heads/${name}`, commit]);
    // A plain clone checks out what the order came to.
    const last = Object.keys(branches).findLast((name) => name.startsWith('iteration-')) ?? 'base';
    await git(own, ['symbolic-ref', 'HEAD', `refs/heads/${last}`]);
    await git(own, ['bundle', 'create', '--quiet', path, 'HEAD', ...Object.keys(branches)]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
