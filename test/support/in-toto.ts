/** The independent readers of statements, in-toto and securesystemslib, from PyPI, pinned, once a machine: in the cache of set-up. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { cacheFolder } from '../../adapters/toolchain/tools-file.ts';

const PINS = ['in-toto==3.1.0', 'securesystemslib==1.6.0', 'cryptography==50.0.2'];
const INSTALL_TIMEOUT_MS = 240_000;

/** Loads the envelope with both and checks it with the public key of the second file; prints what it is. */
const PROGRAM = `
import json, sys
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from in_toto.models.metadata import Envelope as InTotoEnvelope
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

def load():
    return json.load(open(sys.argv[1]))

key = load_pem_public_key(open(sys.argv[2], "rb").read())
known = SSlibKey.from_crypto(key, keyid=load()["signatures"][0]["keyid"])
said = {}
for name, check in {
    "securesystemslib": lambda: Envelope.from_dict(load()).verify([known], 1),
    "in-toto": lambda: InTotoEnvelope.from_dict(load()).verify_signature({**known.to_dict(), "keyid": known.keyid}),
}.items():
    try:
        check()
        said[name] = "verified"
    except Exception as error:
        said[name] = "refused: " + type(error).__name__
said["statement"] = json.loads(Envelope.from_dict(load()).payload)
print(json.dumps(said))
`;

export interface Independent {
  readonly securesystemslib: string;
  readonly 'in-toto': string;
  readonly statement: { readonly subject: readonly { readonly digest: Readonly<Record<string, string>> }[] };
}

/** What both say of an envelope's file. @throws where PyPI cannot be reached and the cache has them not. */
export async function independently(envelope: string, publicKey: string): Promise<Independent> {
  const { stdout } = await execa('python3', ['-c', PROGRAM, envelope, publicKey], {
    env: { PYTHONPATH: await packages() },
  });
  return JSON.parse(stdout) as Independent;
}

async function packages(): Promise<string> {
  const version = (await execa('python3', ['-c', 'import sys; print(*sys.version_info[:2], sep=".")']))
    .stdout;
  const folder = join(cacheFolder(), 'test-packages', `in-toto-3.1.0-python${version}`);
  if (existsSync(folder)) return folder;
  const fresh = `${folder}.${String(process.pid)}`;
  await mkdir(join(folder, '..'), { recursive: true });
  await execa('python3', ['-m', 'pip', 'install', '--quiet', '--target', fresh, ...PINS], {
    timeout: INSTALL_TIMEOUT_MS,
  });
  // Whoever comes second keeps what is there.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  return folder;
}
