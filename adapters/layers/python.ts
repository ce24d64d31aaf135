/**
 * Python packages: `pip download` chooses wheels, and only wheels, so that no package's set-up code ever runs; we unpack
 * them ourselves. What would run at every start of Python is left out and told.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RUNNER_PACKAGES } from '../../core/layers/layer-spec.ts';
import { wheelPlace } from '../../core/layers/wheel-paths.ts';
import type { LayerPackage } from '../../schemas/layer.ts';
import { type Environment, runFirst } from './client.ts';
import { fail, failIfUnreachable } from './problem.ts';
import { NOTES_MAX, type ResolveContext, type Resolved } from './resolved.ts';
import { readZip, ZipRefused, type ZipEntry } from './zip.ts';

export interface PythonTarget {
  /** Of the image, for example `3.11`. */
  readonly version: string;
  /** Of the image's processor: `x86_64` or `aarch64`. */
  readonly machine: string;
}

/** Newest C library interface that wheels may ask for: that of the oldest release the image is made of. */
const GLIBC_MINOR_MAX = 36;
const GLIBC_MINOR_MIN = 5;
/** Ways to start pip, tried in turn. */
export const PIP_CLIENTS: readonly (readonly string[])[] = [['pip'], ['pip3'], ['python3', '-m', 'pip']];
/** Settings of the user that would change what is downloaded rather than from where. */
const CHANGES_MEANING =
  /^PIP_(REQUIREMENT|CONSTRAINT|EDITABLE|TARGET|PREFIX|ROOT|NO_BINARY|ONLY_BINARY|PRE|NO_DEPS|PLATFORM|PYTHON_VERSION|ABI|IMPLEMENTATION|DEST|REPORT|QUIET|REQUIRE_HASHES|LOG)$/;

interface LaidWheel {
  readonly paths: readonly string[];
  readonly notes: readonly string[];
}

/** Downloads and unpacks. @throws {LayerFailure} */
export async function layPython(
  context: ResolveContext,
  pins: readonly string[],
  target: PythonTarget,
): Promise<Resolved> {
  if (pins.length === 0) return { packages: [], notes: [] };
  const folder = join(context.work, 'wheels');
  await mkdir(folder, { recursive: true });
  const locked = context.locked?.map(({ name, version }) => `${name}==${version}`) ?? null;
  await download(context, locked ?? pins, folder, target, locked !== null);
  const packages: LayerPackage[] = [];
  // Named by a person's plan, and by nothing else: then the project's own runner judges its own suite.
  const hasRunner = pins.some((pin) => nameOf(pin) === 'pytest');
  const notes: string[] = [];
  const site = join(context.files, `usr/local/lib/python${target.version}/dist-packages`);
  for (const file of (await readdir(folder)).toSorted()) {
    const bytes = await readFile(join(folder, file));
    const wheel = wheelOf(file, bytes);
    if (!hasRunner && RUNNER_PACKAGES.has(wheel.name) && !pins.some((pin) => nameOf(pin) === wheel.name)) {
      notes.push(`${wheel.name} ${wheel.version}: left out, the runner of the image has its own`);
      continue;
    }
    const laid = await layWheel(wheel.name, bytes, site, hasRunner);
    notes.push(...laid.notes);
    packages.push({ ...wheel, imports: modulesOf(laid.paths) });
  }
  return { packages, notes };
}

async function download(
  { work, env, signal }: ResolveContext,
  pins: readonly string[],
  folder: string,
  target: PythonTarget,
  isLocked: boolean,
): Promise<void> {
  const args = [...pipArguments(folder, target, isLocked), '--', ...pins];
  const run = await runFirst(
    PIP_CLIENTS.map((client) => [...client, ...args]),
    'python',
    { cwd: work, env: registryEnvironment(env), signal },
  );
  if (!run.ok) failDownload(run.text, pins, target);
}

/** Downloads wheels, and wheels only, into a folder. */
export function pipArguments(folder: string, target: PythonTarget, isLocked: boolean): string[] {
  return [
    'download',
    ...['--only-binary=:all:', '--no-input', '--disable-pip-version-check', '--no-python-version-warning'],
    ...['--progress-bar', 'off', '--retries', '2'],
    ...['--dest', folder, ...targetArguments(target)],
    ...(isLocked ? ['--no-deps'] : []),
  ];
}

/** Which wheels fit the image, whatever this machine is. */
function targetArguments({ version, machine }: PythonTarget): string[] {
  const minors = Array.from({ length: GLIBC_MINOR_MAX - GLIBC_MINOR_MIN + 1 }, (_, i) => GLIBC_MINOR_MAX - i);
  const platforms = [
    ...minors.map((minor) => `manylinux_2_${minor}_${machine}`),
    ...['manylinux2014', 'manylinux2010', 'manylinux1', 'linux'].map((name) => `${name}_${machine}`),
    'any',
  ];
  const abis = [`cp${version.replace('.', '')}`, 'abi3', 'none'];
  return [
    ...['--python-version', version, '--implementation', 'cp'],
    ...abis.flatMap((abi) => ['--abi', abi]),
    ...platforms.flatMap((platform) => ['--platform', platform]),
  ];
}

/** The user's settings of where registries are, without those that change what is fetched. */
export function registryEnvironment(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !CHANGES_MEANING.test(name) && !/^PYTHON(PATH|HOME|STARTUP)$/.test(name),
    ),
  );
}

/** @throws {LayerFailure} always */
function failDownload(text: string, pins: readonly string[], { version }: PythonTarget): never {
  failIfUnreachable(text, 'python', 'pip');
  if (/ResolutionImpossible|conflicting dependencies/.test(text)) {
    const about = { ecosystem: 'python', pin: null } as const;
    fail(
      'conflict',
      about,
      'the pinned Python packages need versions that exclude each other',
      'Change one of the pins',
    );
  }
  const wanted = /requirement ([A-Za-z0-9][\w.-]*)/.exec(text)?.[1] ?? null;
  const pin = pins.find((each) => nameOf(each) === normal(wanted ?? '')) ?? null;
  const about = { ecosystem: 'python', pin } as const;
  const shown = `"${pin ?? wanted ?? pins.join(', ')}"`;
  const versions = /from versions: ([^)]*)\)/.exec(text)?.[1] ?? 'none';
  if (pin !== null && versions !== 'none') {
    const known = versions.split(', ').slice(-5).join(', ');
    fail(
      'unknown_version',
      about,
      `there is no wheel of ${shown} for Python ${version} on Linux`,
      `Newest versions with one: ${known}`,
    );
  }
  fail(
    wanted === null ? 'refused' : 'unknown_package',
    about,
    wanted === null
      ? `"pip" could not download ${shown}`
      : `the registry has no Python package ${shown} with wheels for Python ${version}`,
    'Check name and version; packages without wheels cannot be used, because their set-up code never runs',
  );
}

function wheelOf(file: string, bytes: Buffer): LayerPackage {
  const [name, version] = /^([^-]+)-([^-]+)-.*\.whl$/.exec(file)?.slice(1, 3) ?? [];
  if (name === undefined || version === undefined) {
    fail(
      'no_usable_file',
      { ecosystem: 'python', pin: null },
      `"${file}" must be a wheel`,
      'Pin another version',
    );
  }
  const integrity = `sha256-${createHash('sha256').update(bytes).digest('hex')}`;
  return { ecosystem: 'python', name: normal(name), version, file, integrity };
}

/** Unpacks a wheel below `site`; returns what it laid and what a person should know. */
async function layWheel(name: string, archive: Buffer, site: string, hasRunner: boolean): Promise<LaidWheel> {
  const refuse = (why: string): never =>
    fail(
      'refused',
      { ecosystem: 'python', pin: null },
      `"${name}" is refused: ${why}`,
      'Pin another version',
    );
  let entries: ZipEntry[] = [];
  try {
    entries = readZip(archive);
  } catch (error) {
    if (!(error instanceof ZipRefused)) throw error;
    refuse(error.message);
  }
  const left: string[] = [];
  const paths: string[] = [];
  for (const { path, mode, bytes } of entries) {
    const place = wheelPlace(path, mode, hasRunner);
    if (place.kind === 'refuse') refuse(place.why);
    if (place.kind === 'leave') left.push(place.why);
    if (place.kind !== 'lay') continue;
    paths.push(place.path);
    const target = join(site, place.path);
    await mkdir(dirname(target), { recursive: true });
    await layOnce(target, bytes, (mode & 0o111) !== 0, () =>
      refuse(`another package has "${place.path}" too`),
    );
  }
  const shown = left.slice(0, NOTES_MAX).map((why) => `${name}: left out, ${why}`);
  const more = left.length - NOTES_MAX;
  return { paths, notes: more > 0 ? [...shown, `${name}: ${more} more files left out`] : shown };
}

/** Top-level modules: what code may import by name. */
function modulesOf(paths: readonly string[]): string[] {
  const names = paths.flatMap(
    (path) => /^([A-Za-z_]\w*)(?:\.py|\..*\.so|\/.*\.(?:py|so))$/.exec(path)?.[1] ?? [],
  );
  return [...new Set(names)].toSorted();
}

async function layOnce(path: string, bytes: Buffer, isProgram: boolean, clash: () => never): Promise<void> {
  try {
    await writeFile(path, bytes, { flag: 'wx', mode: isProgram ? 0o755 : 0o644 });
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
    if (!(await readFile(path)).equals(bytes)) clash();
  }
}

function nameOf(pin: string): string {
  return normal(pin.split(/[=[]/, 1)[0] ?? '');
}

function normal(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
