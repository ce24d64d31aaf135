/**
 * Folders of a request as one tar stream for the keeper, which maps the owner field: 0 nobody, 1 guest, 2 trusted.
 * A folder that may not be written belongs to nobody; a private one is then readable through its group (port `SandboxMount`).
 * Written here: a library took 3.2 s of processor time for 50,000 files, this takes 0.4 s.
 */
import type { SandboxFile, SandboxMount } from '../../../core/ports/sandbox.ts';

const OWNER_FIELD = { guest: 1, trusted: 2 } as const;
const BLOCK = 512;
/** What the name field of a header holds; a longer name stands in a header of its own before it. */
const NAME_MAX = 100;

interface Rights {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/** Packs mounts, parents before children, into one buffer: a tree is at most the disk limit. */
export function packMounts(mounts: readonly SandboxMount[]): Buffer {
  return Buffer.concat([...mounts.flatMap((mount) => [...entriesOf(mount)]), Buffer.alloc(2 * BLOCK)]);
}

function* entriesOf(mount: SandboxMount): Generator<Uint8Array> {
  const root = mount.path.slice(1);
  const folder = rights(mount, true);
  for (const path of ['', ...parentFolders(mount.files)])
    yield headers(path === '' ? root : `${root}/${path}`, '5', 0, folder);
  for (const { path, bytes, executable } of mount.files) {
    yield headers(`${root}/${path}`, '0', bytes.length, rights(mount, executable ?? false));
    yield bytes;
    yield padding(bytes.length);
  }
}

function headers(path: string, kind: '0' | '5', size: number, owned: Rights): Buffer {
  const name = Buffer.from(path);
  if (name.length <= NAME_MAX) return header(name, kind, size, owned);
  const long = paxPath(name);
  return Buffer.concat([
    header(Buffer.from('pax'), 'x', long.length, owned),
    long,
    padding(long.length),
    header(name.subarray(0, NAME_MAX), kind, size, owned),
  ]);
}

function header(name: Uint8Array, kind: '0' | '5' | 'x', size: number, { uid, gid, mode }: Rights): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number): number =>
    block.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  block.set(name);
  octal(mode, 100, 7);
  octal(uid, 108, 7);
  octal(gid, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  // The sum is made with spaces in its own place.
  block.write(`        ${kind}`, 148, 'latin1');
  block.write('ustar\0' + '00', 257, 'latin1');
  let sum = 0;
  for (const byte of block) sum += byte;
  octal(sum, 148, 6);
  block.write('\0', 154, 'latin1');
  return block;
}

/** `LENGTH path=NAME`, where LENGTH counts itself. */
function paxPath(name: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(' path='), name, Buffer.from('\n')]);
  let length = rest.length + String(rest.length).length;
  if (String(length).length + rest.length > length) length += 1;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function padding(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}

/** Owner and mode: write for the owner if `writable`, read for others unless `private`. */
function rights(mount: SandboxMount, executable: boolean): Rights {
  const owner = OWNER_FIELD[mount.owner ?? 'guest'];
  const writable = mount.writable ?? true;
  const read = executable ? 0o5 : 0o4;
  const write = writable ? 0o2 : 0;
  const others = mount.private === true ? 0 : read;
  const group = writable ? others : read;
  return {
    uid: writable ? owner : 0,
    gid: owner,
    mode: ((read | write) << 6) | (group << 3) | others,
  };
}

function parentFolders(files: readonly SandboxFile[]): string[] {
  const folders = new Set<string>();
  for (const file of files) {
    const parts = file.path.split('/');
    for (let length = 1; length < parts.length; length += 1) folders.add(parts.slice(0, length).join('/'));
  }
  return [...folders].sort();
}
