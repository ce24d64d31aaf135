/**
 * Arguments of a tool call, read so that fields which a model merely filled in harm nobody.
 *
 * Unknown fields are passed over, and so are optional fields that are empty. Of `submit_pr`, fields that the role is not
 * shown are passed over where they do not fit. A text that says a value of the right type (`"3"`, `"[1, 2]"`) is that value.
 * Everything else is checked as it is.
 */
import type { z } from 'zod';
import { AGENT_TOOLS, type AgentToolName } from '../../schemas/agent-tools.ts';
import { looseObject } from '../text/loose-json.ts';
import { strictJson } from '../text/strict-json.ts';

/** Fields of `submit_pr` that the harness knows better (schemas/submit-pr.ts). */
const KNOWN_ANYWAY: ReadonlySet<string> = new Set(['status', 'interface', 'files', 'suspension']);

/** The fields of `json` that count. What is no object is given back as it is, for the schema to refuse. */
export function relevantInput(tool: AgentToolName, json: unknown): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const shape: Readonly<Record<string, z.ZodType>> = AGENT_TOOLS[tool].shape;
  const fieldOf = (name: string): z.ZodType | undefined =>
    Object.hasOwn(shape, name) ? shape[name] : undefined;
  const said = Object.entries(json).map(([name, value]) => [name, meant(fieldOf(name), value)] as const);
  return Object.fromEntries(
    said.filter(([name, value]) => {
      const field = fieldOf(name);
      if (field === undefined) return false;
      if (!field.safeParse(undefined).success) return true;
      if (isEmpty(value)) return false;
      return !(tool === 'submit_pr' && KNOWN_ANYWAY.has(name)) || field.safeParse(value).success;
    }),
  );
}

/** A value that was written as a text, where the field takes the value and not the text. */
function meant(field: z.ZodType | undefined, value: unknown): unknown {
  if (field === undefined || typeof value !== 'string' || field.safeParse(value).success) return value;
  const said = strictJson(value) ?? looseObject(value);
  return said !== undefined && field.safeParse(said).success ? said : value;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
