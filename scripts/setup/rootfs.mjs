// The unpacked root file system that bubblewrap shows to a guest read-only.
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError } from './setup-error.mjs';
import { lastLine, runProgram } from './run-program.mjs';

const UNPACK_TIMEOUT_MS = 5 * 60_000;

/** Where the root file system of a recipe lies; it is there whole or not at all. */
export function rootfsFolder(cache, recipeHash) {
  return join(cache, 'rootfs', recipeHash);
}

/** Unpacks a tar beside its place and renames it there. Owners are kept as root; device files are left out. */
export async function unpackRootfs(tar, target) {
  const partial = `${target}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const args = ['--numeric-owner', '-xpf', tar, '-C', partial, '--exclude=./dev/*', '--exclude=dev/*'];
  const result = await runProgram('tar', [...args, '--exclude=.dockerenv'], { timeoutMs: UNPACK_TIMEOUT_MS });
  if (!result.ok) {
    throw new SetupError(
      `the root file system cannot be unpacked: ${lastLine(result.output)}`,
      'check the free disk space',
    );
  }
  chmodSync(partial, 0o755);
  for (const folder of ['work', 'out', 'opt/a7', 'dev', 'proc', 'tmp'])
    mkdirSync(join(partial, folder), { recursive: true });
  if (existsSync(target)) rmSync(target, { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  renameSync(partial, target);
}
