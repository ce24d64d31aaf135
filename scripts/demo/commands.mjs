// The product's command line, as a person would use it, in the demo's own home.
import { spawn } from 'node:child_process';
import { relative } from 'node:path';
import { CLI } from './options.mjs';

/** Runners of `a7-rt`. Settings of a Temporal server elsewhere are left out. */
export function createCommands({ env, home, stops }) {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_')));
  const options = { env: { ...own, A7_HOME: home } };
  const start = (args, stdio) => spawn(process.execPath, [CLI, ...args], { ...options, stdio });
  return {
    /** Starts a command with its output on ours; `ended` gives exit code and signal. */
    start(args) {
      process.stdout.write(
        `\n$ a7-rt ${args.map((arg) => (arg.startsWith('/') ? shownPath(arg) : arg)).join(' ')}\n`,
      );
      const child = start(args, ['ignore', 'inherit', 'inherit']);
      stops.running(child);
      const ended = ending(child).finally(() => stops.running(null));
      return { child, ended };
    },
    /** Runs a command to its end. @throws when it fails. */
    async show(args) {
      const { code } = await this.start(args).ended;
      if (code !== 0) throw new Error(`a7-rt ${args[0]} failed with exit code ${code}`);
    },
    /** Runs a command without a word; its failure does not matter. */
    async quiet(args) {
      await ending(start(args, 'ignore'));
    },
    /** What a command answers with --json. @throws when it fails. */
    async json(args) {
      const child = start([...args, '--json'], ['ignore', 'pipe', 'inherit']);
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece));
      const { code } = await ending(child);
      if (code !== 0) throw new Error(`a7-rt ${args[0]} failed with exit code ${code}`);
      return JSON.parse(text);
    },
  };
}

/** Exit code and signal of a process, when its output is read. */
export function ending(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

/** A path as a person types it from here. */
export function shownPath(path) {
  const near = relative(process.cwd(), path) || '.';
  return near.startsWith('..') ? path : near;
}
