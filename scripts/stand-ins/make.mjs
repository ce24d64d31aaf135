// The parts of stand-in images: a Debian of this machine's sources, programs built from Go modules, Node and npm.
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fetchNode, readRecipe } from '../setup/recipe.mjs';
import { cacheFolder, readTools } from '../setup/cache.mjs';
import { SetupError } from '../setup/setup-error.mjs';
import { lastLine, runProgram } from '../setup/run-program.mjs';

const LONG_MS = 60 * 60_000;
const NPM = 'npm@10.8.2';
const SERVER = 'go.temporal.io/server';
const UI = 'github.com/temporalio/ui-server/v2';

/** A small Debian as an image, from the machine's own package sources. @throws {SetupError} */
export async function makeBase(image, folder, say) {
  if ((await runProgram('docker', ['image', 'inspect', image])).ok) return;
  say(`making ${image} of Debian packages`);
  const tar = join(folder, 'debian.tar');
  const sources = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'].find((path) =>
    existsSync(path),
  );
  const args = ['--quiet', '--variant=minbase', '--format=tar', '--include=ca-certificates', 'bookworm', tar];
  await run('mmdebstrap', [...args, sources]);
  const path = 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  await run('docker', ['import', '--change', path, '--change', 'CMD ["bash"]', tar, image]);
  rmSync(tar);
}

/** Lays all that deploy/stand-ins/Dockerfile copies; gives the folder. @throws {SetupError} */
export async function layContext({ root, folder, versionOf }, say) {
  const context = join(folder, 'context');
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  for (const name of ['Dockerfile', 'postgres.sh'])
    copyFileSync(join(root, 'deploy/stand-ins', name), join(context, name));
  copyFileSync('/etc/ssl/certs/ca-certificates.crt', join(context, 'ca-certificates.crt'));
  const server = `${SERVER}@v${versionOf('TEMPORAL_IMAGE')}`;
  const ui = `${UI}@v${versionOf('TEMPORAL_UI_IMAGE')}`;
  const program = (module, path, name) => buildGo({ module, path, folder, to: join(context, name) }, say);
  await program(server, 'cmd/server', 'temporal-server');
  await program(server, 'cmd/tools/sql', 'temporal-sql-tool');
  await program(ui, 'cmd/server', 'ui-server');
  const modules = { server: await moduleFolder(server, folder), ui: await moduleFolder(ui, folder) };
  cpSync(join(modules.server, 'schema'), join(context, 'schema'), { recursive: true });
  copyFileSync(join(modules.server, 'docker/scripts/sh/entrypoint.sh'), join(context, 'entrypoint.sh'));
  copyFileSync(join(modules.ui, 'docker/start-ui-server.sh'), join(context, 'start-ui-server.sh'));
  copyFileSync(join(modules.ui, 'config/docker.yaml'), join(context, 'docker.yaml'));
  for (const name of ['entrypoint.sh', 'start-ui-server.sh']) chmodSync(join(context, name), 0o755);
  copyFileSync(readTools(cacheFolder()).temporal.path, join(context, 'temporal'));
  await layNode(root, context);
  return context;
}

/** One program of a module, kept by module and version. */
async function buildGo({ module, path, folder, to }, say) {
  const [name, version] = module.split('@');
  const kept = join(folder, 'programs', `${name}-${path}-${version}`.replaceAll('/', '-'));
  if (!existsSync(kept)) {
    say(`building ${name}/${path}@${version}`);
    const bin = join(folder, 'go-bin');
    rmSync(bin, { recursive: true, force: true });
    const env = { ...GO, GOBIN: bin };
    await run('go', ['install', '-trimpath', '-ldflags=-s -w', `${name}/${path}@${version}`], { env });
    mkdirSync(join(folder, 'programs'), { recursive: true });
    copyFileSync(join(bin, path.split('/').at(-1)), kept);
    rmSync(bin, { recursive: true });
  }
  copyFileSync(kept, to);
}

const GO = { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' };

async function moduleFolder(module, cwd) {
  const { stdout } = await run('go', ['mod', 'download', '-json', module], { env: GO, cwd });
  return JSON.parse(stdout).Dir;
}

async function layNode(root, context) {
  const [node, npm] = ['fetched/node', 'fetched/npm'].map((name) => join(context, name));
  for (const folder of [node, npm]) mkdirSync(folder, { recursive: true });
  copyFileSync(await fetchNode(readRecipe(root, process.arch), node), join(context, 'node'));
  const { stdout } = await run('npm', ['pack', NPM, '--silent', '--pack-destination', npm]);
  await run('tar', ['-xzf', join(npm, stdout.trim()), '-C', npm]);
  renameSync(join(npm, 'package'), join(context, 'npm'));
  rmSync(join(context, 'fetched'), { recursive: true });
}

/** @throws {SetupError} with the last line that the program said */
export async function run(command, args, options = {}) {
  const result = await runProgram(command, args, { timeoutMs: LONG_MS, ...options });
  if (result.ok) return result;
  throw new SetupError(
    `"${command} ${args.slice(0, 2).join(' ')}" failed: ${lastLine(result.output)}`,
    'read what is needed at the top of scripts/stand-ins.mjs',
  );
}
