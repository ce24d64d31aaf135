// What must be stopped at the end, however it comes: newest first, each once. Only what this demo started is in it.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A list of things to stop. The first signal asks the running command to end; the rest follows from that. */
export function createStops() {
  const entries = [];
  let current = null;
  let asked = false;
  const onSignal = (signal) => {
    asked = true;
    // Ctrl-C reaches the command itself, because a terminal signals the whole group.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) current?.kill('SIGTERM');
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    add: (name, stop) => entries.push({ name, stop }),
    /** The command that a signal is passed on to; null when none runs. */
    running(child) {
      current = child;
    },
    wasAsked: () => asked,
    async all() {
      for (const { name, stop } of entries.splice(0).reverse()) {
        await stop().catch((error) => process.stderr.write(`Cannot stop the ${name}: ${error.message}\n`));
      }
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}

/** For commands that nothing depends on. */
export const noStops = { add() {}, running() {}, wasAsked: () => false };
