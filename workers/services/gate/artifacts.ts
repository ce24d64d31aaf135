/**
 * What a run of a repository's gate leaves: `<home>/gate-runs/<name>-<hash>/runs/<run>/iteration-1/`, beside the store of
 * judged trees. Written before anything runs, so that a run that is killed leaves what it was about to judge.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createObjectStore } from '../../../adapters/git/object-store.ts';
import { writeDurably } from '../../../adapters/system/files.ts';
import type { GateArtifact } from '../../../core/ports/gate.ts';
import type { TreeStore } from '../../../core/ports/git.ts';
import type { UserRepository } from '../../../core/ports/user-repository.ts';
import { prettyJson } from '../../../core/text/canonical.ts';
import { messageOf } from '../common.ts';

/** Runs of one repository that are kept; older ones go, with the refs that hold their trees. */
const RUNS_KEPT = 50;

export interface RunFolder {
  /** Name of the run, for example `20261122-044501-1f2e3d`. */
  readonly run: string;
  readonly path: string;
  readonly store: TreeStore;
  write(name: string, content: Uint8Array | string): Promise<void>;
  writeAll(artifacts: readonly GateArtifact[]): Promise<void>;
  close(): Promise<void>;
}

/** A repository whose last run is older goes as a whole, with its store. */
const IDLE_DAYS_MAX = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A new folder for a run of this repository. */
export async function openRunFolder(home: string, root: string, now: Date): Promise<RunFolder> {
  const digest = createHash('sha256').update(root).digest('hex').slice(0, 12);
  const name = basename(root).replace(/[^A-Za-z0-9._-]+/g, '-') || 'repository';
  const base = join(home, 'gate-runs', `${name}-${digest}`);
  await pruneIdle(join(home, 'gate-runs'), base, now);
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const run = `${stamp}-${randomBytes(3).toString('hex')}`;
  const path = join(base, 'runs', run, 'iteration-1');
  const store = await createObjectStore({ gitDir: join(base, 'store.git') });
  await prune(join(base, 'runs'), store);
  const write = (file: string, content: Uint8Array | string): Promise<void> =>
    writeDurably(join(path, file), content);
  return {
    run,
    path,
    store,
    write,
    async writeAll(artifacts): Promise<void> {
      for (const { name: file, bytes } of artifacts) await write(file, bytes);
    },
    close: () => store.close(),
  };
}

/** The judged tree, kept under the run's ref, and how it differs from the commit it is based on. */
export async function keepSnapshot(
  folder: RunFolder,
  repository: UserRepository,
  snapshot: { readonly tree: string; readonly kind: string; readonly base: string | null },
): Promise<void> {
  await folder.store.keep(runRef(folder.run), snapshot.tree);
  const patch = await patchOf(folder, repository, snapshot);
  await folder.write('change.patch', patch);
  await folder.write(
    'snapshot.json',
    prettyJson({ ...snapshot, repository: repository.root, run: folder.run }),
  );
}

async function patchOf(
  folder: RunFolder,
  repository: UserRepository,
  { tree, base }: { readonly tree: string; readonly base: string | null },
): Promise<Uint8Array | string> {
  try {
    const before =
      base === null ? folder.store.emptyTree : await folder.store.importCommit(repository.gitDir, base);
    return await folder.store.patch(before, tree);
  } catch (error) {
    return `Cannot make the patch: ${messageOf(error)}\n`;
  }
}

async function prune(runs: string, store: TreeStore): Promise<void> {
  const names = (await readdir(runs).catch(() => [])).toSorted();
  for (const name of names.slice(0, Math.max(0, names.length - RUNS_KEPT + 1))) {
    await rm(join(runs, name), { recursive: true, force: true });
    await store.deleteRef(runRef(name));
  }
}

async function pruneIdle(all: string, own: string, now: Date): Promise<void> {
  for (const name of await readdir(all).catch(() => [])) {
    const base = join(all, name);
    const last = await stat(join(base, 'runs')).catch(() => null);
    if (base === own || last === null || now.getTime() - last.mtimeMs < IDLE_DAYS_MAX * DAY_MS) continue;
    await rm(base, { recursive: true, force: true });
  }
}

function runRef(run: string): string {
  return `refs/a7/gate/${run}`;
}
