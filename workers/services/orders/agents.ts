/** Which agents are here, and bringing one. */
import { installAgent } from '../../../adapters/agents/install.ts';
import { AGENT_PACKAGES } from '../../../adapters/agents/packages.ts';
import { installedAgent } from '../../../adapters/agents/programs.ts';
import type { AgentRow } from '../../../core/ports/order-services.ts';
import type { Result } from '../../../core/ports/services.ts';
import { AGENT_NAMES, type AgentName } from '../../../schemas/order.ts';
import { agentsFolder } from '../../agent-parts.ts';
import { failed, messageOf } from '../common.ts';

/** Every agent that there is a driver for. */
export function listAgents(): Promise<Result<readonly AgentRow[]>> {
  return Promise.resolve({ ok: true, value: AGENT_NAMES.flatMap((name) => rowOf(name) ?? []) });
}

function rowOf(name: AgentName): AgentRow | null {
  const wanted = AGENT_PACKAGES[name];
  const found = installedAgent(agentsFolder(), name);
  if (wanted === undefined && found === null) return null;
  return {
    name,
    version: found?.version ?? Object.values(wanted?.packages ?? {})[0] ?? null,
    installed: found !== null,
    license: wanted?.license ?? 'part of a7-rt',
    megabytes: wanted?.megabytes ?? 0,
  };
}

/** Installs one into the cache, with the user's own npm. */
export async function installNamed(name: AgentName): Promise<Result<AgentRow>> {
  try {
    if (AGENT_PACKAGES[name] !== undefined) await installAgent(agentsFolder(), name);
    const row = rowOf(name);
    return row === null
      ? failed(2, `Cannot install "${name}": there is no driver for it`, 'a7-rt agents')
      : { ok: true, value: row };
  } catch (error) {
    return failed(
      4,
      `Cannot install ${name}: ${messageOf(error)}`,
      'Look at npm and its registry, then run the same command again',
    );
  }
}
