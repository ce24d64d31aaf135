#!/usr/bin/env node
// Starts the built CLI; `main(argv)` answers with the exit code (0 done, 1 failed, 2 wrong use, 3 halted for a person).
import { existsSync } from 'node:fs';
import module from 'node:module';

const entry = new URL('../dist/client/cli.js', import.meta.url);

if (existsSync(entry)) {
  module.enableCompileCache?.();
  const { main } = await import(entry.href);
  process.exitCode = await main(process.argv.slice(2));
} else {
  process.stderr.write('Cannot start a7-rt: it is not built here. Run "npm run setup" in its folder first\n');
  process.exitCode = 1;
}
