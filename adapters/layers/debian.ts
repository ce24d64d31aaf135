/**
 * Debian packages: apt resolves them against what the image has, with this machine's own sources and in folders of this
 * attempt; `dpkg-deb` unpacks them. No maintainer script runs.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, access } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { LayerPackage } from '../../schemas/layer.ts';
import { runFirst } from './client.ts';
import { fail, failIfUnreachable } from './problem.ts';
import type { ResolveContext, Resolved } from './resolved.ts';

/** No test run needs them. */
const LEFT_OUT = ['doc', 'man', 'locale', 'info', 'lintian', 'bash-completion'].map(
  (name) => `usr/share/${name}`,
);
/** Folders that are links in a merged system: a layer may not put folders in their place. */
const MERGED = ['bin', 'sbin', 'lib', 'lib64', 'lib32'];
/** What maintainer scripts would have linked: the linker of Rust is called by this name. */
const ALTERNATIVES: readonly (readonly [string, string])[] = [['usr/bin/cc', 'gcc']];

/** Resolves and unpacks. `statusFile` lists what the image has. @throws {LayerFailure} */
export async function layDebian(
  context: ResolveContext,
  names: readonly string[],
  statusFile: string | null,
): Promise<Resolved> {
  if (names.length === 0) return { packages: [], notes: [] };
  const about = { ecosystem: 'debian', pin: null } as const;
  if (statusFile === null) {
    fail('no_client', about, 'the root file system of the image is not on this machine', 'Run "a7-rt setup"');
  }
  const folder = join(context.work, 'apt');
  await mkdir(join(folder, 'state/lists/partial'), { recursive: true });
  await mkdir(join(folder, 'cache/archives/partial'), { recursive: true });
  const settings = aptSettings(folder, statusFile);
  await apt(context, folder, [...settings, 'update'], names);
  const wanted = context.locked?.map(({ name, version }) => `${name}=${version}`) ?? names;
  const install = ['install', '--download-only', '--no-install-recommends', '--allow-downgrades', '-y'];
  await apt(context, folder, [...settings, ...install, '--', ...wanted], names);
  const archives = join(folder, 'cache/archives');
  const files = (await readdir(archives)).filter((file) => file.endsWith('.deb')).toSorted();
  const packages: LayerPackage[] = [];
  for (const file of files) packages.push(await unpack(context, join(archives, file), file));
  await tidy(context.files);
  return { packages, notes: [] };
}

function aptSettings(folder: string, statusFile: string): string[] {
  const settings = {
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': statusFile,
    'Dir::Cache': join(folder, 'cache'),
    'Debug::NoLocking': 'true',
    'APT::Sandbox::User': '',
    'Acquire::Retries': '1',
    'Acquire::Languages': 'none',
  };
  return ['-q', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
}

async function apt(
  { env, signal }: ResolveContext,
  cwd: string,
  args: readonly string[],
  names: readonly string[],
): Promise<void> {
  const run = await runFirst([['apt-get', ...args]], 'debian', { cwd, env: { ...env, LC_ALL: 'C' }, signal });
  if (run.ok) return;
  failIfUnreachable(run.text, 'debian', 'apt-get');
  const missing = /(?:Unable to locate package|Version '[^']*' for) ['"]?([a-z0-9][a-z0-9+.-]*)/.exec(
    run.text,
  )?.[1];
  const named = /Version '[^']*' for '([^']*)'/.exec(run.text)?.[1] ?? missing;
  const pin = names.find((each) => each.split('=', 1)[0] === named) ?? null;
  const shown = pin ?? named ?? names.join(', ');
  const about = { ecosystem: 'debian', pin } as const;
  if (named !== undefined)
    fail(
      'unknown_package',
      about,
      `this machine's sources have no Debian package "${shown}"`,
      'Check name and version',
    );
  fail(
    'refused',
    about,
    `"apt-get" could not resolve "${shown}"`,
    'Check this machine\'s sources with "apt-get update"',
  );
}

async function unpack(
  { files, env, signal }: ResolveContext,
  path: string,
  file: string,
): Promise<LayerPackage> {
  const options = { cwd: files, env, signal };
  const fields = await runFirst([['dpkg-deb', '-f', path, 'Package', 'Version']], 'debian', options);
  const field = (name: string): string => new RegExp(`^${name}: (.+)$`, 'm').exec(fields.stdout)?.[1] ?? '';
  const laid = await runFirst([['dpkg-deb', '-x', path, files]], 'debian', options);
  const [name, version] = [field('Package'), field('Version')];
  if (!laid.ok || name === '' || version === '') {
    fail(
      'refused',
      { ecosystem: 'debian', pin: null },
      `"${file}" cannot be unpacked`,
      'Run the same command again',
    );
  }
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { ecosystem: 'debian', name, version, file, integrity: `sha256-${hash.digest('hex')}` };
}

async function tidy(files: string): Promise<void> {
  for (const path of LEFT_OUT) await rm(join(files, path), { recursive: true, force: true });
  for (const name of MERGED) await mergeInto(join(files, name), join(files, 'usr', name));
  for (const [link, target] of ALTERNATIVES) {
    const isThere = await access(join(files, 'usr/bin', target)).then(
      () => true,
      () => false,
    );
    if (isThere) await symlink(target, join(files, link)).catch(() => undefined);
  }
}

/** Moves what lies in a folder that the merged system has as a link. */
async function mergeInto(from: string, to: string): Promise<void> {
  const names = await readdir(from, { withFileTypes: true }).catch(() => []);
  for (const entry of names) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await mergeInto(source, target);
    else {
      await mkdir(to, { recursive: true });
      await rename(source, target);
    }
  }
  await rm(from, { recursive: true, force: true });
}
