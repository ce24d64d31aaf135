/**
 * The checked way out of a room (port contract S4): a tar stream becomes regular files with plain relative paths, or typed
 * refusals. Nothing of it touches the host's file system. Names of collected folders arrive as their number.
 */
import { extract } from 'tar-stream';
import type { Header } from 'tar-stream';
import { isGitName } from '../../../core/shadow/path-rules.ts';
import type { RefusedEntry, SandboxFile } from '../../../core/ports/sandbox.ts';

/** Limits of one collection: entries of any type, and bytes of regular files together. */
export interface CollectLimits {
  readonly filesMax: number;
  readonly bytesMax: number;
}

/** Files by the folder's number, and what was refused. */
export interface Collected {
  readonly files: ReadonlyMap<number, readonly SandboxFile[]>;
  readonly refused: readonly RefusedEntry[];
}

const PATH_BYTES_MAX = 1024;
const PART_BYTES_MAX = 255;
const DEPTH_MAX = 32;
const REFUSALS_MAX = 1000;

/** Reads a whole tar stream. Never throws for its content: a broken stream ends with a refusal of kind `other`. */
export async function readCheckedTar(tar: Uint8Array, limits: CollectLimits): Promise<Collected> {
  const files = new Map<number, SandboxFile[]>();
  const refused: RefusedEntry[] = [];
  const refuse = (path: string, reason: RefusedEntry['reason'], target?: string | null): void => {
    if (refused.length >= REFUSALS_MAX) return;
    const shown = path.slice(0, PATH_BYTES_MAX);
    refused.push({ path: shown, reason, ...(reason === 'symlink' && target ? { target } : {}) });
  };
  const names = new Set<string>();
  let entries = 0;
  let bytesLeft = limits.bytesMax;
  const stream = extract();
  stream.end(Buffer.from(tar.buffer, tar.byteOffset, tar.byteLength));
  try {
    for await (const entry of stream) {
      const { header } = entry;
      entries += 1;
      if (entries > limits.filesMax) {
        refuse(header.name, 'too_many');
        break;
      }
      const reason = names.has(header.name) ? 'path' : refusal(header, bytesLeft);
      names.add(header.name);
      if (reason !== null) refuse(header.name, reason, header.linkname);
      if (reason !== null || header.type === 'directory') {
        entry.resume();
        continue;
      }
      bytesLeft -= header.size;
      const [folder, path] = splitName(header.name);
      const file = {
        path,
        bytes: await readEntry(entry as AsyncIterable<Uint8Array>),
        executable: (header.mode & 0o111) !== 0,
      };
      files.set(folder, files.get(folder) ?? []);
      files.get(folder)?.push(file);
    }
  } catch {
    refuse('', 'other');
  }
  return { files, refused };
}

/** Why an entry may not come out; null for a regular file or folder with a plain name. */
function refusal(header: Header, bytesLeft: number): RefusedEntry['reason'] | null {
  const bad = nameRefusal(header.name);
  if (bad !== null) return bad;
  switch (header.type) {
    case 'directory':
      return null;
    case 'file':
    case 'contiguous-file':
      return header.size > bytesLeft ? 'too_large' : null;
    case 'symlink':
      return 'symlink';
    case 'link':
      return 'hard_link';
    case 'fifo':
      return 'fifo';
    case 'character-device':
    case 'block-device':
      return 'device';
    default:
      return 'other';
  }
}

/** Names: `<number>/<plain relative path>`, valid UTF-8 in NFC, no control characters, no variant of `.git`. */
function nameRefusal(name: string): 'path' | 'git' | null {
  const parts = name.replace(/\/$/, '').split('/');
  const rest = parts.slice(1);
  if (!/^\d+$/.test(parts[0] ?? '') || rest.length === 0 || rest.length > DEPTH_MAX) return 'path';
  if (Buffer.byteLength(name) > PATH_BYTES_MAX || name !== name.normalize('NFC')) return 'path';
  if (name.includes('\ufffd') || /\p{Cc}/u.test(name) || name.includes('\\')) return 'path';
  if (rest.some((part) => part === '' || part === '.' || part === '..')) return 'path';
  if (rest.some((part) => Buffer.byteLength(part) > PART_BYTES_MAX)) return 'path';
  return rest.some(isGitName) ? 'git' : null;
}

function splitName(name: string): [number, string] {
  const slash = name.indexOf('/');
  return [Number(name.slice(0, slash)), name.slice(slash + 1)];
}

async function readEntry(entry: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}
