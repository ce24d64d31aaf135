/**
 * Lock files of git (`index.lock`, `HEAD.lock`, ...) that a killed process left. git writes no owner into them, so a lock is
 * called stale only when twice, a moment apart, no living process has it open and no living git works in the repository
 * (`git commit` closes the file while its editor is open). Where /proc is missing, age decides.
 */
import { readFile, readdir, readlink, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContentContext } from './content-context.ts';
import { errorCode } from '../../core/text/error-text.ts';

/** Time between the two looks: longer than git needs from closing a lock to renaming it. */
const LOOK_AGAIN_MS = 150;
/** Age at which a lock counts as stale where processes cannot be seen. */
const STALE_AGE_MS = 60_000;

/** Removes the locks that a dead git left. Returns one that a living process holds, or null. */
export async function clearStaleLocks(context: ContentContext): Promise<string | null> {
  for (const name of ['index.lock', 'HEAD.lock', `refs/heads/${context.branch}.lock`, 'packed-refs.lock']) {
    const path = join(context.gitDir, name);
    if (!(await exists(path))) continue;
    if (!(await isStale(context, path))) return path;
    await rm(path, { force: true });
  }
  return null;
}

async function isStale(context: ContentContext, path: string): Promise<boolean> {
  const before = await identity(path);
  if (before === null) return true;
  if (!(await exists('/proc/self/fd'))) return Date.now() - before.mtimeMs > STALE_AGE_MS;
  if (await isHeld(context, path)) return false;
  await sleep(LOOK_AGAIN_MS);
  const after = await identity(path);
  if (after === null) return true;
  return after.ino === before.ino && after.mtimeMs === before.mtimeMs && !(await isHeld(context, path));
}

async function isHeld(context: ContentContext, path: string): Promise<boolean> {
  const lock = await realpath(path).catch(() => path);
  const workTree = await realpath(context.workTree);
  const processes = (await readdir('/proc')).filter(
    (name) => /^\d+$/.test(name) && name !== String(process.pid),
  );
  const held = await Promise.all(processes.map((pid) => holds(pid, lock, workTree)));
  return held.includes(true);
}

/** A process that has ended meanwhile, or that we may not look into, holds nothing of ours. */
async function holds(pid: string, lock: string, workTree: string): Promise<boolean> {
  try {
    const status = await readFile(`/proc/${pid}/stat`, 'latin1');
    if (/\) [ZX] /.test(status)) return false;
    if (/\(git\) /.test(status)) {
      const folder = await readlink(`/proc/${pid}/cwd`);
      if (folder === workTree || folder.startsWith(`${workTree}/`))
        return !isReader(await readFile(`/proc/${pid}/cmdline`, 'utf8'));
    }
    for (const fd of await readdir(`/proc/${pid}/fd`)) {
      if ((await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')) === lock) return true;
    }
    return false;
  } catch {
    return false;
  }
}

/** Our own long-lived object readers never take a lock. */
function isReader(commandLine: string): boolean {
  return commandLine.split('\0').includes('cat-file');
}

async function identity(path: string): Promise<{ ino: number; mtimeMs: number } | null> {
  try {
    const { ino, mtimeMs } = await stat(path);
    return { ino, mtimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
