/** Which of the sixteen tools a role is given. */
import { AGENT_TOOLS, type AgentToolName, type ToolSpec, toolSpecs } from '../../schemas/agent-tools.ts';
import type { Role } from '../../schemas/ids.ts';

const READ_ONLY: readonly AgentToolName[] = [
  'read_file',
  'grep_content',
  'list_files',
  'preview_file',
  'get_current_state',
  'record_thought',
  'submit_pr',
];

/** Builders and test authors have all tools; analysts read. */
export function toolsFor(role: Role): readonly AgentToolName[] {
  return role === 'analyst' ? READ_ONLY : (Object.keys(AGENT_TOOLS) as AgentToolName[]);
}

const specs = new Map<Role, readonly ToolSpec[]>();

/** The same tools as a request names them; made once, because the JSON schemas of sixteen inputs take milliseconds. */
export function specsFor(role: Role): readonly ToolSpec[] {
  const made = specs.get(role) ?? toolSpecs(toolsFor(role));
  specs.set(role, made);
  return made;
}
