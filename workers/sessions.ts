/** Opens session folders: joins the store and git adapters to one `Session`, once a process (design part 4). */
import { statSync } from 'node:fs';
import { createContentRepo } from '../adapters/git/content-repo.ts';
import { createSessionKeys } from '../adapters/keys/session-keys.ts';
import { createFileTools } from '../adapters/git/file-tools.ts';
import { createObjectStore } from '../adapters/git/object-store.ts';
import { createLedger, LedgerCorrupt } from '../adapters/store/ledger.ts';
import { withLock } from '../adapters/store/lock.ts';
import { createObjectFiles } from '../adapters/store/objects.ts';
import { createStepResults } from '../adapters/store/results.ts';
import { checkSession, sessionPaths } from '../adapters/store/session.ts';
import { createSessionLog } from '../adapters/store/session-log.ts';
import { keepRoot } from '../adapters/system/rooted.ts';
import { homeFolder } from '../adapters/temporal/home.ts';
import { foldLines } from '../core/ledger/fold-session.ts';
import { withProjectRequires } from '../core/layers/session-spec.ts';
import { type SessionDoc, emptyDoc } from '../core/ledger/session-doc.ts';
import type { ObjectStore } from '../core/ports/objects.ts';
import { errorCode } from '../core/text/error-text.ts';
import type { ContractBook, LedgerPort, Session, Sessions } from '../core/ports/session.ts';
import { SessionDamaged, damageOf } from './services/session-damage.ts';
import { StoredBook } from '../schemas/stored-book.ts';

/** The folder is missing, no session, or a copy that was not adopted: no retry can mend it. */
export class SessionGone extends Error {
  override readonly name = 'SessionGone';
}

/** Sessions that also can be let go of: their reader processes end. */
export interface OpenSessions extends Sessions {
  close(): Promise<void>;
}

/** What may be opened: `reading` opens a copy that nobody adopted, too. */
export type OpenFor = 'work' | 'reading';

/** Sessions by folder; each is opened once. `env` says which home signs what is written. */
export function createSessions(env: Environment = process.env, purpose: OpenFor = 'work'): OpenSessions {
  const opened = new Map<string, Promise<OpenedSession>>();
  return {
    async open(dir): Promise<Session> {
      const known = opened.get(dir);
      if (known !== undefined) {
        const { session, inode } = await known;
        if (inodeOf(dir) !== inode)
          throw new SessionGone(`Cannot go on in "${dir}": the folder was moved or deleted meanwhile`);
        return session;
      }
      const opening = openSession(dir, homeFolder(env), purpose);
      opened.set(dir, opening);
      opening.catch(() => opened.delete(dir));
      return (await opening).session;
    },
    async close(): Promise<void> {
      const all = await Promise.allSettled(opened.values());
      opened.clear();
      for (const each of all) if (each.status === 'fulfilled') await each.value.close();
    },
  };
}

interface OpenedSession {
  readonly session: Session;
  /** Of its folder: another one at the same path is another session. */
  readonly inode: number | null;
  close(): Promise<void>;
}

function inodeOf(dir: string): number | null {
  return statSync(dir, { throwIfNoEntry: false })?.ino ?? null;
}

type Environment = Readonly<Record<string, string | undefined>>;

async function openSession(dir: string, home: string, purpose: OpenFor): Promise<OpenedSession> {
  const check = await checkSession(dir);
  const isReadable = check.kind === 'session' || (check.kind === 'copied' && purpose === 'reading');
  if (!isReadable) throw new SessionGone(`Cannot open "${dir}": it is ${check.kind.replaceAll('_', ' ')}`);
  const paths = sessionPaths(dir);
  keepRoot(paths.dir);
  const damage = damageOf(paths);
  if (damage !== null) throw new SessionDamaged(`Cannot open the session: ${damage}`);
  const lockName = `session-${check.id}`;
  const trees = await createObjectStore({ gitDir: paths.store });
  const content = createContentRepo({ workTree: paths.content, storeDir: paths.store });
  const keys = createSessionKeys({ home, dir: paths.dir, travelling: paths.keys, sessionId: check.id });
  const ledger = createLedger({ path: paths.ledger, copyPath: paths.ledgerCopy, lockName, keys });
  const objects = createObjectFiles({ dir: paths.objects, spareDir: paths.spareObjects });
  const doc = docReader(ledger);
  const session: Session = {
    id: check.id,
    dir: paths.dir,
    isCopy: check.kind === 'copied',
    ledger,
    keys,
    objects,
    results: createStepResults(paths.calls),
    spare: createStepResults(paths.spare),
    log: createSessionLog(paths.sessions),
    trees,
    content,
    files: createFileTools(trees),
    contentDir: paths.content,
    doc,
    book: bookReader(doc, async (ref) => Buffer.from(await bookBytes(objects, ref)).toString('utf8')),
    exclusive: (work) => withLock(`commit-${check.id}`, work),
  };
  return {
    session,
    inode: inodeOf(dir),
    close: async () => {
      await trees.close();
      await content.close();
    },
  };
}

/** The fold, brought up to date with the lines that were appended since. */
function docReader(ledger: LedgerPort): () => Promise<SessionDoc> {
  let doc = emptyDoc;
  return async () => {
    const read = await ledger.read();
    if (read.kind === 'corrupt')
      throw new LedgerCorrupt(`Line ${String(read.fault.line)} of the ledger ${read.fault.reason}`);
    const known = read.lines[doc.state.seq - 1];
    const base = doc.state.seq === 0 || known?.hash === doc.headHash ? doc : emptyDoc;
    const fresh = read.lines.slice(base.state.seq);
    if (fresh.length > 0 || base !== doc) doc = foldLines(base, fresh);
    return doc;
  };
}

async function bookBytes(objects: ObjectStore, ref: string): Promise<Uint8Array> {
  return objects.get(ref).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new SessionDamaged('Cannot read contracts: objects/ lacks those of the last seed');
  });
}

export function bookReader(
  doc: () => Promise<SessionDoc>,
  load: (ref: string) => Promise<string>,
): () => Promise<ContractBook> {
  let cached: { readonly ref: string; readonly book: ContractBook } | null = null;
  return async () => {
    const { contractsRef } = await doc();
    if (contractsRef === null)
      throw new SessionGone('Cannot read contracts: nothing was seeded; a7-rt seed SESSION does it');
    if (cached?.ref !== contractsRef) {
      const stored = StoredBook.parse(JSON.parse(await load(contractsRef)));
      const resolved = withProjectRequires(stored.contracts, stored.resolved);
      cached = { ref: contractsRef, book: { ...stored, resolved } };
    }
    return cached.book;
  };
}
