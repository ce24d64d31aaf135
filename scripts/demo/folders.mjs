// The two folders of a demo, session and home. A former demo's are removed; what does not carry its mark is never touched.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCommands } from './commands.mjs';
import { noStops } from './stops.mjs';

/** Makes both places free: stops a former demo's server and removes its folders. The home is marked at once. */
export async function claimFolders({ dir, home }, env) {
  for (const folder of [dir, home]) refuseForeign(folder);
  if (existsSync(home)) await createCommands({ env, home, stops: noStops }).quiet(['down']);
  for (const folder of [dir, home]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  markFolder(home);
}

/** Marks a folder as a demo's own. */
export function markFolder(folder) {
  writeFileSync(markOf(folder), `${JSON.stringify({ demo: 'a7-rt', pid: process.pid })}\n`);
}

function markOf(folder) {
  return join(folder, '.demo.json');
}

function refuseForeign(folder) {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  const mark = readMark(folder);
  if (mark?.demo !== 'a7-rt') {
    throw new Error(
      `"${folder}" is not a former demo, so it is left as it is. Name another folder with --dir`,
    );
  }
  if (isAlive(mark.pid)) {
    throw new Error(
      `another demo (process ${mark.pid}) works in "${folder}". Wait for its end, or name another folder with --dir`,
    );
  }
}

function readMark(folder) {
  try {
    return JSON.parse(readFileSync(markOf(folder), 'utf8'));
  } catch {
    return null;
  }
}

function isAlive(pid) {
  if (!Number.isInteger(pid) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('demo.mjs');
  } catch {
    return false;
  }
}
