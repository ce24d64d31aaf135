/** The object store as files: `<dir>/ab/cdef…`, named by sha256 (design part 4). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectStore } from '../../core/ports/objects.ts';
import { writeDurably } from '../system/files.ts';
import { sha256 } from '../system/sha256.ts';

const REF = /^sha256:([0-9a-f]{2})([0-9a-f]{62})$/;

/** Opens the object store in `dir`; the folder is made with the first object. `spareDir` is where a lost one is looked for. */
export function createObjectFiles({
  dir,
  spareDir,
}: {
  readonly dir: string;
  readonly spareDir?: string;
}): ObjectStore {
  return {
    async put(content) {
      const ref = sha256(content);
      const path = objectPath(dir, ref);
      if (!existsSync(path)) await writeDurably(path, content);
      return ref;
    },
    async get(ref) {
      const path = objectPath(dir, ref);
      const isLost = spareDir !== undefined && !existsSync(path);
      const bytes = readFileSync(isLost ? objectPath(spareDir, ref) : path);
      const found = sha256(bytes);
      if (found !== ref) throw new Error(`Cannot read object "${ref}": its bytes hash to "${found}"`);
      return bytes;
    },
  };
}

function objectPath(dir: string, ref: string): string {
  const match = REF.exec(ref);
  if (match === null) throw new Error(`Cannot address object "${ref}": must be sha256: and 64 hex digits`);
  return join(dir, match[1] ?? '', match[2] ?? '');
}
