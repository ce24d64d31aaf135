/** `builder_agent = "codex"` or `"command:python3 /opt/agent/run.py"` to the agent that takes a role. */
import { AgentName, AGENT_NAMES } from '../../schemas/order.ts';
import type { RoleAgents } from '../../schemas/agent-choice.ts';
import type { ConfigFile } from '../../schemas/config.ts';
import { suggestNearest } from '../text/nearest.ts';
import type { ConfigSource } from './layer.ts';
import type { ModelFault } from './models.ts';

type AgentFields = Pick<ConfigFile, 'builder_agent' | 'test_author_agent' | 'agent_files'>;

const COMMAND = 'command:';
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
    const isCommand = said.startsWith(COMMAND);
    const name = AgentName.safeParse(isCommand ? 'command' : said);
    const command = isCommand ? said.slice(COMMAND.length).trim() : null;
    if (!name.success || (name.data === 'command' && (command === null || command === ''))) {
      faults.push(wrongName(role, said));
      continue;
    }
    agents[role] = { name: name.data, command, files: fields.agent_files ?? null };
  }
  return { agents, faults: [...faults, ...filesFaults(fields.agent_files, filesFrom)] };
}

function wrongName(role: string, said: string): ModelFault {
  const names = AGENT_NAMES.filter((name) => name !== 'command');
  return {
    message: `Cannot use "${role}_agent": it must be ${names.join(', ')}, ${NONE}, or "${COMMAND}" and a shell command; current value is "${said.slice(0, 100)}"`,
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
