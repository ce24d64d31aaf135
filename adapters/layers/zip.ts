/** Reads a zip archive as hostile input: wheels are zips. Names and sizes are checked before anything is unpacked. */
import { crc32, inflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly path: string;
  /** Unix mode of the entry, 0 if it has none. */
  readonly mode: number;
  readonly bytes: Buffer;
}

/** The archive breaks a rule; the message names it. */
export class ZipRefused extends Error {
  override readonly name = 'ZipRefused';
}

const ENTRIES_MAX = 50_000;
const BYTES_MAX = 1024 * 1024 * 1024;
const END_SIGNATURE = 0x06054b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const COMMENT_MAX = 65_535;

/** All regular entries; folders are left out. @throws {ZipRefused} */
export function readZip(archive: Buffer): ZipEntry[] {
  const end = findEnd(archive);
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff) throw new ZipRefused('it has the 64-bit form');
  if (count > ENTRIES_MAX) throw new ZipRefused(`it has more than ${ENTRIES_MAX} entries`);
  const entries: ZipEntry[] = [];
  const seen = new Set<string>();
  let total = 0;
  for (let index = 0; index < count; index += 1) {
    const head = centralHead(archive, at);
    at = head.next;
    if (head.path.endsWith('/')) continue;
    total += head.size;
    if (total > BYTES_MAX) throw new ZipRefused(`it unpacks to more than ${BYTES_MAX} bytes`);
    const key = head.path.normalize('NFC').toLowerCase();
    if (seen.has(key)) throw new ZipRefused(`"${head.path}" is in it twice`);
    seen.add(key);
    entries.push({ path: head.path, mode: head.mode, bytes: contentOf(archive, head) });
  }
  return entries;
}

interface CentralHead {
  readonly path: string;
  readonly mode: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly local: number;
  readonly next: number;
}

function findEnd(archive: Buffer): number {
  const lowest = Math.max(0, archive.length - END_BYTES - COMMENT_MAX);
  for (let at = archive.length - END_BYTES; at >= lowest; at -= 1) {
    if (archive.readUInt32LE(at) === END_SIGNATURE) return at;
  }
  throw new ZipRefused('it has no end record');
}

function centralHead(archive: Buffer, at: number): CentralHead {
  if (at + 46 > archive.length || archive.readUInt32LE(at) !== CENTRAL_SIGNATURE)
    throw new ZipRefused('its directory is damaged');
  const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((part) => archive.readUInt16LE(at + part));
  const nameEnd = at + 46 + (nameBytes ?? 0);
  const flags = archive.readUInt16LE(at + 8);
  if ((flags & 1) !== 0) throw new ZipRefused('it is encrypted');
  return {
    path: archive.subarray(at + 46, nameEnd).toString('utf8'),
    mode: archive.readUInt32LE(at + 38) >>> 16,
    method: archive.readUInt16LE(at + 10),
    crc: archive.readUInt32LE(at + 16),
    packed: archive.readUInt32LE(at + 20),
    size: archive.readUInt32LE(at + 24),
    local: archive.readUInt32LE(at + 42),
    next: nameEnd + (extraBytes ?? 0) + (commentBytes ?? 0),
  };
}

function contentOf(archive: Buffer, head: CentralHead): Buffer {
  const { local, path } = head;
  if (local + 30 > archive.length || archive.readUInt32LE(local) !== LOCAL_SIGNATURE)
    throw new ZipRefused(`"${path}" has no local record`);
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(start, start + head.packed);
  const bytes = unpacked(packed, head);
  if (bytes.length !== head.size || crc32(bytes) !== head.crc)
    throw new ZipRefused(`"${path}" has other bytes than its directory says`);
  return bytes;
}

function unpacked(packed: Buffer, { method, size, path }: CentralHead): Buffer {
  if (method === 0) return packed;
  if (method !== 8) throw new ZipRefused(`"${path}" is packed in an unknown way`);
  try {
    return size === 0 ? Buffer.alloc(0) : inflateRawSync(packed, { maxOutputLength: size });
  } catch {
    throw new ZipRefused(`"${path}" cannot be unpacked`);
  }
}
