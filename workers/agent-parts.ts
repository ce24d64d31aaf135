/** What every room of an agent needs of this machine: drivers with their programs, and the room's side of a door. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgentPrograms } from '../adapters/agents/programs.ts';
import { cacheFolder } from '../adapters/toolchain/index.ts';
import type { AgentPrograms } from '../core/ports/agent-driver.ts';
import type { SandboxFile } from '../core/ports/sandbox.ts';
import { SANDBOX_FOLDER } from './machine.ts';

/** Folder of agents in the cache. */
export function agentsFolder(): string {
  return join(cacheFolder(), 'agents');
}

export async function agentParts(): Promise<{
  readonly programs: AgentPrograms;
  readonly doorProgram: SandboxFile;
}> {
  const bytes = await readFile(join(SANDBOX_FOLDER, 'door', 'door.mjs'));
  const own = (name: string): Promise<string> => readFile(join(SANDBOX_FOLDER, 'agent', name), 'utf8');
  const programs = createAgentPrograms(agentsFolder(), {
    'native.mjs': await own('native.mjs'),
    'tools.mjs': await own('tools.mjs'),
    'acp.mjs': await own('acp.mjs'),
  });
  return { programs, doorProgram: { path: 'door.mjs', bytes } };
}
