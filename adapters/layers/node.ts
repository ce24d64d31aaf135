/**
 * Node packages: npm resolves a lock and lays its tarballs with scripts off and without links to programs. A package that
 * is no registry tarball with a strong hash is refused before anything of it is unpacked.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { LayerPackage } from '../../schemas/layer.ts';
import { type ClientRun, runFirst } from './client.ts';
import { fail, failIfUnreachable } from './problem.ts';
import { NOTES_MAX, type ResolveContext, type Resolved } from './resolved.ts';

const LockedPackage = z.object({
  version: z.string().optional(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  link: z.boolean().optional(),
  inBundle: z.boolean().optional(),
  optional: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
});
const PackageLock = z.object({ packages: z.record(z.string(), LockedPackage) });
type LockedPackage = z.infer<typeof LockedPackage>;

/** A program that cannot exist: nothing is ever cloned. */
const NO_GIT = '/nonexistent/git';

/** Resolves and lays `/node_modules`. @throws {LayerFailure} */
export async function layNode(
  context: ResolveContext,
  pins: readonly string[],
  cpu: string,
): Promise<Resolved> {
  if (pins.length === 0) return { packages: [], notes: [] };
  const folder = join(context.work, 'npm');
  await mkdir(folder, { recursive: true });
  const dependencies = Object.fromEntries(pins.map((pin) => splitPin(pin)));
  await writeJson(join(folder, 'package.json'), {
    name: 'layer',
    version: '0.0.0',
    private: true,
    dependencies,
  });
  if (context.locked === null) {
    await npm(context, folder, ['install', '--package-lock-only'], pins, cpu);
  } else {
    await writeJson(join(folder, 'package-lock.json'), lockFile(context.locked, dependencies));
  }
  const lock = PackageLock.parse(JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')));
  const entries = Object.entries(lock.packages).filter(([path]) => path !== '');
  const packages = entries.flatMap(([path, entry]) => packageOf(path, entry));
  await layLocked(context, folder, lock, pins, cpu);
  await rm(join(folder, 'node_modules/.package-lock.json'), { force: true });
  await rename(join(folder, 'node_modules'), join(context.files, 'node_modules'));
  return { packages, notes: scriptNotes(entries) };
}

/**
 * `npm ci` refuses a lock that lacks builds of optional packages which the registry itself lacks, for other platforms. Such a
 * lock pins all that is laid here: `npm install` keeps to it, and what it laid is compared with it.
 */
async function layLocked(
  context: ResolveContext,
  folder: string,
  lock: z.infer<typeof PackageLock>,
  pins: readonly string[],
  cpu: string,
): Promise<void> {
  const { env, signal } = context;
  const options = { cwd: folder, env, signal };
  const run = await runFirst([['npm', 'ci', ...npmOptions(cpu)]], 'node', options);
  if (run.ok) return;
  if (!/Missing: \S+ from lock file/u.test(run.text)) failNpm(run, pins);
  await npm(context, folder, ['install', '--no-save'], pins, cpu);
  const text = await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8');
  const laid = PackageLock.parse(JSON.parse(text)).packages;
  const other = Object.entries(laid).find(
    ([path, { integrity }]) => lock.packages[path]?.integrity !== integrity,
  );
  if (other !== undefined) failNpm({ ...run, text: 'EINTEGRITY' }, [other[0]]);
}

async function npm(
  { env, signal }: ResolveContext,
  folder: string,
  command: readonly string[],
  pins: readonly string[],
  cpu: string,
): Promise<void> {
  const run = await runFirst([['npm', ...command, ...npmOptions(cpu)]], 'node', { cwd: folder, env, signal });
  if (!run.ok) failNpm(run, pins);
}

/** Nothing runs, nothing is linked, and versions are chosen for the clean room. */
export function npmOptions(cpu: string): string[] {
  return [
    ...['--ignore-scripts', '--no-bin-links', '--no-audit', '--no-fund', '--no-update-notifier', '--json'],
    ...[
      '--no-workspaces',
      '--omit=dev',
      '--omit=peer',
      '--fetch-retries=1',
      '--fetch-retry-mintimeout=500',
      `--git=${NO_GIT}`,
    ],
    ...['--os=linux', `--cpu=${cpu}`, '--libc=glibc', '--no-save-exact', '--no-global', '--logs-max=0'],
  ];
}

/** @throws {LayerFailure} always */
function failNpm({ text }: ClientRun, pins: readonly string[]): never {
  failIfUnreachable(text, 'node', 'npm');
  const named = pins.find((pin) => text.includes(pin) || text.includes(pin.replaceAll('/', '%2f')));
  const byName = pins.find(
    (pin) => text.includes(`'${splitPin(pin)[0]}@`) || text.includes(`/${splitPin(pin)[0]} `),
  );
  const pin = named ?? byName ?? (pins.length === 1 ? (pins[0] ?? null) : null);
  const about = { ecosystem: 'node', pin } as const;
  const shown = `"${pin ?? pins.join(', ')}"`;
  if (/ETARGET|E404/.test(text)) {
    const isVersion = /ETARGET/.test(text);
    fail(
      isVersion ? 'unknown_version' : 'unknown_package',
      about,
      isVersion ? `the registry has no such version: ${shown}` : `the registry has no Node package ${shown}`,
      'Check name and version',
    );
  }
  if (/ERESOLVE/.test(text))
    fail(
      'conflict',
      about,
      `the pinned Node packages exclude each other: ${shown}`,
      'Change one of the pins',
    );
  if (/EINTEGRITY|EUSAGE/.test(text))
    fail(
      'changed',
      about,
      `the registry gave other bytes than were resolved: ${shown}`,
      'Seed again, or find out why',
    );
  fail(
    'refused',
    about,
    `"npm" could not resolve ${shown}`,
    'Check that each pin and what it needs come from a registry',
  );
}

/** @throws {LayerFailure} for anything but a registry's tarball with a strong hash */
function packageOf(path: string, entry: LockedPackage): LayerPackage[] {
  if (entry.inBundle === true) return [];
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const integrity = hexIntegrity(entry.integrity ?? '');
  const isTarball = entry.link !== true && !/^(git|file)[+:]/.test(entry.resolved ?? '');
  if (!isTarball || integrity === null || entry.version === undefined) {
    fail(
      'refused',
      { ecosystem: 'node', pin: null },
      `"${name}" must be a registry's tarball with a sha512 hash`,
      'Pin versions that need no repository, path or link',
    );
  }
  const { dependencies } = entry;
  const needs = dependencies === undefined ? {} : { needs: dependencies };
  return [{ ecosystem: 'node', name, version: entry.version, file: path, integrity, ...needs }];
}

/** npm's lock from ours. */
function lockFile(locked: readonly LayerPackage[], dependencies: Readonly<Record<string, string>>): unknown {
  const packages = locked.map(({ file, version, integrity, needs }) => {
    return [file, { version, integrity: baseIntegrity(integrity), ...(needs && { dependencies: needs }) }];
  });
  const root = { name: 'layer', version: '0.0.0', dependencies };
  const all = Object.fromEntries([['', root], ...packages]) as unknown;
  return { name: 'layer', version: '0.0.0', lockfileVersion: 3, requires: true, packages: all };
}

function scriptNotes(entries: readonly (readonly [string, LockedPackage])[]): string[] {
  const names = entries.filter(([, entry]) => entry.hasInstallScript === true).map(([path]) => path);
  return names
    .slice(0, NOTES_MAX)
    .map(
      (path) =>
        `${path.replace(/^.*node_modules\//, '')}: its install scripts never run, so parts may be missing`,
    );
}

function hexIntegrity(text: string): string | null {
  const strongest = text.split(' ').find((each) => each.startsWith('sha512-'));
  if (strongest === undefined) return null;
  return `sha512-${Buffer.from(strongest.slice('sha512-'.length), 'base64').toString('hex')}`;
}

function baseIntegrity(hex: string): string {
  return `sha512-${Buffer.from(hex.slice('sha512-'.length), 'hex').toString('base64')}`;
}

function splitPin(pin: string): [string, string] {
  const at = pin.lastIndexOf('@');
  return [pin.slice(0, at), pin.slice(at + 1)];
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
