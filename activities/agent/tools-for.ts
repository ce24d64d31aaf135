/** Which of the tools a role is given, and in which form it is shown them. */
import { AGENT_TOOLS, type AgentToolName, type ToolSpec, toolSpecs } from '../../schemas/agent-tools.ts';
import type { Role } from '../../schemas/ids.ts';
import type { SubmitForm } from '../../schemas/submit-pr.ts';

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

const specs = new Map<string, readonly ToolSpec[]>();

/** The same tools as a request names them; made once, because the JSON schemas of all inputs take milliseconds. */
export function specsFor(role: Role, form: SubmitForm): readonly ToolSpec[] {
  const key = `${role} ${form}`;
  const made = specs.get(key) ?? toolSpecs(toolsFor(role), form);
  specs.set(key, made);
  return made;
}
