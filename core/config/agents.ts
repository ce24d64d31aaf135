/** `builder_agent = "codex"` or `"command:python3 /opt/agent/run.py"` to the agent that takes a role. */
import { AgentName, AGENT_NAMES } from '../../schemas/order.ts';
import type { RoleAgents } from '../../schemas/agent-choice.ts';
import type { ConfigFile } from '../../schemas/config.ts';
import { suggestNearest } from '../text/nearest.ts';
import type { ConfigSource } from './layer.ts';
import type { ModelFault } from './models.ts';

type AgentFields = Pick<ConfigFile, 'builder_agent' | 'test_author_agent' | 'agent_files'>;

/** Agents that are a shell command of the user's. */
const BY_COMMAND = /^(command|acp):(.*)$/s;
/** The way back to our own loop, where a weaker layer names an agent. */
const NONE = 'none';

/** Agents by role, and what is wrong with them. */
export function resolveAgents(
  fields: AgentFields,
  filesFrom: ConfigSource | undefined,
): { readonly agents: RoleAgents; readonly faults: readonly ModelFault[] } {
  const faults: ModelFault[] = [];
  const agents: RoleAgents = {};
  for (const role of ['builder', 'test_author'] as const) {
    const said = fields[`${role}_agent`];
    if (said === undefined || said === NONE) continue;
    const [, kind = said, text = ''] = BY_COMMAND.exec(said) ?? [];
    const name = AgentName.safeParse(kind);
    const command = text.trim() === '' ? null : text.trim();
    if (!name.success || (isByCommand(name.data) && command === null)) {
      faults.push(wrongName(role, said));
      continue;
    }
    agents[role] = { name: name.data, command, files: fields.agent_files ?? null };
  }
  return { agents, faults: [...faults, ...filesFaults(fields.agent_files, filesFrom)] };
}

function isByCommand(name: AgentName): boolean {
  return name === 'command' || name === 'acp';
}

function wrongName(role: string, said: string): ModelFault {
  const names = AGENT_NAMES.filter((name) => !isByCommand(name));
  return {
    message: `Cannot use "${role}_agent": it must be ${names.join(', ')}, ${NONE}, or "command:" or "acp:" and a shell command; current value is "${said.slice(0, 100)}"`,
    suggestion: suggestNearest(said, names) ?? 'a7-rt agents lists them',
  };
}

/** A folder of this machine would be shown to a program that speaks to a model: nobody who hands on a folder may name one. */
function filesFaults(files: string | undefined, source: ConfigSource | undefined): ModelFault[] {
  const isBrought = source?.kind === 'session' || source?.kind === 'project';
  if (files === undefined || !isBrought) return [];
  const message = `Cannot use "agent_files" of ${source.path}: only A7_AGENT_FILES or config.toml of A7_HOME may name a folder of this machine, current value is "${files.slice(0, 200)}"`;
  return [{ message, suggestion: 'Set A7_AGENT_FILES' }];
}
