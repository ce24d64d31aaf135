/** A session folder: its layout, and the identity that binds it to one place (design part 4, gate.md part 9). */
import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../core/text/error-text.ts';
import { writeDurably } from '../system/files.ts';

/** Every path of a session. Agents see none of them: trees reach them as git objects. */
export interface SessionPaths {
  readonly dir: string;
  readonly identity: string;
  readonly contracts: string;
  readonly a7: string;
  /** Public keys that travel with the session. */
  readonly keys: string;
  readonly ledger: string;
  /** Second copies of what cannot be computed again. */
  readonly spare: string;
  readonly ledgerCopy: string;
  readonly spareObjects: string;
  readonly master: string;
  readonly manager: string;
  readonly content: string;
  readonly store: string;
  readonly calls: string;
  readonly objects: string;
  readonly reports: string;
  readonly sessions: string;
  readonly runs: string;
}

/** Paths of the session at `dir`. */
export function sessionPaths(dir: string): SessionPaths {
  const root = resolve(dir);
  const at = (name: string): string => join(root, name);
  return {
    dir: root,
    identity: join(root, '.a7', 'session.json'),
    contracts: at('contracts.yaml'),
    a7: at('.a7'),
    keys: join(root, '.a7', 'keys'),
    ledger: at('events.jsonl'),
    spare: join(root, '.a7', 'spare'),
    ledgerCopy: join(root, '.a7', 'spare', 'events.jsonl'),
    spareObjects: join(root, '.a7', 'spare', 'objects'),
    master: at('master.json'),
    manager: at('manager.json'),
    content: at('content'),
    store: at('store.git'),
    calls: at('calls'),
    objects: at('objects'),
    reports: at('reports'),
    sessions: at('sessions'),
    runs: at('runs'),
  };
}

const Identity = z.strictObject({
  version: z.literal(1),
  id: z.uuid(),
  device: z.int(),
  inode: z.int(),
  /** For ids that people read; sessions of older versions have none, and keep their ids. */
  name: z
    .string()
    .regex(/^[\w.-]{1,60}$/)
    .optional(),
});
type Identity = z.infer<typeof Identity>;

export type SessionCheck =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'not_a_session' }
  | { readonly kind: 'copied'; readonly id: string };

/** Gives a new session its uuid, bound to the folder's device and inode. */
export async function createIdentity(dir: string): Promise<string> {
  const id = randomUUID();
  await bind(dir, id);
  return id;
}

/** Reads and checks the identity; a copied or moved-across-devices folder is `copied` until it is adopted. */
export async function checkSession(dir: string): Promise<SessionCheck> {
  const folder = await stat(dir).catch(() => null);
  if (folder === null || !folder.isDirectory()) return { kind: 'missing' };
  const identity = await readIdentity(dir);
  if (identity === null) return { kind: 'not_a_session' };
  const same = identity.device === folder.dev && identity.inode === folder.ino;
  return same ? { kind: 'session', id: identity.id } : { kind: 'copied', id: identity.id };
}

/** Gives a copied folder an identity of its own, so that two folders never share workflow ids. */
export async function adoptSession(dir: string): Promise<string> {
  return createIdentity(dir);
}

const NAME_CHARS_MAX = 60;
/** Of the uuid; with the name it tells two sessions of one server apart. */
const ID_CHARS = 8;

/** How workflow ids call a session: `shop-1a2b3c4d`, or its whole uuid where an older version made it. */
export async function workflowNameOf(dir: string, id: string): Promise<string> {
  const name = (await readIdentity(dir))?.name;
  return name === undefined ? id : `${name}-${id.slice(0, ID_CHARS)}`;
}

async function readIdentity(dir: string): Promise<Identity | null> {
  try {
    return Identity.parse(JSON.parse(await readFile(sessionPaths(dir).identity, 'utf8')));
  } catch (error) {
    if (errorCode(error) === null && !(error instanceof SyntaxError) && !(error instanceof z.ZodError))
      throw error;
    return null;
  }
}

async function bind(dir: string, id: string): Promise<void> {
  const folder = await stat(dir);
  const name = basename(resolve(dir))
    .replace(/[^\w.-]+/g, '-')
    .slice(0, NAME_CHARS_MAX);
  const known = { version: 1 as const, id, device: folder.dev, inode: folder.ino };
  const identity: Identity = name === '' ? known : { ...known, name };
  await writeDurably(sessionPaths(dir).identity, `${JSON.stringify(identity, null, 2)}\n`);
}
