/** Which crates a tree of Rust needs: what its `Cargo.lock` names, else what cargo chooses by its manifests, without a line of its code. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { readToml } from '../system/toml.ts';
import { type Environment, runFirst } from './client.ts';
import { cargoEnvironment } from './rust.ts';

const Lock = z.object({
  package: z
    .array(z.looseObject({ name: z.string(), version: z.string(), source: z.string().optional() }))
    .default([]),
});

/** @param files manifests and lock by path, and each source, empty @param missing is added to */
export async function rustPins(
  work: string,
  env: Environment,
  files: ReadonlyMap<string, string>,
  missing: string[],
): Promise<string[]> {
  if (!files.has('Cargo.toml')) return [];
  const text = files.get('Cargo.lock') ?? (await chosenLock(work, env, files));
  const lock = Lock.safeParse(text === null ? null : readToml(text));
  if (!lock.success) {
    missing.push('crates were not chosen: cargo does not understand the manifests; commit Cargo.lock');
    return [];
  }
  const foreign = lock.data.package.filter(({ source }) => source !== undefined);
  const isOfRegistry = (source = ''): boolean => /^(?:registry|sparse)\+/u.test(source);
  for (const { name, source } of foreign)
    if (!isOfRegistry(source))
      missing.push(`"${name}": it is in no registry; "cargo vendor" it, and commit that`);
  const pins = foreign
    .filter(({ source }) => isOfRegistry(source))
    .map(({ name, version }) => `${name}@${version}`);
  return [...new Set(pins)].toSorted();
}

/** A lock that cargo makes from manifests alone; sources are empty files, and settings of the tree are not there. */
async function chosenLock(
  work: string,
  env: Environment,
  files: ReadonlyMap<string, string>,
): Promise<string | null> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(work, path)), { recursive: true });
    await writeFile(join(work, path), text);
  }
  const options = { cwd: work, env: cargoEnvironment(env), signal: undefined };
  await runFirst([['cargo', 'generate-lockfile']], 'rust', options);
  return readFile(join(work, 'Cargo.lock'), 'utf8').catch(() => null);
}
