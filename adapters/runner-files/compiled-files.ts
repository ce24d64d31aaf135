/**
 * Our Python programs compiled once by the image's own interpreter and kept in the user's cache: a room that compiles them itself
 * pays for it in each of its processes. An interpreter that does not know the form compiles anew, so no verdict depends on it.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SandboxFile, SandboxPort } from '../../core/ports/sandbox.ts';
import { COMPILED_FOLDER, RUNNER_MOUNT } from '../../core/stubs/runner-command.ts';

export interface CompiledOptions {
  readonly sandbox: Pick<SandboxPort, 'run'>;
  readonly image: string;
  /** Absolute; made if missing. */
  readonly folder: string;
}

const OUT_DIR = '/out';
const MIB = 1024 * 1024;
const LIMITS = {
  wallMs: 60_000,
  memoryBytes: 256 * MIB,
  diskBytes: 32 * MIB,
  filesMax: 1_000,
  processesMax: 16,
  outputBytes: MIB,
  cpus: 1,
};
// Unchecked: the sources beside them are those that they were made of.
const PROGRAM = [
  'import importlib.util, os, py_compile, sys',
  'for name in sorted(os.listdir(sys.argv[1])):',
  '    if name.endswith(".py"):',
  '        source = os.path.join(sys.argv[1], name)',
  '        target = os.path.join(sys.argv[2], os.path.basename(importlib.util.cache_from_source(source)))',
  '        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH',
  '        py_compile.compile(source, target, doraise=True, invalidation_mode=mode)',
].join('\n');

/** The compiled form of `sources`, to be laid beside them; none where it cannot be made. */
export async function compiledFiles(
  sources: readonly SandboxFile[],
  options: CompiledOptions,
): Promise<readonly SandboxFile[]> {
  const python = sources.filter((file) => file.path.endsWith('.py'));
  const place = path.join(options.folder, keyOf(python, options.image));
  const kept = await readKept(place);
  if (kept.length === python.length) return kept;
  const made = await compile(python, options);
  if (made.length !== python.length) return [];
  await keep(place, made);
  return made;
}

function keyOf(sources: readonly SandboxFile[], image: string): string {
  const hash = createHash('sha256').update(`${image}\0${PROGRAM}\0`);
  for (const { path: name, bytes } of sources)
    hash.update(`${name}\0${String(bytes.length)}\0`).update(bytes);
  return hash.digest('hex').slice(0, 24);
}

async function readKept(place: string): Promise<SandboxFile[]> {
  const names = await readdir(place).catch(() => []);
  return Promise.all(names.sort().map(async (name) => laid(name, await readFile(path.join(place, name)))));
}

async function compile(
  python: readonly SandboxFile[],
  { sandbox, image }: CompiledOptions,
): Promise<SandboxFile[]> {
  const result = await sandbox.run({
    key: `a7-compile-${randomUUID()}`,
    owner: 'compile',
    image,
    mounts: [
      { path: '/work', files: [] },
      { path: RUNNER_MOUNT, files: python, writable: false },
      { path: OUT_DIR, files: [] },
    ],
    argv: ['python3', '-I', '-B', '-c', PROGRAM, RUNNER_MOUNT, OUT_DIR],
    limits: LIMITS,
    collect: [OUT_DIR],
  });
  const isDone = result.outcome.kind === 'exited' && result.outcome.exitCode === 0;
  const files = isDone ? (result.files[OUT_DIR] ?? []) : [];
  return files.map((file) => laid(file.path, file.bytes));
}

function laid(name: string, bytes: Uint8Array): SandboxFile {
  return { path: `${COMPILED_FOLDER}/${name}`, bytes };
}

/** Whole or not at all: another process may do the same. */
async function keep(place: string, files: readonly SandboxFile[]): Promise<void> {
  const fresh = `${place}.${randomUUID()}`;
  await mkdir(fresh, { recursive: true, mode: 0o700 });
  for (const file of files) await writeFile(path.join(fresh, path.basename(file.path)), file.bytes);
  await rm(place, { recursive: true, force: true });
  await rename(fresh, place).catch(() => rm(fresh, { recursive: true, force: true }));
}
