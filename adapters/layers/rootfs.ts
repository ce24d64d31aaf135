/** Base and layer as one root file system for bubblewrap: hard links, so it takes hardly any room or time. */
import { execa } from 'execa';
import { link, lstat, mkdir, rm, symlink, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../core/text/error-text.ts';
import type { TreeEntry } from './tree.ts';
import { TreeRefused } from './tree.ts';

/**
 * Links `base` to the new folder `target`, then puts the layer's entries over it. The base's own files are replaced by
 * name, never written to. @throws {TreeRefused} where a folder would have to replace a link or a file
 */
export async function joinRootfs(
  base: string,
  files: string,
  entries: readonly TreeEntry[],
  target: string,
): Promise<void> {
  const linked = await execa('cp', ['-al', base, target], { reject: false });
  if (linked.failed) {
    await rm(target, { recursive: true, force: true });
    await execa('cp', ['-a', base, target]);
  }
  for (const entry of entries) await put(files, entry, target);
}

async function put(files: string, entry: TreeEntry, root: string): Promise<void> {
  const path = join(root, entry.path);
  const found = await lstat(path).catch(() => null);
  if (entry.type === 'folder') {
    if (found === null) await mkdir(path, { mode: 0o755 });
    else if (!found.isDirectory()) throw new TreeRefused(`"${entry.path}" is no folder in the image`);
    return;
  }
  if (found?.isDirectory() === true) throw new TreeRefused(`"${entry.path}" is a folder in the image`);
  if (found !== null) await rm(path);
  if (entry.type === 'link') await symlink(entry.target, path);
  else await linkOrCopy(join(files, entry.path), path);
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK'].includes(errorCode(error) ?? '')) throw error;
    await copyFile(from, to);
  }
}
