/** A session that can be tried things on: it reads what the real one has, and its new trees live in a store of their own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createObjectStore } from '../../../adapters/git/object-store.ts';
import { sessionPaths } from '../../../adapters/store/session.ts';
import type { Session } from '../../../core/ports/session.ts';

export interface ScratchSession {
  readonly session: Session;
  /** Copies a tree of the real session into the scratch store. */
  adopt(tree: string): Promise<string>;
  close(): Promise<void>;
}

/** Nothing of the real session's folder is written: no tree, no ref, no report. */
export async function scratchSession(real: Session): Promise<ScratchSession> {
  const folder = await mkdtemp(join(tmpdir(), 'a7-rt-scratch-'));
  const trees = await createObjectStore({ gitDir: join(folder, 'store.git') });
  const { store } = sessionPaths(real.dir);
  const adopt = (tree: string): Promise<string> => trees.importCommit(store, tree);
  return {
    adopt,
    session: {
      ...real,
      trees: {
        ...trees,
        // A ref of the real session is followed by copying what it names.
        readRef: async (ref) => {
          const own = await trees.readRef(ref);
          const theirs = own === null ? await real.trees.readRef(ref) : null;
          return theirs === null ? own : adopt(theirs);
        },
      },
    },
    close: async () => {
      await trees.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
