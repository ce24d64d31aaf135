// V8's code cache beside the programs of an installed package: it fits one version of Node only, so that set-up makes it with
// the Node that will run them. A checkout has it from the build. Without it the programs start as well, only slower.
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastLine, runProgram } from './run-program.mjs';

const PROGRAM = fileURLToPath(new URL('../build/code-cache.mjs', import.meta.url));

/** Makes the cache where it is missing or of another Node. Never fails: it is only about time. */
export async function keepCompiled(root, check) {
  const folder = join(root, 'dist/bundle');
  const stamp = join(folder, 'compiled-for.cache');
  if (readText(stamp) === process.version)
    return { did: false, text: `installed with the program, compiled for Node ${process.version}` };
  if (check || !isWritable(folder))
    return { did: false, text: 'installed with the program, not compiled ahead' };
  const result = await runProgram(process.execPath, [PROGRAM]);
  if (!result.ok) return { did: false, text: `not compiled ahead: ${lastLine(result.output).slice(0, 160)}` };
  writeFileSync(stamp, process.version);
  return { did: true, text: `compiled for Node ${process.version}` };
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
