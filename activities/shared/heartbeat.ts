/** Heartbeats for work that is one long wait: without them cancellation and a lost worker would go unnoticed. Each is a write of the server. */

/** Interval of heartbeats; heartbeat timeouts are 10 s. */
const HEARTBEAT_INTERVAL_MS = 1_000;
/** A little less, as a timer may come a moment early. */
const QUIET_MS = 900;

/** Runs `work` with a heartbeat every second. */
export async function withHeartbeat<T>(beat: () => void, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(beat, HEARTBEAT_INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/**
 * `beat` at most once a second, and not in the first one: a heartbeat is a write of the server's, and the end of an
 * activity waits for it. What ends within a second needs no sign of life.
 */
export function sparingly<T>(
  beat: (details: T) => void,
  nowMs: () => number = () => performance.now(),
): (details: T) => void {
  let lastMs = nowMs();
  return (details) => {
    const atMs = nowMs();
    if (atMs - lastMs < QUIET_MS) return;
    lastMs = atMs;
    beat(details);
  };
}
