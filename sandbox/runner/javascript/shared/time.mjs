/**
 * Time by the room's clock, which stands while the room waits for a processor: a limit says the same on a busy machine (decision 0048).
 * The keeper writes "milliseconds counted, since when they go on by themselves" into a file that nobody in the room may change.
 * Where there is none, as outside of rooms, it is the monotonic clock.
 */
import { builtin } from './builtin.mjs';

const { openSync, readSync } = builtin('node:fs');

const STEP_MS = 500;
const BYTES = 31;
const monotonic = process.hrtime.bind(process);
const later = setTimeout;
const never = clearTimeout;
const page = Buffer.alloc(BYTES);
const fd = opened('/dev/shm/clock');

function opened(path) {
  try {
    return openSync(path);
  } catch {
    return null;
  }
}

function monotonicMs() {
  const [seconds, nanoseconds] = monotonic();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Milliseconds, comparable with each other only. */
export function now() {
  if (fd === null) return monotonicMs();
  readSync(fd, page, 0, BYTES, 0);
  const [counted, since] = page.toString('latin1').split(' ').map(Number);
  // Until its next look the keeper's last one holds; on a busy machine time is counted only when it has looked.
  return counted + (since > 0 ? Math.max(0, Math.min(monotonicMs() - since, STEP_MS)) : 0);
}

/** Calls `late` when a time has passed by this clock; gives what calls it off. */
export function after(ms, late) {
  const ends = now() + ms;
  let timer = later(look, Math.max(0, ms));
  function look() {
    const left = ends - now();
    if (left > 0) timer = later(look, Math.ceil(left));
    else late();
  }
  return () => never(timer);
}
