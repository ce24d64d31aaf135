// Who signed the ledger and the folders of artifacts: ed25519 over DSSE's pre-authentication encoding, by Node alone.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { canonical, isRecord, parsed } from './json.mjs';

const CHECK = 'signatures';
const HEAD = 'application/vnd.a7-rt.ledger-head+json';

/** Public keys by id, each with where it was found: the home's own, trusted ones, and those that travel with the session. */
export function findKeys(dir, home) {
  const base = home ?? (process.env.A7_HOME || join(homedir(), '.a7'));
  const keys = new Map();
  for (const [origin, folder] of [
    ['home', join(base, 'keys', 'own')],
    ['home', join(base, 'keys', 'trusted')],
    ['session', join(dir, '.a7', 'keys')],
  ]) {
    for (const name of namesIn(folder)) {
      const key = name.endsWith('.pub') ? readKey(join(folder, name)) : null;
      if (key !== null && !keys.has(idOf(key))) keys.set(idOf(key), { origin, key });
    }
  }
  return { keys, base };
}

/** `key`: the only one that is believed, as its id or a file. */
export function auditSignatures({ dir, ledger, home, key }, found) {
  const { keys, base } = findKeys(dir, home);
  const wanted = key === undefined ? null : /^[0-9a-f]{32}$/u.test(key) ? key : idOfFile(key);
  if (key !== undefined && wanted === null)
    found.fail(CHECK, key, 'is no key id and no file with an ed25519 public key');
  const signed = new Map();
  let isSigned = false;
  for (const line of ledger.lines) {
    if (line.sig === undefined) {
      if (isSigned) found.fail(CHECK, `line ${line.seq}`, 'is not signed, and a line before it is');
      continue;
    }
    isSigned = true;
    const state = checkOne(keys, encoded(HEAD, canonical({ hash: line.hash, seq: line.seq })), line.sig);
    if (state === 'wrong')
      found.fail(CHECK, `line ${line.seq}`, `carries a signature that key ${line.sig.keyid} did not make`);
    signed.set(line.sig.keyid, (signed.get(line.sig.keyid) ?? 0) + 1);
  }
  tell({ keys, signed, ledger, wanted }, found);
  checkAnchor(dir, base, ledger, found);
  found.done(CHECK, signed.size === 0 ? 'not signed' : `signed by ${[...signed.keys()].join(', ')}`);
  return { keys, isSigned: ledger.lines[0]?.sig !== undefined };
}

function tell({ keys, signed, ledger, wanted }, found) {
  const isOwn = (id) => (wanted === null ? keys.get(id)?.origin === 'home' : id === wanted);
  const strangers = [...signed.keys()].filter((id) => !isOwn(id));
  const unsigned = ledger.lines.filter((line) => line.sig === undefined).length;
  if (signed.size === 0 && wanted === null)
    found.note(CHECK, 'ledger', 'no line is signed: it is older than signatures, or somebody took them away');
  else if (unsigned > 0 && wanted === null)
    found.note(
      CHECK,
      'ledger',
      `${unsigned} lines are older than signatures; later signatures cover their hashes`,
    );
  for (const id of strangers) {
    const message = `${signed.get(id)} lines are signed by key ${id}, which this home does not know`;
    if (wanted === null && strangers.length === signed.size)
      found.note(CHECK, 'ledger', `${message}: give --key to hold it to one`);
    else found.fail(CHECK, 'ledger', message);
  }
  if (wanted !== null && unsigned > 0)
    found.fail(CHECK, 'ledger', `${unsigned} lines are not signed, and key ${wanted} was asked for`);
}

/** The head that this home last signed in this folder is still there. */
function checkAnchor(dir, base, ledger, found) {
  const id = readJson(join(dir, '.a7', 'session.json'))?.id;
  const anchor = typeof id === 'string' ? readJson(join(base, 'heads', `${id}.json`)) : undefined;
  if (!isRecord(anchor) || anchor.dir !== dir) return;
  const line = ledger.lines[anchor.seq - 1];
  if (line?.hash !== anchor.hash)
    found.fail(
      CHECK,
      'ledger',
      `does not hold line ${anchor.seq} as this home signed it: an older copy, or a forged one`,
    );
}

/** `valid`, `wrong`, or `no_key`. */
export function checkOne(keys, text, signature) {
  const known = keys.get(signature?.keyid);
  if (known === undefined) return 'no_key';
  return verify(null, Buffer.from(text), known.key, Buffer.from(String(signature.sig), 'base64'))
    ? 'valid'
    : 'wrong';
}

export function encoded(type, payload) {
  return `DSSEv1 ${Buffer.byteLength(type)} ${type} ${Buffer.byteLength(payload)} ${payload}`;
}

function idOf(key) {
  const der = key.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex').slice(0, 32);
}

function idOfFile(path) {
  const key = readKey(path);
  return key === null ? null : idOf(key);
}

function readKey(path) {
  try {
    const key = createPublicKey(readFileSync(path));
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}

function readJson(path) {
  try {
    return parsed(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
