// The lines that set-up prints: one a step, with what was done and how long it took. They go to stderr, so that
// stdout stays that of the program which set-up precedes.

const NAME_WIDTH = 10;

/** `quiet`: steps that found nothing to do are not printed. */
export function createReport({ quiet = false, write = (text) => process.stderr.write(text) } = {}) {
  const startMs = performance.now();
  const line = (name, text) => write(`${name.padEnd(NAME_WIDTH)} ${text}\n`);
  return {
    /** Runs one step. It returns {did, text}; `did` says that something was changed. */
    async step(name, work) {
      const stepStartMs = performance.now();
      const result = await work((text) => line(name, text));
      if (result.did || !quiet) line(name, `${result.text}, ${seconds(stepStartMs)}`);
      return result;
    },
    note: line,
    ready(text) {
      if (!quiet) write(`${text} (${seconds(startMs)})\n`);
    },
  };
}

function seconds(startMs) {
  return `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
}
