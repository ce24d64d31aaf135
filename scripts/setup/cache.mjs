// The cache folder: programs, root file systems, logs and tools.json, shared by all checkouts of one user.
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `A7_CACHE`, else `$XDG_CACHE_HOME/a7-rt`, else `~/.cache/a7-rt`. adapters/toolchain reads it by the same rule. */
export function cacheFolder(env = process.env) {
  if (env.A7_CACHE) return env.A7_CACHE;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'a7-rt');
}

/** What an earlier set-up recorded, or {} if there is none or it cannot be read. */
export function readTools(cache) {
  try {
    return JSON.parse(readFileSync(join(cache, 'tools.json'), 'utf8'));
  } catch {
    return {};
  }
}

/** Replaces tools.json in one step, and only if it changed. */
export function writeTools(cache, tools) {
  const text = `${JSON.stringify({ version: 1, ...tools }, null, 2)}\n`;
  const path = join(cache, 'tools.json');
  try {
    if (readFileSync(path, 'utf8') === text) return;
  } catch {
    // not there yet
  }
  mkdirSync(cache, { recursive: true });
  const partial = `${path}.${randomBytes(4).toString('hex')}`;
  writeFileSync(partial, text);
  renameSync(partial, path);
}

/**
 * Runs `work` with an empty folder on the cache's own disk, so that results can be renamed into place, and removes
 * the folder afterwards. Others may read it: package tools drop their rights on the way. Only for the holder of the
 * set-up lock: what a killed set-up left is removed first.
 */
export async function withWorkFolder(cache, work) {
  rmSync(join(cache, 'work'), { recursive: true, force: true });
  const folder = join(cache, 'work', randomBytes(6).toString('hex'));
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Hash of a file of any size, as lower-case hex. */
export async function sha256File(path) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('hex');
}
