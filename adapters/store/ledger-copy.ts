/** The second copy of a ledger: brought along with each append, and where a lost or damaged ledger is restored from. */
import { appendFileSync, copyFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders } from '../system/rooted.ts';

/**
 * Appends `text`, which was just appended to `path` at `before`, or copies the whole where the copy does not end there. A copy
 * that cannot be written stops nobody: the ledger itself is whole.
 */
export function bringCopy(path: string, copyPath: string, before: number, text: Buffer): void {
  try {
    if (sizeOf(copyPath) === before && before > 0) {
      appendFileSync(copyPath, text);
      return;
    }
    makeFolders(dirname(copyPath));
    const temporary = `${copyPath}.tmp`;
    copyFileSync(path, temporary);
    renameSync(temporary, copyPath);
  } catch {
    // A full disk is told where it stops something.
  }
}

/** The ledger lost bytes that its copy has. The copy is looked at first: an append in between makes the ledger longer. */
export function isShorterThanCopy(path: string, copyPath: string): boolean {
  const copied = sizeOf(copyPath);
  return copied > sizeOf(path);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
