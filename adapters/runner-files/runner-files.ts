/** The programs that run inside the clean room, read once from the package's `sandbox/runner`. */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { RunnerFiles } from '../../core/ports/gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import { oneFile } from './one-file.ts';

/** Programs that are laid as one file each, besides as they are; the last part of each is the program. */
const JOINED: Readonly<Record<string, readonly string[]>> = {
  'javascript/suite/runner.cjs': ['javascript/suite/runner.mjs'],
  'javascript/suite/child.cjs': ['javascript/wall/suite_side/report_way.mjs', 'javascript/suite/child.mjs'],
  'javascript/wall/builder_side/builder.cjs': ['javascript/wall/builder_side/builder.mjs'],
};

/** The folder of `sandbox/runner` whose programs are laid flat. */
const PYTHON = 'python/';

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
  const files = laid(await readFolder(folder, ''));
  if (files.length === 0)
    throw new Error(`Cannot start the gate: "${folder}" must hold the runner programs, it is empty`);
  const isPython = ({ path: name }: SandboxFile): boolean => /\.(?:py|ini)$/u.test(name);
  const python = files.filter(isPython);
  const own = files.filter((file) => !isPython(file));
  const one = joined(own);
  const script = [...own, ...one];
  const typed = [...script, ...(await readTypeEraser())];
  const of = (compiled: readonly SandboxFile[]): RunnerFiles => ({
    all: [...files, ...one, ...compiled],
    files(language) {
      if (language === 'python') return [...python, ...compiled];
      return language === 'typescript' ? typed : script;
    },
  });
  return of(compile === undefined ? [] : await compile(python));
}

/**
 * Where programs lie in the room: those of `python/` all in one folder, so that each finds the others by name, the others as here.
 * @throws when two have one name.
 */
function laid(files: readonly SandboxFile[]): SandboxFile[] {
  const places = new Map<string, string>();
  return files.map((file) => {
    const place = file.path.startsWith(PYTHON) ? path.basename(file.path) : file.path;
    const other = places.get(place);
    if (other !== undefined)
      throw new Error(
        `Cannot start the gate: "${file.path}" must have a name of its own, "${other}" has the same`,
      );
    places.set(place, file.path);
    return { ...file, path: place };
  });
}

function joined(files: readonly SandboxFile[]): SandboxFile[] {
  const decoder = new TextDecoder();
  const sources = new Map(files.map((file) => [file.path, decoder.decode(file.bytes)]));
  return Object.entries(JOINED)
    .filter(([, parts]) => parts.every((part) => sources.has(part)))
    .map(([name, parts]) => ({ path: name, bytes: new TextEncoder().encode(oneFile(parts, sources, name)) }));
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
