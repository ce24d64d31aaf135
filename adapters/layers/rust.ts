/**
 * Crates of Rust: `cargo vendor` lays exactly those that are pinned, each with the checksum of its archive, which cargo in the
 * room holds against the tree's `Cargo.lock`. No code of any crate runs.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CRATE_PIN, type LayerPackage } from '../../schemas/layer.ts';
import { type ClientRun, type Environment, runFirst } from './client.ts';
import { fail, failIfUnreachable } from './problem.ts';
import type { ResolveContext, Resolved } from './resolved.ts';

/** Where crates lie in a room. */
const CRATES = '/usr/local/share/cargo-crates';
/** Cargo looks for its settings in every folder above the checkout. */
const SETTINGS = `[source.crates-io]
replace-with = "layer"

[source.layer]
directory = "${CRATES}"
`;
const Checksums = z.looseObject({ package: z.string().regex(/^[0-9a-f]{64}$/u) });

/** Lays the crates, and the settings by which cargo finds them. @throws {LayerFailure} */
export async function layRust(context: ResolveContext, pins: readonly string[]): Promise<Resolved> {
  if (pins.length === 0) return { packages: [], notes: [] };
  const folder = join(context.work, 'rust');
  await mkdir(join(folder, 'src'), { recursive: true });
  await writeFile(join(folder, 'src/lib.rs'), '');
  await writeFile(join(folder, 'Cargo.toml'), manifestOf(pins));
  await writeFile(join(folder, 'Cargo.lock'), lockOf(pins));
  const options = { cwd: folder, env: cargoEnvironment(context.env), signal: context.signal };
  const run = await runFirst(
    [['cargo', 'vendor', '--respect-source-config', '--versioned-dirs', 'crates']],
    'rust',
    options,
  );
  if (!run.ok) failCargo(run, pins);
  const wanted = new Set(pins.map((pin) => pin.replace('@', '-')));
  const packages: LayerPackage[] = [];
  for (const name of (await readdir(join(folder, 'crates'))).toSorted()) {
    // What only a newer resolution would add is not of the tree's lock, and is never built.
    if (wanted.has(name)) packages.push(await crateOf(join(folder, 'crates', name), name));
    else await rm(join(folder, 'crates', name), { recursive: true });
  }
  const lost = pins.filter((pin) => !packages.some(({ name, version }) => `${name}@${version}` === pin));
  if (lost.length > 0) failCargo({ ...run, text: `failed to select a version ${lost.join(' ')}` }, lost);
  await mkdir(join(context.files, 'usr/local/share'), { recursive: true });
  await rename(join(folder, 'crates'), join(context.files, CRATES));
  await mkdir(join(context.files, '.cargo'), { recursive: true });
  await writeFile(join(context.files, '.cargo/config.toml'), SETTINGS);
  return { packages, notes: [] };
}

/** Versions that a room can build come first where a range is to be chosen from. */
export function cargoEnvironment(env: Environment): Environment {
  const own = Object.entries(env).filter(
    ([name]) => !/^(?:RUST|CARGO_(?:BUILD|TARGET|NET_OFFLINE))/u.test(name),
  );
  return { ...Object.fromEntries(own), CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS: 'fallback' };
}

/** Several versions of one crate stand side by side under names of their own. */
function manifestOf(pins: readonly string[]): string {
  const lines = pins.map((pin, index) => {
    const [, name = '', version = ''] = CRATE_PIN.exec(pin) ?? [];
    const exact = version.replace(/\+.*$/u, '');
    return `c${String(index)} = { package = "${name}", version = "=${exact}", default-features = false }`;
  });
  const head = '[package]\nname = "layer"\nversion = "0.0.0"\nedition = "2018"\n\n[workspace]\n';
  return `${head}\n[dependencies]\n${lines.join('\n')}\n`;
}

/** A version that was withdrawn from the registry stays good for whoever has it in a lock. */
function lockOf(pins: readonly string[]): string {
  const source = 'registry+https://github.com/rust-lang/crates.io-index';
  const entries = pins.map((pin) => {
    const [, name = '', version = ''] = CRATE_PIN.exec(pin) ?? [];
    return `\n[[package]]\nname = "${name}"\nversion = "${version}"\nsource = "${source}"\n`;
  });
  return `version = 3\n${entries.join('')}`;
}

async function crateOf(folder: string, file: string): Promise<LayerPackage> {
  const text = await readFile(join(folder, '.cargo-checksum.json'), 'utf8');
  const { package: digest } = Checksums.parse(JSON.parse(text));
  const [, name = '', version = ''] = /^(.+?)-(\d+\.\d+\.\d+.*)$/u.exec(file) ?? [];
  return { ecosystem: 'rust', name, version, file, integrity: `sha256-${digest}` };
}

/** @throws {LayerFailure} always */
function failCargo({ text }: ClientRun, pins: readonly string[]): never {
  const named = /(?:no matching package named|requirement|select a version) `?([\w-]+)/u.exec(text)?.[1];
  const pin = pins.find((each) => each.startsWith(`${named ?? ''}@`)) ?? (pins.length === 1 ? pins[0] : null);
  const about = { ecosystem: 'rust', pin: pin ?? null } as const;
  const shown = `"${pin ?? pins.slice(0, 5).join(', ')}"`;
  if (/no matching package named/u.test(text))
    fail('unknown_package', about, `the registry has no crate ${shown}`, 'Check name and version');
  if (/failed to select a version/u.test(text))
    fail(
      'unknown_version',
      about,
      `the registry has no such version, or the pins exclude each other: ${shown}`,
      'Pin what Cargo.lock has',
    );
  failIfUnreachable(text, 'rust', 'cargo');
  fail(
    'refused',
    about,
    `"cargo vendor" could not bring ${shown}`,
    'Check that each pin is a crate of the registry',
  );
}
