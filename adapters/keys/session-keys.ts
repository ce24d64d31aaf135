/** Keys and anchor of one session: the home signs, the public key travels in the session's folder. */
import { type KeyObject, sign, verify } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Anchor, KeyOrigin, KeyRing, SessionKeys, Signer } from '../../core/ports/signing.ts';
import type { Signature } from '../../schemas/signature.ts';
import { createExclusively, writeWhole } from '../system/files.ts';
import { type KeyPlaces, keyIdOf, keyPlaces, openPrivateKey, publicKeysIn, publicPem } from './key-files.ts';

export interface SessionKeyOptions {
  readonly home: string;
  readonly dir: string;
  /** `<session>/.a7/keys`. */
  readonly travelling: string;
  readonly sessionId: string;
}

/** The keys of the session with this id. Nothing is written before the first signature. */
export function createSessionKeys(options: SessionKeyOptions): SessionKeys {
  const places = keyPlaces(options.home);
  const anchorPath = join(places.heads, `${options.sessionId}.json`);
  let signer: Promise<Signer> | null = null;
  return {
    signer() {
      signer ??= openSigner(places, options.travelling).catch((error: unknown) => {
        signer = null;
        throw error;
      });
      return signer;
    },
    ring: () => createKeyRing(places, options.travelling),
    anchor: () => readAnchor(anchorPath, options.dir),
    remember(head): void {
      mkdirSync(places.heads, { recursive: true });
      writeWhole(anchorPath, `${JSON.stringify({ dir: options.dir, ...head })}\n`);
    },
  };
}

/** Signs with a key. */
export function signerOf(key: KeyObject): Signer {
  const keyId = keyIdOf(key);
  return {
    keyId,
    sign: (text) => ({ keyid: keyId, sig: sign(null, Buffer.from(text), key).toString('base64') }),
  };
}

/** All public keys that can be found, read once; the home's own come first. */
export function createKeyRing(places: KeyPlaces, travelling: string | null): KeyRing {
  const folders: readonly (readonly [KeyOrigin, string | null])[] = [
    ['home', places.own],
    ['known', places.trusted],
    ['session', travelling],
  ];
  const keys = new Map<string, { readonly origin: KeyOrigin; readonly key: KeyObject }>();
  for (const [origin, folder] of folders) {
    for (const [id, key] of folder === null ? [] : publicKeysIn(folder))
      if (!keys.has(id)) keys.set(id, { origin, key });
  }
  return {
    check(text, signature) {
      const known = keys.get(signature.keyid);
      if (known === undefined) return { status: 'no_key', origin: null };
      return { status: isSigned(text, signature, known.key) ? 'valid' : 'wrong', origin: known.origin };
    },
  };
}

/** Whether this key made this signature over this text. */
export function isSigned(text: string, signature: Pick<Signature, 'sig'>, key: KeyObject): boolean {
  return verify(null, Buffer.from(text), key, Buffer.from(signature.sig, 'base64'));
}

async function openSigner(places: KeyPlaces, travelling: string): Promise<Signer> {
  const key = await openPrivateKey(places);
  await createExclusively(join(travelling, `${keyIdOf(key)}.pub`), publicPem(key));
  return signerOf(key);
}

function readAnchor(path: string, dir: string): Anchor | null {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Anchor>;
    const { seq, hash, keyId } = value;
    const isWhole = typeof seq === 'number' && typeof hash === 'string' && typeof keyId === 'string';
    return isWhole && value.dir === dir ? { dir, seq, hash, keyId } : null;
  } catch {
    return null;
  }
}
