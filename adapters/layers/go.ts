/**
 * Modules of Go: `go mod download` brings them through the user's proxy and holds them against the checksum database that the
 * user has set. They lie in the layer as a proxy on disk, so that Go in the room holds each against the tree's `go.sum` again.
 * No code of any module runs, and no repository is cloned: a module must be in a proxy.
 */
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { GO_PLACES, isGoToolchain } from '../../core/layers/go-modules.ts';
import type { LayerPackage } from '../../schemas/layer.ts';
import { type ClientRun, type Environment, runFirst } from './client.ts';
import { fail, failIfUnreachable } from './problem.ts';
import type { ResolveContext, Resolved } from './resolved.ts';

/** One entry of `go mod download -json`. */
export const Downloaded = z.looseObject({
  Path: z.string(),
  Version: z.string().default(''),
  Error: z.string().optional(),
  Zip: z.string().optional(),
  Dir: z.string().optional(),
  Sum: z.string().optional(),
});
export type Downloaded = z.infer<typeof Downloaded>;

/** Folders of a compiler that no test needs. */
const LEFT_OUT = ['api', 'doc', 'misc', 'test'];

/** Lays a proxy of these modules, and the compiler where one is pinned. @throws {LayerFailure} */
export async function layGo(context: ResolveContext, pins: readonly string[]): Promise<Resolved> {
  if (pins.length === 0) return { packages: [], notes: [] };
  const folder = join(context.work, 'go');
  await mkdir(folder, { recursive: true });
  const env = goEnvironment(context.env, join(folder, 'cache'));
  const options = { cwd: folder, env, signal: context.signal };
  const run = await runFirst([['go', 'mod', 'download', '-json', '--', ...pins]], 'go', options);
  const found = downloaded(run.stdout);
  const missing = found.find((each) => each.Error !== undefined);
  if (missing !== undefined || !run.ok) failGo(run, missing ?? null, pins);
  const modules = found.filter(({ Path, Version }) => !isGoToolchain(`${Path}@${Version}`));
  const compiler = found.find(({ Path, Version }) => isGoToolchain(`${Path}@${Version}`));
  if (modules.length > 0) await loadGraph(context, folder, env, modules);
  const cache = join(folder, 'cache/cache/download');
  const packages: LayerPackage[] = [];
  for (const each of found) packages.push(archiveOf(each));
  packages.push(...(await layProxy(cache, join(context.files, GO_PLACES.proxy), modules)));
  if (compiler?.Dir !== undefined) await layCompiler(context.files, compiler.Dir);
  return { packages, notes: [] };
}

/** The user's proxies and checksums, in a cache of this attempt; nothing is cloned, and no other compiler is started. */
export function goEnvironment(env: Environment, cache: string): Environment {
  const own = Object.entries(env).filter(
    ([name]) => !/^GO(FLAGS|WORK|MODCACHE|TOOLCHAIN|VCS|OS|ARCH)$/u.test(name),
  );
  return {
    ...Object.fromEntries(own),
    ...{ GOMODCACHE: cache, GOFLAGS: '-modcacherw', GOWORK: 'off', GOTOOLCHAIN: 'local', GOVCS: '*:off' },
    GO111MODULE: 'on',
  };
}

/** The stream of objects that `-json` prints. */
export function downloaded(stdout: string): Downloaded[] {
  return stdout
    .split(/\n(?=\{\n)/u)
    .filter((text) => text.trim() !== '')
    .map((text) => Downloaded.parse(JSON.parse(text)));
}

/**
 * `go.mod` of every module that a build may look at, also of versions that were not chosen: as for a main module of Go 1.16,
 * which looks at all. Where one of those is gone, the smaller graph of newer modules is all there is.
 */
async function loadGraph(
  { signal }: ResolveContext,
  cwd: string,
  env: Environment,
  modules: readonly Downloaded[],
): Promise<void> {
  const needed = modules.map(({ Path, Version }) => `\t${Path} ${Version}\n`).join('');
  for (const version of ['1.16', '1.17']) {
    await writeFile(join(cwd, 'go.mod'), `module layer\n\ngo ${version}\n\nrequire (\n${needed})\n`);
    const flags = { ...env, GOFLAGS: '-modcacherw -mod=mod' };
    const run = await runFirst([['go', 'mod', 'graph']], 'go', { cwd, env: flags, signal });
    if (run.ok) return;
  }
}

/** `h1:` and base64 of a SHA-256 over the archive's files: what `go.sum` has. */
function archiveOf({ Path, Version, Zip, Sum = '' }: Downloaded): LayerPackage {
  const digest = Buffer.from(Sum.replace(/^h1:/u, ''), 'base64').toString('hex');
  return {
    ecosystem: 'go',
    name: Path,
    version: Version,
    file: (Zip ?? '').replace(/^.*\/cache\/download\//u, ''),
    integrity: `sha256-${digest}`,
  };
}

/** @returns the `go.mod` files, each as a part of the layer's lock */
async function layProxy(
  cache: string,
  proxy: string,
  modules: readonly Downloaded[],
): Promise<LayerPackage[]> {
  const zips = modules.flatMap(({ Zip }) => (Zip === undefined ? [] : [relative(cache, Zip)]));
  const all = await readdir(cache, { recursive: true });
  const mods = all.filter(
    (path) => /\/@v\/[^/]+\.mod$/u.test(path) && !path.startsWith('golang.org/toolchain/'),
  );
  for (const path of [...zips, ...mods]) {
    await mkdir(dirname(join(proxy, path)), { recursive: true });
    await rename(join(cache, path), join(proxy, path));
  }
  const packages = mods.toSorted().map(async (file): Promise<LayerPackage> => {
    const [, name = '', version = ''] = /^(.*)\/@v\/(.*)\.mod$/u.exec(file) ?? [];
    const hash = createHash('sha256').update(await readFile(join(proxy, file)));
    return { ecosystem: 'go', name, version, file, integrity: `sha256-${hash.digest('hex')}` };
  });
  return Promise.all(packages);
}

/** The archive has no modes: what is a program is known by its folder. */
async function layCompiler(files: string, from: string): Promise<void> {
  const root = join(files, GO_PLACES.root);
  await cp(from, root, { recursive: true });
  for (const name of LEFT_OUT) await rm(join(root, name), { recursive: true, force: true });
  const programs = await readdir(join(root, 'bin'));
  const tools = await readdir(join(root, 'pkg/tool'), { recursive: true });
  await mkdir(join(files, 'usr/local/bin'), { recursive: true });
  for (const name of programs)
    await symlink(`${GO_PLACES.root}/bin/${name}`, join(files, 'usr/local/bin', name));
  const paths = [...programs.map((name) => `bin/${name}`), ...tools.map((name) => `pkg/tool/${name}`)];
  for (const path of paths) await chmod(join(root, path), 0o755);
}

/** @throws {LayerFailure} always */
function failGo({ text }: ClientRun, missing: Downloaded | null, pins: readonly string[]): never {
  const said = `${text}\n${missing?.Error ?? ''}`;
  const pin = pins.find((each) => each === `${missing?.Path ?? ''}@${missing?.Version ?? ''}`);
  const shown = pin ?? pins.find((each) => said.includes(each)) ?? (pins.length === 1 ? pins[0] : undefined);
  const about = { ecosystem: 'go', pin: shown ?? null } as const;
  const named = `"${shown ?? pins.slice(0, 5).join(', ')}"`;
  if (/unknown revision|404 Not Found|410 Gone|not found|no such file/u.test(said))
    fail('unknown_version', about, `no module proxy has ${named}`, 'Check path and version');
  if (/SECURITY ERROR|checksum mismatch/u.test(said))
    fail('changed', about, `other bytes than the checksum database knows: ${named}`, 'Find out why');
  if (/GOVCS disallows/u.test(said))
    fail(
      'refused',
      about,
      `${named} is in no module proxy`,
      'Set GOPROXY to one that has it, or commit "go mod vendor"',
    );
  failIfUnreachable(said, 'go', 'go');
  fail(
    'refused',
    about,
    `"go mod download" could not bring ${named}`,
    'Check that each pin is in a module proxy',
  );
}
