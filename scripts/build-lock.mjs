// One build at a time in a checkout: a lock file that names its owner, taken over when the owner is gone.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;
const WAIT_MAX_MS = 180_000;

/** Runs `work` while holding the lock at `path`. @throws {Error} if a living owner holds it for three minutes. */
export async function withBuildLock(path, work) {
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  while (!take(path)) {
    if (Date.now() > deadlineMs) {
      throw new Error(`Cannot build: process ${ownerOf(path)} holds ${path}; end it or remove the file`);
    }
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (!isAlive(ownerOf(path))) rmSync(path, { force: true });
  return false;
}

function ownerOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return Number.NaN;
  }
}

/** An empty file is a lock between creation and its first byte: its owner lives. */
function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
