/** A patch between two trees as `git apply` reads it, byte for byte; object to object, so that no filter and no attribute counts. */
import { execa } from 'execa';
import { GitCommandError, gitArguments, processOptions } from './git-process.ts';
import { assertOid } from './loose-objects.ts';

const PATCH_TIMEOUT_MS = 60_000;
const PATCH_BYTES_MAX = 64 * 1024 * 1024;

/** The same work is shown at its verdict and again when its agent returns. */
const KEPT_MAX = 16;
const KEPT_BYTES_MAX = 256 * 1024;

export interface Patches {
  /** @throws {GitCommandError} when an object is missing, or the patch is larger than 64 MiB. */
  between(before: string, after: string): Promise<Uint8Array>;
}

/** Patches of a repository; small ones that were made last are kept, as trees never change. */
export function createPatches(gitDir: string): Patches {
  const kept = new Map<string, Uint8Array>();
  return {
    between: async (before, after) => {
      const key = `${before} ${after}`;
      const patch = kept.get(key) ?? (await patchBetween(gitDir, before, after));
      kept.delete(key);
      if (patch.length <= KEPT_BYTES_MAX) kept.set(key, patch);
      for (const oldest of kept.keys()) {
        if (kept.size <= KEPT_MAX) break;
        kept.delete(oldest);
      }
      return patch;
    },
  };
}

async function patchBetween(gitDir: string, before: string, after: string): Promise<Uint8Array> {
  const trees = [assertOid(before), assertOid(after)];
  const args = [
    'diff-tree',
    '-r',
    '-p',
    '--binary',
    '--full-index',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
  ];
  const result = await execa('git', gitArguments([...args, ...trees]), {
    ...processOptions({ gitDir }),
    encoding: 'buffer',
    stripFinalNewline: false,
    reject: false,
    timeout: PATCH_TIMEOUT_MS,
    maxBuffer: PATCH_BYTES_MAX,
  });
  if (result.failed)
    throw new GitCommandError(args, result.exitCode, Buffer.from(result.stderr).toString('utf8'));
  return result.stdout;
}
