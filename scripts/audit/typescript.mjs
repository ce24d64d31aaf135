// TypeScript through plain `node --test`: types are erased by swc where it is installed, then Node runs the same files.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { javascriptRunner, runWith } from './javascript.mjs';

const HOOK = fileURLToPath(new URL('types-hook.mjs', import.meta.url));
const isSource = (path) => /\.m?ts$/u.test(path);

export const typescriptRunner = {
  ...javascriptRunner,
  isTest: (path) => /\.(test|spec)\.m?ts$/u.test(path),
  isSource,
  missing: (tools) =>
    javascriptRunner.missing(tools) ??
    (tools.eraseTypes === null
      ? 'Cannot audit TypeScript: its types cannot be erased here. Run npm ci, or give --no-suites'
      : null),
  /** A file as Node can run it; what cannot be read as TypeScript stays, so that its run fails. */
  prepare(tools, path, bytes) {
    if (!isSource(path)) return bytes;
    try {
      return Buffer.from(tools.eraseTypes(bytes.toString('utf8')));
    } catch {
      return bytes;
    }
  },
  run(tools, options) {
    copyFileSync(HOOK, join(options.folder, 'types-hook.mjs'));
    return runWith(tools, options, (at) => ['--import', `${at}/types-hook.mjs`]);
  },
};
