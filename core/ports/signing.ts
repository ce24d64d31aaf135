/** Who signs, and whose signatures can be checked. The private key never leaves its adapter. */
import type { Signature } from '../../schemas/signature.ts';

export interface Signer {
  readonly keyId: string;
  /** Over the UTF-8 bytes of `text`, which is a pre-authentication encoding. */
  sign(text: string): Signature;
}

/** `home`: a key of this home, also one that was lost since. `known`: a person put it there. `session`: it travelled with the session. */
export type KeyOrigin = 'home' | 'known' | 'session';

export interface SignatureCheck {
  /** `no_key`: nobody here has the public key. */
  readonly status: 'valid' | 'wrong' | 'no_key';
  readonly origin: KeyOrigin | null;
}

export interface KeyRing {
  check(text: string, signature: Signature): SignatureCheck;
}

/** What this home last signed of a session: neither an older copy nor a shorter ledger can pass for it. */
export interface Anchor {
  /** The folder of the session: a copy elsewhere may be older. */
  readonly dir: string;
  readonly seq: number;
  readonly hash: string;
  readonly keyId: string;
}

/** Keys and anchor of one session. */
export interface SessionKeys {
  /** The home's key, made when it is first needed; its public half is laid into the session. */
  signer(): Promise<Signer>;
  ring(): KeyRing;
  anchor(): Anchor | null;
  /** Remembers a head of this folder. Written whole, without waiting for the disk: an older one is still a true one. */
  remember(head: Omit<Anchor, 'dir'>): void;
}
