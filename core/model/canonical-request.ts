/** What of a request counts for "the same request", as one text; the adapter hashes it. */
import type { ChatMessage, ChatTool } from '../../schemas/model.ts';

/**
 * Canonical JSON of messages and tools. Model, endpoint and limits are left out on purpose: a stage that goes on with
 * another model still owns the answers it paid for.
 */
export function canonicalRequest(request: {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
}): string {
  const messages = request.messages.map(remembered).join(',');
  const tools = request.tools.map(remembered).join(',');
  return `{"messages":[${messages}],"tools":[${tools}]}`;
}

/** Nobody changes a message or a tool once it is made, and each turn sends all earlier ones again. */
const texts = new WeakMap<object, string>();

function remembered(part: ChatMessage | ChatTool): string {
  const known = texts.get(part) ?? canonicalJson(part);
  texts.set(part, known);
  return known;
}

/** JSON with sorted keys and without spaces; undefined members are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
