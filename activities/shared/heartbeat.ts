/** Heartbeats for work that is one long wait: without them cancellation and a lost worker would go unnoticed. */

/** Interval of heartbeats; heartbeat timeouts are 10 s. */
const HEARTBEAT_INTERVAL_MS = 1_000;

/** Runs `work` with a heartbeat every second. */
export async function withHeartbeat<T>(beat: () => void, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(beat, HEARTBEAT_INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
