/** The checks of the real API that no schema can say: order of messages, ids of tool calls, tool schemas. */
import { StrictChatRequest } from '../../schemas/model-request.ts';
import type { ModelScript } from '../../schemas/model-script.ts';
import type { ChatMessage, ChatTool } from '../../schemas/model.ts';
import { isRecord } from '../text/is-record.ts';

/** An error as the API words it. */
export interface ApiError {
  readonly status: number;
  readonly message: string;
  readonly code: string | null;
  readonly param: string | null;
}

export type CheckedRequest =
  | { readonly kind: 'valid'; readonly request: StrictChatRequest }
  | { readonly kind: 'refused'; readonly error: ApiError };

/** Reads a request body, or says what the API would. */
export function checkRequest(body: unknown, script: ModelScript): CheckedRequest {
  const parsed = StrictChatRequest.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const param = issue?.path.map(String).join('.') ?? '';
    return refused(
      400,
      `Invalid value for "${param}": ${issue?.message ?? 'not valid'}`,
      'invalid_value',
      param,
    );
  }
  const request = parsed.data;
  const error =
    modelError(request, script) ??
    parameterError(request, script) ??
    messageOrderError(request.messages) ??
    toolsError(request);
  return error === null ? { kind: 'valid', request } : { kind: 'refused', error };
}

function modelError(request: StrictChatRequest, script: ModelScript): ApiError | null {
  if (script.models === undefined || script.models.includes(request.model)) return null;
  const message = `The model "${request.model}" does not exist or you do not have access to it.`;
  return { status: 404, message, code: 'model_not_found', param: null };
}

function parameterError(request: StrictChatRequest, script: ModelScript): ApiError | null {
  if (!script.supports_max_tokens && request.max_tokens !== undefined) {
    const message = `Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.`;
    return apiError(message, 'unsupported_parameter', 'max_tokens');
  }
  if (request.max_tokens !== undefined && request.max_completion_tokens !== undefined) {
    return apiError(
      'Only one of "max_tokens" and "max_completion_tokens" may be set.',
      'invalid_value',
      'max_tokens',
    );
  }
  if (request.stream === true && !script.supports_stream) {
    return apiError('This endpoint does not support the parameter "stream".', 'unsupported_value', 'stream');
  }
  if (request.stream !== true && request.stream_options !== undefined) {
    return apiError(
      'The "stream_options" parameter is only allowed when "stream" is enabled.',
      'invalid_value',
      'stream_options',
    );
  }
  return null;
}

/** Tool messages answer exactly the calls of the assistant message before them, each once, with nothing between. */
function messageOrderError(messages: readonly ChatMessage[]): ApiError | null {
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const param = `messages.[${String(index)}]`;
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) {
        const text = `"messages" with role "tool" must answer a tool call of the preceding assistant message: "${message.tool_call_id}" is not open.`;
        return apiError(text, 'invalid_value', `${param}.tool_call_id`);
      }
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return unansweredError(open, param);
    if (message.role !== 'assistant') continue;
    if (message.content === null && message.tool_calls === undefined) {
      return apiError(
        'An assistant message needs "content" or "tool_calls".',
        'invalid_value',
        `${param}.content`,
      );
    }
    open = (message.tool_calls ?? []).map((call) => call.id);
    if (new Set(open).size !== open.length)
      return apiError('Tool call ids must be unique.', 'invalid_value', `${param}.tool_calls`);
  }
  return open.length > 0 ? unansweredError(open, 'messages') : null;
}

function unansweredError(open: readonly string[], param: string): ApiError {
  const ids = open.map((id) => `"${id}"`).join(', ');
  const text = `An assistant message with "tool_calls" must be followed by tool messages for each: no answer to ${ids}.`;
  return apiError(text, 'invalid_value', param);
}

function toolsError(request: StrictChatRequest): ApiError | null {
  const tools = request.tools ?? [];
  if (request.tool_choice !== undefined && tools.length === 0) {
    return apiError(
      '"tool_choice" is only allowed when "tools" are specified.',
      'invalid_value',
      'tool_choice',
    );
  }
  const names = tools.map((tool) => tool.function.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    return apiError(`Tool names must be unique: "${twice}" is there twice.`, 'invalid_value', 'tools');
  for (const [index, tool] of tools.entries()) {
    const reason = toolSchemaError(tool);
    if (reason !== null) {
      const text = `Invalid schema for function "${tool.function.name}": ${reason}`;
      return apiError(text, 'invalid_function_parameters', `tools[${String(index)}].function.parameters`);
    }
  }
  return null;
}

const SCHEMA_TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** The root is an object schema; every node names known types; `required` names properties that exist. */
function toolSchemaError(tool: ChatTool): string | null {
  const root = tool.function.parameters;
  if (root['type'] !== 'object') return 'the root must have "type": "object".';
  for (const keyword of ['oneOf', 'anyOf', 'allOf', 'enum', 'not', '$ref']) {
    if (keyword in root) return `the root must not have "${keyword}".`;
  }
  return schemaNodeError(root, 'parameters');
}

function schemaNodeError(node: unknown, path: string): string | null {
  if (!isRecord(node)) return typeof node === 'boolean' ? null : `"${path}" is no schema.`;
  const types = Array.isArray(node['type'])
    ? (node['type'] as unknown[])
    : node['type'] === undefined
      ? []
      : [node['type']];
  const unknown = types.find((type) => typeof type !== 'string' || !SCHEMA_TYPES.has(type));
  if (unknown !== undefined) return `"${path}.type" has the unknown value ${JSON.stringify(unknown)}.`;
  if (types.includes('array') && node['items'] === undefined && node['prefixItems'] === undefined)
    return `"${path}" is an array without "items".`;
  const properties = isRecord(node['properties']) ? node['properties'] : {};
  const required = Array.isArray(node['required']) ? (node['required'] as unknown[]) : [];
  const missing = required.find((name) => typeof name !== 'string' || !(name in properties));
  if (missing !== undefined)
    return `"${path}.required" names ${JSON.stringify(missing)}, which "properties" lacks.`;
  const children: [string, unknown][] = Object.entries(properties).map(([name, child]) => [
    `${path}.properties.${name}`,
    child,
  ]);
  if (node['items'] !== undefined) children.push([`${path}.items`, node['items']]);
  for (const [childPath, child] of children) {
    const reason = schemaNodeError(child, childPath);
    if (reason !== null) return reason;
  }
  return null;
}

function apiError(message: string, code: string, param: string): ApiError {
  return { status: 400, message, code, param };
}

function refused(status: number, message: string, code: string, param: string): CheckedRequest {
  return { kind: 'refused', error: { status, message, code, param } };
}
