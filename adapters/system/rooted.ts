/**
 * Folders that are made on the way to a file, but never the root of a session again: one that was moved or deleted while it ran would
 * grow anew at its old place, and be in the way of whoever moves it back.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { errorCode } from '../../core/text/error-text.ts';

const roots = new Set<string>();

/** From now on this process makes nothing below `root` once that is gone. */
export function keepRoot(root: string): void {
  roots.add(root);
}

/** Makes the folder and those above it; returns the topmost that was made. @throws with the code ENOENT where a kept root is gone */
export function makeFolders(folder: string): string | undefined {
  for (const root of roots) {
    if (folder.startsWith(root + sep) && !existsSync(root))
      throw Object.assign(new Error(`Cannot write to "${folder}": "${root}" is gone`), { code: 'ENOENT' });
  }
  return makeMissing(folder);
}

/** Step by step: on a read-only file system Node's recursive `mkdir` says that a folder is missing, below /proc it never returns. */
function makeMissing(folder: string): string | undefined {
  if (existsSync(folder)) return undefined;
  const above = dirname(folder) === folder ? undefined : makeMissing(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another writer made it meanwhile.
    if (errorCode(error) !== 'EEXIST' || !existsSync(folder)) throw error;
  }
  return above ?? folder;
}
