/** Tools that may be offered through the door of an agent's room: the agent's own. Pure. */
import type { ModelProtocol } from '../ports/agent-driver.ts';
import { isRecord } from '../text/is-record.ts';
import { writingProblem } from './door-names.ts';

/** Types of tools that the agent itself carries out; every other type is the endpoint's. */
const OWN_TOOLS: Readonly<Record<ModelProtocol, RegExp>> = {
  anthropic: /^(?:custom|bash_\d+|text_editor_\d+|computer_\d+|memory_\d+)$/,
  responses: /^(?:function|custom|local_shell|apply_patch)$/,
  chat: /^(?:function|custom)$/,
};

/** Why a list of tools may not leave; null where it may. */
export function toolsProblem(tools: unknown, protocol: ModelProtocol): string | null {
  if (tools === undefined || tools === null) return null;
  if (!Array.isArray(tools)) return '"tools" must be a list';
  for (const tool of tools as unknown[]) {
    const type = isRecord(tool) ? tool['type'] : null;
    const problem = writingProblem(tool) ?? writingProblem(isRecord(tool) ? tool['environment'] : null);
    if (problem !== null) return problem;
    if (type === undefined && protocol === 'anthropic') continue;
    if (type === 'namespace' && protocol === 'responses' && isRecord(tool)) {
      const inner = toolsProblem(tool['tools'], protocol);
      if (inner !== null) return inner;
      continue;
    }
    // Finds tools among those that are offered; here the agent does.
    if (type === 'tool_search' && isRecord(tool) && tool['execution'] === 'client') continue;
    // A shell without an environment of the endpoint's is the agent's own.
    if (type === 'shell' && isRecord(tool) && isOwnShell(tool['environment'])) continue;
    if (typeof type !== 'string' || !OWN_TOOLS[protocol].test(type))
      return `A tool of type "${String(type).slice(0, 60)}" is carried out by the endpoint: offer only the agent's own tools`;
  }
  return null;
}

function isOwnShell(environment: unknown): boolean {
  return environment === undefined || (isRecord(environment) && environment['type'] === 'local');
}
