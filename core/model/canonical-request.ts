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
  return canonicalJson({ messages: request.messages, tools: request.tools });
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
