// A sandbox that remembers what it was asked and when, so that the same can be run bare.

/** Wraps a sandbox. `take()` gives the runs since the last call; `close` is left to the lab, which calls `end`. */
export function recordSandbox(sandbox) {
  let runs = [];
  return {
    backend: sandbox.backend,
    async run(request, options) {
      const startMs = Date.now();
      const result = await sandbox.run(request, options);
      runs.push({ request, startMs, endMs: Date.now(), commandMs: result.durationMs, cpuMs: result.cpuMs });
      return result;
    },
    probe: (image) => sandbox.probe(image),
    warm: (image, count, shape) => sandbox.warm(image, count, shape),
    reap: () => sandbox.reap(),
    close: async () => undefined,
    end: () => sandbox.close(),
    bare: (request) => sandbox.run(request),
    take() {
      const taken = runs;
      runs = [];
      return taken;
    },
  };
}

/** Runs that overlapped, as groups in order: what ran at once runs at once again. */
export function groupsOf(runs) {
  const groups = [];
  let endMs = -Infinity;
  for (const run of [...runs].sort((one, other) => one.startMs - other.startMs)) {
    if (run.startMs < endMs) groups.at(-1).push(run);
    else groups.push([run]);
    endMs = Math.max(endMs, run.endMs);
  }
  return groups;
}

/** Time in which at least one ran. */
export function busyMs(runs) {
  return groupsOf(runs)
    .map((group) => Math.max(...group.map((run) => run.endMs)) - Math.min(...group.map((run) => run.startMs)))
    .reduce((sum, each) => sum + each, 0);
}
