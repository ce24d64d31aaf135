/** Reads a person's files into memory as a room or a tree takes them: regular files only, bounded, in a fixed order. */
import { lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface ReadFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

export interface ReadFolder {
  readonly files: readonly ReadFile[];
  /** What is there and was not read, with why: `x (symlink)`. */
  readonly leftOut: readonly string[];
}

/** Files and bytes that one folder may have. */
export const FOLDER_FILES_MAX = 10_000;
export const FOLDER_BYTES_MAX = 128 * 1024 * 1024;
/** The repository's own files are no work. */
const LEFT_OUT = new Set(['.git']);

/** Every regular file below `folder`. @throws {RangeError} when there are too many files or bytes; the system's error when it cannot be read. */
export async function readFolder(folder: string): Promise<ReadFolder> {
  const files: ReadFile[] = [];
  const leftOut: string[] = [];
  let bytes = 0;
  const visit = async (below: string): Promise<void> => {
    const names = (await readdir(join(folder, below))).sort();
    for (const name of names) {
      const path = below === '' ? name : `${below}/${name}`;
      const info = await lstat(join(folder, path));
      if (LEFT_OUT.has(name)) leftOut.push(`${path} (of git)`);
      else if (info.isDirectory()) await visit(path);
      else if (!info.isFile())
        leftOut.push(`${path} (${info.isSymbolicLink() ? 'symlink' : 'no regular file'})`);
      else {
        bytes += info.size;
        if (files.length >= FOLDER_FILES_MAX || bytes > FOLDER_BYTES_MAX) throw tooMuch(folder);
        files.push({
          path,
          bytes: await readFile(join(folder, path)),
          executable: (info.mode & 0o100) !== 0,
        });
      }
    }
  };
  await visit('');
  return { files, leftOut };
}

function tooMuch(folder: string): RangeError {
  return new RangeError(
    `Cannot read "${folder}": at most ${String(FOLDER_FILES_MAX)} files and ${String(FOLDER_BYTES_MAX)} bytes`,
  );
}
