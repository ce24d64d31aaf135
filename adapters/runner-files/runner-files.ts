/** The programs that run inside the clean room, read once from the package's `sandbox/runner`. */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { RunnerFiles } from '../../core/ports/gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';

/** One file without dependencies: the compiler's parser as WebAssembly. */
const TYPE_ERASER = '@swc/wasm-typescript';

/**
 * @param folder absolute path of `sandbox/runner`.
 * @param compile makes the compiled form of the Python programs; without it rooms compile them.
 * @throws when the folder holds no program.
 */
export async function readRunnerFiles(
  folder: string,
  compile?: (python: readonly SandboxFile[]) => Promise<readonly SandboxFile[]>,
): Promise<RunnerFiles> {
  const files = await readFolder(folder, '');
  if (files.length === 0)
    throw new Error(`Cannot start the gate: "${folder}" must hold the runner programs, it is empty`);
  const isPython = ({ path: name }: SandboxFile): boolean => /\.(?:py|ini)$/u.test(name);
  const python = files.filter(isPython);
  const script = files.filter((file) => !isPython(file));
  const typed = [...script, ...(await readTypeEraser())];
  const of = (compiled: readonly SandboxFile[]): RunnerFiles => ({
    all: [...files, ...compiled],
    files(language) {
      if (language === 'python') return [...python, ...compiled];
      return language === 'typescript' ? typed : script;
    },
  });
  return of(compile === undefined ? [] : await compile(python));
}

/** The library that erases types inside the room, laid where the programs' own import finds it. */
async function readTypeEraser(): Promise<SandboxFile[]> {
  const main = createRequire(import.meta.url).resolve(TYPE_ERASER);
  const names = ['package.json', path.basename(main)];
  return Promise.all(
    names.map(async (name) => ({
      path: `node_modules/${TYPE_ERASER}/${name}`,
      bytes: await readFile(path.join(path.dirname(main), name)),
    })),
  );
}

async function readFolder(folder: string, prefix: string): Promise<SandboxFile[]> {
  const all = await readdir(folder, { withFileTypes: true });
  const entries = all.filter((entry) => !entry.name.startsWith('.') && entry.name !== '__pycache__');
  const found: SandboxFile[] = [];
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await readFolder(full, `${prefix}${entry.name}/`)));
    else if (entry.isFile()) found.push({ path: `${prefix}${entry.name}`, bytes: await readFile(full) });
  }
  return found;
}
