/** Waits for a person's stop, and keeps the process alive meanwhile. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
    // A pending promise alone does not keep a process alive.
    const keep = setInterval(() => undefined, 60_000);
    signal.addEventListener('abort', () => clearInterval(keep), { once: true });
  });
}
