/**
 * Folders of a request as one tar stream for the keeper, which maps the owner field: 0 nobody, 1 guest, 2 trusted.
 * A folder that may not be written belongs to nobody; a private one is then readable through its group (port `SandboxMount`).
 */
import { pack } from 'tar-stream';
import type { Header } from 'tar-stream';
import type { SandboxFile, SandboxMount } from '../../../core/ports/sandbox.ts';

const OWNER_FIELD = { guest: 1, trusted: 2 } as const;

/** Packs mounts, parents before children. Bytes are held in memory: a tree is at most the disk limit. */
export async function packMounts(mounts: readonly SandboxMount[]): Promise<Buffer> {
  const stream = pack();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: unknown) => chunks.push(chunk as Buffer));
  const ended = new Promise<void>((resolve, reject) => {
    stream.on('end', resolve);
    stream.on('error', reject);
  });
  for (const mount of mounts) {
    const root = mount.path.slice(1);
    for (const folder of ['', ...parentFolders(mount.files)]) {
      const name = folder === '' ? root : `${root}/${folder}`;
      stream.entry({ ...rights(mount, true), name, type: 'directory' });
    }
    for (const file of mount.files) {
      const header = { ...rights(mount, file.executable ?? false), name: `${root}/${file.path}` };
      stream.entry({ ...header, type: 'file' }, Buffer.from(file.bytes));
    }
  }
  stream.finalize();
  await ended;
  return Buffer.concat(chunks);
}

/** Owner and mode: write for the owner if `writable`, read for others unless `private`. */
function rights(mount: SandboxMount, executable: boolean): Pick<Header, 'uid' | 'gid' | 'mode'> {
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
