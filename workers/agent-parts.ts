/** What every room of an agent needs of this machine: drivers with their programs, and the room's side of a door. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgentPrograms } from '../adapters/agents/programs.ts';
import { cacheFolder } from '../adapters/toolchain/index.ts';
import type { AgentPrograms } from '../core/ports/agent-driver.ts';
import type { SandboxFile } from '../core/ports/sandbox.ts';
import { SANDBOX_FOLDER } from './machine.ts';

/** Programs of agent `native`. */
const NATIVE = ['native.mjs', 'tools.mjs'] as const;

/** Folder of agents in the cache. */
export function agentsFolder(): string {
  return join(cacheFolder(), 'agents');
}

export async function agentParts(): Promise<{
  readonly programs: AgentPrograms;
  readonly doorProgram: SandboxFile;
}> {
  const bytes = await readFile(join(SANDBOX_FOLDER, 'door', 'door.mjs'));
  const own = await Promise.all(
    NATIVE.map(async (name) => [name, await readFile(join(SANDBOX_FOLDER, 'agent', name), 'utf8')] as const),
  );
  const programs = createAgentPrograms(agentsFolder(), Object.fromEntries(own));
  return { programs, doorProgram: { path: 'door.mjs', bytes } };
}
