// The package as users get it: packed, and installed into an empty folder.
import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../setup/run-program.mjs';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const NPM_TIMEOUT_MS = 10 * 60_000;

/** Packs what is built now. Gives {path, bytes, unpackedBytes, files}. */
export async function packPackage(folder) {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [packed] = JSON.parse(await must('npm', args, { cwd: ROOT }));
  return {
    path: join(folder, packed.filename),
    bytes: packed.size,
    unpackedBytes: packed.unpackedSize,
    files: packed.files.map((file) => file.path),
  };
}

/**
 * Stands for `npm install TARBALL` in a second instead of twenty: the package unpacked, and beside it what it names in
 * `dependencies`, linked to the packages of this checkout. A package that it uses and does not name is missing.
 */
export async function layPackage(tarball, folder) {
  const modules = join(folder, 'node_modules');
  const own = join(modules, 'a7-rt');
  mkdirSync(own, { recursive: true });
  await must('tar', ['-xzf', tarball, '-C', own, '--strip-components=1']);
  const { dependencies, bin } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  mkdirSync(join(modules, '.bin'));
  symlinkSync(join('..', 'a7-rt', bin['a7-rt']), join(modules, '.bin', 'a7-rt'));
}

/** The Node program of a version, from npm, in `folder`; gives the folder for PATH. */
export async function fetchNode(version, folder) {
  const name = `node-${process.platform}-${process.arch}@${version}`;
  mkdirSync(folder, { recursive: true });
  const [packed] = JSON.parse(
    await must('npm', ['pack', name, '--json', '--pack-destination', folder], { cwd: folder }),
  );
  await must('tar', ['-xzf', join(folder, packed.filename), '-C', folder, 'package/bin/node']);
  return join(folder, 'package', 'bin');
}

/** Bytes of all files below a folder; links are not followed. */
export function sizeOf(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes;
}

async function must(command, args, options = {}) {
  const result = await runProgram(command, args, { timeoutMs: NPM_TIMEOUT_MS, ...options });
  if (!result.ok) throw new Error(`${command} ${args.join(' ')} failed:\n${result.stdout}${result.stderr}`);
  return result.stdout;
}
