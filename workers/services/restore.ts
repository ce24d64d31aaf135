/** `restore`: every part of a session that is gone or damaged is made again from another part that tells the same. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createSessionKeys } from '../../adapters/keys/session-keys.ts';
import { createContentRepo, type OpenContentRepo } from '../../adapters/git/content-repo.ts';
import { createObjectStore } from '../../adapters/git/object-store.ts';
import { withLock } from '../../adapters/store/lock.ts';
import { type SessionPaths, adoptSession, checkSession, sessionPaths } from '../../adapters/store/session.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import type { Failed, RestoredPart, Result } from '../../core/ports/services.ts';
import { createSessions } from '../sessions.ts';
import { type Surroundings, failed, findSession } from './common.ts';
import { damageFailed } from './open-session.ts';
import { restoreLedger } from './restore-ledger.ts';
import { restoreRecords } from './restore-records.ts';
import { othersServe } from './serve-slots.ts';
import { typed } from '../../core/text/typed.ts';

/** Empty: every part is there. `cut`: the ledger may end before a line that cannot be read. */
export async function restore(
  around: Surroundings,
  dir: string,
  cut: boolean,
): Promise<Result<readonly RestoredPart[]>> {
  const paths = sessionPaths(resolve(dir));
  const parts: RestoredPart[] = [];
  const identity = await restoreIdentity(dir, paths);
  if ('ok' in identity) return identity;
  if (identity.part !== null) parts.push(identity.part);
  const { id } = identity;
  if (await othersServe(id))
    return failed(
      3,
      'Cannot restore: another process works on the session',
      typed`Stop it first; then a7-rt restore ${dir}`,
    );
  const home = homeFolder(around.env);
  const ring = createSessionKeys({ home, dir: paths.dir, travelling: paths.keys, sessionId: id }).ring();
  const ledger = await withLock(`session-${id}`, () => restoreLedger({ paths, ring, cut, shown: dir }));
  if (ledger !== null && 'ok' in ledger) return ledger;
  if (ledger !== null) parts.push(ledger);
  if (!existsSync(paths.ledger) && existsSync(paths.master)) return noLedger(dir);
  const repo = createContentRepo({ workTree: paths.content, storeDir: paths.store });
  try {
    parts.push(...(await withLock(`commit-${id}`, () => restoreTrees(paths, repo))));
    const sessions = createSessions(around.env);
    try {
      parts.push(...(await restoreRecords(await sessions.open(paths.dir), repo, paths, dir)));
    } finally {
      await sessions.close();
    }
    return { ok: true, value: parts };
  } catch (error) {
    const damaged = damageFailed(error, 'restore', dir);
    if (damaged === null) throw error;
    return {
      ...damaged,
      nextStep: 'Put the named part back from a backup: nothing else in the session holds it',
    };
  } finally {
    await repo.close();
  }
}

async function restoreIdentity(
  dir: string,
  paths: SessionPaths,
): Promise<{ readonly id: string; readonly part: RestoredPart | null } | Failed> {
  const check = await checkSession(paths.dir);
  if (check.kind === 'session') return { id: check.id, part: null };
  const isOne = [paths.ledger, paths.ledgerCopy, paths.master].some((path) => existsSync(path));
  if (check.kind === 'not_a_session' && isOne) {
    const detail = 'a new identity: workflows of the old one are left alone';
    return {
      id: await adoptSession(paths.dir),
      part: { part: '.a7/session.json', state: 'restored', detail },
    };
  }
  const found = await findSession(dir);
  return found.ok ? { id: found.value.id, part: null } : found;
}

function noLedger(dir: string): Failed {
  return failed(
    2,
    'Cannot restore: events.jsonl is gone, and so is its copy: no other part tells what was decided',
    `Put events.jsonl back from a backup; what was grounded is in ${dir}/content, commit by commit`,
  );
}

/** `store.git` and `content/` hold the branch both: each is made again from the other. */
async function restoreTrees(paths: SessionPaths, repo: OpenContentRepo): Promise<readonly RestoredPart[]> {
  const parts: RestoredPart[] = [];
  if (!existsSync(join(paths.store, 'HEAD'))) {
    const store = await createObjectStore({ gitDir: paths.store });
    await store.close();
    const detail =
      'the branch from content/; shadows of agents that were at work are gone, and they begin anew';
    parts.push({ part: 'store.git', state: 'restored', detail });
  }
  const branch = await repo.restore();
  if (branch.status === 'restored') {
    const detail = `branch main at ${branch.head.slice(0, 12)}, from store.git`;
    parts.push({ part: 'content/', state: 'restored', detail });
  } else if (branch.status === 'in_the_way') {
    const detail = `branch main is back; files that nobody committed stay: ${branch.paths.map(({ path }) => path).join(', ')}`;
    parts.push({ part: 'content/', state: 'restored', detail });
  } else if (branch.status === 'no_copy' && !existsSync(join(paths.content, '.git', 'HEAD'))) {
    await repo.init();
    const detail = 'no copy of the branch: an empty repository, put content/ back from a backup';
    parts.push({ part: 'content/', state: 'lost', detail });
  }
  const recovered = await repo.recover();
  if (recovered.status === 'rolled_forward')
    parts.push({
      part: 'content/',
      state: 'restored',
      detail: 'files follow the branch, which was moved before',
    });
  return parts;
}
