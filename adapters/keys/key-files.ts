/** ed25519 keys as files: the home's own, those that a person trusts, and those that travel with a session. */
import {
  type KeyObject,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
} from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../core/text/error-text.ts';
import { createExclusively } from '../system/files.ts';

/** Where a home keeps keys; `own` and `trusted` hold public keys by their id. */
export interface KeyPlaces {
  readonly privateKey: string;
  /** Public halves of this home's keys, also of those that were lost since. */
  readonly own: string;
  /** Public keys of others that a person put there. */
  readonly trusted: string;
  /** Last signed head of each session. */
  readonly heads: string;
}

export function keyPlaces(home: string): KeyPlaces {
  const keys = join(home, 'keys');
  return {
    privateKey: join(keys, 'signing.pem'),
    own: join(keys, 'own'),
    trusted: join(keys, 'trusted'),
    heads: join(home, 'heads'),
  };
}

/** First 32 hex digits of the sha256 over the public key in DER form. */
export function keyIdOf(key: KeyObject): string {
  const spki = (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('hex').slice(0, 32);
}

export function publicPem(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
}

/** The home's private key; made, with mode 600, when there is none. @throws for a file that is no ed25519 key. */
export async function openPrivateKey(places: KeyPlaces): Promise<KeyObject> {
  const key = parsePrivate(await readOrMake(places.privateKey), places.privateKey);
  await createExclusively(join(places.own, `${keyIdOf(key)}.pub`), publicPem(key));
  return key;
}

/** A private key of a person's own. @throws for what is no ed25519 key. */
export function parsePrivate(pem: string, name: string): KeyObject {
  const key = parsed(() => createPrivateKey(pem));
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new RangeError(
      `Cannot sign with ${name}: it must be an ed25519 private key in PEM form (openssl genpkey -algorithm ed25519)`,
    );
  return key;
}

/** Public keys of a folder by id; a file that is no key, or is named otherwise than its key, is left out. */
export function publicKeysIn(folder: string): ReadonlyMap<string, KeyObject> {
  const found = new Map<string, KeyObject>();
  for (const name of namesIn(folder)) {
    const key = name.endsWith('.pub') ? readPublicKey(join(folder, name)) : null;
    if (key !== null) found.set(keyIdOf(key), key);
  }
  return found;
}

/** The public key of a file; null for what is none. */
export function readPublicKey(path: string): KeyObject | null {
  const key = parsed(() => createPublicKey(readFileSync(path)));
  return key?.asymmetricKeyType === 'ed25519' ? key : null;
}

async function readOrMake(path: string): Promise<string> {
  const known = textOf(path);
  if (known !== null) return known;
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await createExclusively(path, pem, { mode: 0o600 });
  return textOf(path) ?? pem;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function parsed(read: () => KeyObject): KeyObject | null {
  try {
    return read();
  } catch {
    return null;
  }
}
