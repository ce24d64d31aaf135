/** Folders that are whole and on disk, or not there at all, also after `kill -9` in the middle of their making. */
import { mkdirSync, closeSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../core/text/error-text.ts';
import { makeFolders } from './rooted.ts';
import { removeDeadTemps, syncFolder, tempOf, toDisk } from './files.ts';

export interface FolderFile {
  /** Relative, with `/`. */
  readonly name: string;
  readonly bytes: Uint8Array | string;
}

/**
 * Puts a folder with these files at `path` in one atomic step. What stands there already is moved aside to
 * `<path>.earlier-<n>` first. What a killed writer left beside it is removed.
 */
export async function putFolder(path: string, files: readonly FolderFile[]): Promise<void> {
  const parent = dirname(path);
  makeFolders(parent);
  removeDeadTemps(parent);
  const temp = tempOf(path);
  try {
    await fillFolder(temp, files);
    place(temp, path);
  } catch (error) {
    rmSync(temp, { recursive: true, force: true });
    throw error;
  }
  await syncFolder(parent);
  await syncFolder(dirname(parent));
}

async function fillFolder(folder: string, files: readonly FolderFile[]): Promise<void> {
  const folders = new Set([folder, ...files.map((file) => dirname(join(folder, file.name)))]);
  for (const each of folders) mkdirSync(each, { recursive: true });
  const handles = files.map((file) => {
    const handle = openSync(join(folder, file.name), 'wx', 0o644);
    writeFileSync(handle, file.bytes);
    return handle;
  });
  try {
    await Promise.all(handles.map((handle) => toDisk(handle)));
  } finally {
    for (const handle of handles) closeSync(handle);
  }
  await Promise.all([...folders].map((each) => syncFolder(each)));
}

/** A rename replaces no folder that holds something: that one is moved aside. */
function place(temp: string, path: string): void {
  for (;;) {
    try {
      renameSync(temp, path);
      return;
    } catch (error) {
      if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
    }
    renameSync(path, asideOf(path));
  }
}

function asideOf(path: string): string {
  const names = new Set(readdirSync(dirname(path)));
  for (let number = 1; ; number += 1) {
    const name = `${basename(path)}.earlier-${String(number)}`;
    if (!names.has(name)) return join(dirname(path), name);
  }
}
