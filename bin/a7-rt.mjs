#!/usr/bin/env node
// Starts the built command line and hands it the wiring, which is loaded only when a command needs it.
// Exit codes are those of `ExitCode` in core/ports/services.ts.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import load from './load-program.cjs';

const bundled = (name) => fileURLToPath(new URL(`../dist/bundle/${name}.cjs`, import.meta.url));

async function start() {
  const setUp = async (flags) => (await import('../scripts/setup/set-up.mjs')).setUp(flags);
  if (!existsSync(bundled('cli')) && process.argv[2] === 'setup') return await setUp(process.argv.slice(3));
  if (!existsSync(bundled('cli'))) {
    process.stderr.write(
      'Cannot start a7-rt: it is not built here. Run "npm run setup" in its folder first\n',
    );
    return 4;
  }
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { main } = load.loadProgram(bundled('cli'));
  const loadServices = async () => load.loadProgram(bundled('services')).createServices();
  return await main(process.argv.slice(2), { loadServices, setUp, version });
}

/** A command that has answered ends, whatever handle is still open. */
const LINGER_MS = 2_000;

// Whoever reads no further ("| head") wants no more: that is no fault. A terminal that was closed reads no more either (EIO), but
// its signal asks the command to stop, which then puts in order what it holds. Node's own last act aborts without the terminal.
let hungUp = false;
process.on('exit', () => {
  if (hungUp) process.kill(process.pid, 'SIGHUP');
});
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error) => {
    if (error.code === 'EIO') {
      hungUp = true;
      return;
    }
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });

try {
  process.exitCode = await start();
} catch (error) {
  process.stderr.write(
    `${error.stack ?? error}\nThis is a fault of a7-rt itself; the ledger of the session is safe\n`,
  );
  process.exitCode = 1;
}
setTimeout(() => process.exit(), LINGER_MS).unref();
