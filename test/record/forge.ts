/** Hands that forge a session: they know every format, and have no key. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../../core/text/canonical.ts';
import { plainGit } from '../support/git-repo.ts';

type Line = Record<string, unknown> & { hash: string; prev: string; seq: number; sig?: unknown };

/** The session as it was is put back afterwards, in the same folder: a copy elsewhere would have no identity. */
export async function afterwardsWhole<T>(dir: string, work: () => Promise<T>): Promise<T> {
  const kept = `${dir}-kept`;
  cpSync(dir, kept, { recursive: true, preserveTimestamps: true });
  try {
    return await work();
  } finally {
    for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true, force: true });
    cpSync(kept, dir, { recursive: true, preserveTimestamps: true });
    rmSync(kept, { recursive: true, force: true });
  }
}

export function editText(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  if (before === after) throw new Error(`Nothing was changed in ${path}`);
  writeFileSync(path, after);
}

export const sha256 = (bytes: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Changes lines and computes the chain anew, and `master.json`'s head with it. `resign`: null takes signatures away. */
export function rewriteLedger(
  dir: string,
  change: (text: string) => string,
  resign: ((seq: number, hash: string) => unknown) | null | 'keep' = 'keep',
): void {
  const path = join(dir, 'events.jsonl');
  const rows = change(readFileSync(path, 'utf8')).trimEnd().split('\n');
  let prev = `sha256:${'0'.repeat(64)}`;
  const heads = new Map<number, string>();
  const lines = rows.map((row) => {
    const { hash: _hash, sig, ...body } = JSON.parse(row) as Line;
    const line = { ...body, prev };
    prev = sha256(canonicalJson(line));
    heads.set(line.seq, prev);
    const signed = resign === 'keep' ? sig : resign?.(line.seq, prev);
    return canonicalJson({ ...line, hash: prev, ...(signed === undefined ? {} : { sig: signed }) });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
  cpSync(path, join(dir, '.a7/spare/events.jsonl'));
  const master = join(dir, 'master.json');
  const { seq } = JSON.parse(readFileSync(master, 'utf8')) as { seq: number };
  writeFileSync(
    master,
    change(readFileSync(master, 'utf8')).replace(
      /"head_hash": "[^"]+"/,
      `"head_hash": "${heads.get(seq) ?? ''}"`,
    ),
  );
}

/** A key of the forger's own, laid where keys travel. */
export function strangersKey(dir: string): (seq: number, hash: string) => unknown {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const keyid = createHash('sha256').update(der).digest('hex').slice(0, 32);
  rmSync(join(dir, '.a7', 'keys'), { recursive: true, force: true });
  mkdirSync(join(dir, '.a7', 'keys'));
  writeFileSync(join(dir, '.a7', 'keys', `${keyid}.pub`), publicKey.export({ type: 'spki', format: 'pem' }));
  return (seq, hash) => {
    const type = 'application/vnd.a7-rt.ledger-head+json';
    const payload = canonicalJson({ hash, seq });
    const text = `DSSEv1 ${String(type.length)} ${type} ${String(payload.length)} ${payload}`;
    return { keyid, sig: sign(null, Buffer.from(text), privateKey).toString('base64') };
  };
}

/** Writes the head commit anew with another message, and moves the branch there; returns old id and new. */
export function reword(dir: string, change: (message: string) => string): readonly [string, string] {
  const content = join(dir, 'content');
  const git = (...args: string[]): string => plainGit(['-C', content, ...args]);
  const old = git('rev-parse', 'HEAD');
  const raw = git('cat-file', 'commit', old);
  const made = join(dir, 'forged-commit');
  writeFileSync(made, `${change(raw)}\n`);
  const forged = git('hash-object', '-t', 'commit', '-w', made);
  rmSync(made);
  git('update-ref', 'refs/heads/main', forged);
  return [old, forged];
}
