/** Other writings of a chat request that the API takes, too: lists of text parts, `developer` for `system`, strict tools. */
import { isRecord } from '../text/is-record.ts';

/** The same request in the plain writing; what is no such thing stays as it is and meets the checks. */
export function withPlainContent(body: unknown): unknown {
  if (!isRecord(body) || !Array.isArray(body['messages'])) return body;
  const tools: unknown = body['tools'];
  return {
    ...body,
    messages: (body['messages'] as unknown[]).map(plainMessage),
    ...(Array.isArray(tools) ? { tools: (tools as unknown[]).map(plainTool) } : {}),
  };
}

/** `strict` says how the endpoint writes arguments; the checks are the same. */
function plainTool(tool: unknown): unknown {
  if (!isRecord(tool) || !isRecord(tool['function'])) return tool;
  const { strict, ...rest } = tool['function'];
  return strict === undefined || typeof strict === 'boolean' || strict === null
    ? { ...tool, function: rest }
    : tool;
}

function plainMessage(message: unknown): unknown {
  if (!isRecord(message)) return message;
  const { role, content } = message;
  const plainRole = role === 'developer' ? 'system' : role;
  const parts: unknown = content;
  if (!Array.isArray(parts) || parts.length === 0) return { ...message, role: plainRole };
  const texts = (parts as unknown[]).map((part) =>
    isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : null,
  );
  return texts.includes(null)
    ? message
    : { ...message, role: plainRole, content: texts.filter((text) => text !== null).join('\n') };
}
