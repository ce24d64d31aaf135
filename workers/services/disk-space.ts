/** Full disks under a session and its home: said before a run begins, and while one goes on; steps wait and try again meanwhile. */
import { stat, statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Below this nothing is begun: a stage writes a few megabytes before its first commit. */
const ROOM_MIN_BYTES = 8 * 1024 * 1024;
/** Below this the disk counts as full for what runs already. */
const FULL_BYTES = 64 * 1024;
const CHECK_MS = 2_000;

/** What a run writes to, by the words that name it: `the session`, `the home DIR`. */
export type DiskPlaces = Readonly<Record<string, string>>;

export function diskPlaces(sessionDir: string, home: string): DiskPlaces {
  return { 'the session': sessionDir, [`the home ${home}`]: home };
}

/** One message, or null when there is room for a run. */
export async function roomProblem(places: DiskPlaces): Promise<string | null> {
  for (const [name, dir] of Object.entries(places)) {
    const free = await freeBytes(dir);
    if (free < ROOM_MIN_BYTES)
      return `Cannot run: the disk of ${name} has ${inMegabytes(free)} MB free, a run needs ${inMegabytes(ROOM_MIN_BYTES)} MB`;
  }
  return null;
}

/** Says when a disk is full, and when it no longer is. A disk that two share is told of once. */
export async function watchDisk(
  places: DiskPlaces,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const disks = new Map<number, readonly [name: string, dir: string]>();
  for (const [name, dir] of Object.entries(places).reverse()) {
    const disk = await stat(dir).catch(() => null);
    if (disk !== null) disks.set(disk.dev, [name, dir]);
  }
  await Promise.all([...disks.values()].map(([name, dir]) => watchOne(name, dir, say, signal)));
}

async function watchOne(
  name: string,
  dir: string,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let full = false;
  while (!signal.aborted) {
    const free = await freeBytes(dir);
    if (free < FULL_BYTES !== full) {
      full = !full;
      say(full ? fullText(name) : 'There is space on the disk again: going on');
    }
    await delay(CHECK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** What a step of an order leaves at most in logs and trees before it can be stored. */
const STEP_BYTES = 64 * 1024 * 1024;

/** Waits for a disk with room for a step; says so once. */
export function spaceFor(dir: string, say: (text: string) => void): (signal: AbortSignal) => Promise<void> {
  let isTold = false;
  return async (signal) => {
    for (let free = await freeBytes(dir); free < STEP_BYTES; free = await freeBytes(dir)) {
      if (!isTold)
        say(
          `The disk of ${dir} has ${inMegabytes(free)} MB free, a step needs ${inMegabytes(STEP_BYTES)} MB: waiting`,
        );
      isTold = true;
      await delay(CHECK_MS, undefined, { signal });
    }
    if (isTold) say('There is space on the disk again: going on');
    isTold = false;
  };
}

function fullText(name: string): string {
  return `The disk of ${name} is full: make space and the run goes on by itself; nothing is lost meanwhile`;
}

/** A disk that cannot be asked counts as one with room: the write itself will tell. */
async function freeBytes(dir: string): Promise<number> {
  const disk = await statfs(dir).catch(() => null);
  return disk === null ? Number.MAX_SAFE_INTEGER : disk.bavail * disk.bsize;
}

function inMegabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
