/** Programs of tests, bundled as the product's own are: they start as fast, and hold the product's code of this checkout. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { execa } from 'execa';
import { withLock } from '../../adapters/store/lock.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Below `dist`, from where the product's packages are found. */
const FOLDER = join(ROOT, 'dist', 'test-programs');
const BUNDLER = join(ROOT, 'scripts', 'build', 'program.mjs');
const WAIT_MS = 120_000;

/** Path of the bundle of `source` (a path in this checkout), made once a test run. */
export async function bundledProgram(source: string): Promise<string> {
  const name = basename(dirname(source));
  const program = join(FOLDER, `${name}.cjs`);
  // The home is made anew for each test run: what it marks as made holds the code of now.
  const mark = join(process.env['A7_HOME'] ?? tmpdir(), `bundled-${name}-${String(process.ppid)}`);
  return withLock(
    mark,
    async () => {
      if (existsSync(mark)) return program;
      mkdirSync(FOLDER, { recursive: true });
      await execa('node', [BUNDLER, join(ROOT, source), program]);
      writeFileSync(mark, '');
      return program;
    },
    WAIT_MS,
  );
}
