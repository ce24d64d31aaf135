/**
 * What passes the door of an agent's room: one endpoint, three words to it, and nothing that would make the endpoint reach
 * further than its own model. Pure.
 *
 *  F1. Only the paths of the three protocols, by POST; everything else is refused without a word going out.
 *  F2. The model is the order's. A larger answer than the cap allows is not asked for.
 *  F3. Tools that the endpoint itself would carry out, servers that it would call and addresses that it would fetch are a
 *      way out of the room: refused, whatever their name.
 */
import type { ModelProtocol } from '../ports/agent-driver.ts';
import type { ModelUsage } from '../../schemas/model.ts';

export type DoorPath =
  | { readonly kind: 'call'; readonly protocol: ModelProtocol; readonly upstream: string }
  | { readonly kind: 'models' }
  | { readonly kind: 'count_tokens' }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string };

const CALLS: Readonly<Record<string, { readonly protocol: ModelProtocol; readonly upstream: string }>> = {
  '/v1/messages': { protocol: 'anthropic', upstream: '/messages' },
  '/v1/responses': { protocol: 'responses', upstream: '/responses' },
  '/v1/chat/completions': { protocol: 'chat', upstream: '/chat/completions' },
};

/** Where a request goes. The target is taken letter by letter: no decoding, no dot segments, no absolute form. */
export function doorPath(method: string, target: string, protocol: ModelProtocol | null): DoorPath {
  const [path, query] = splitOnce(target);
  if (method === 'GET' && path === '/v1/models' && query === '') return { kind: 'models' };
  if (method === 'POST' && path === '/v1/messages/count_tokens' && isHarmless(query))
    return { kind: 'count_tokens' };
  const call = Object.hasOwn(CALLS, path) ? CALLS[path] : undefined;
  if (call === undefined || !isHarmless(query))
    return refused(
      404,
      `This door leads to a model only: ${method.slice(0, 10)} ${target.slice(0, 200)} is not part of it`,
    );
  if (method !== 'POST') return refused(405, `${method.slice(0, 10)} is not allowed here`);
  if (protocol !== null && call.protocol !== protocol)
    return refused(404, `This order's agent speaks ${protocol} to its model, not ${call.protocol}`);
  return { kind: 'call', ...call };
}

/** Claude Code adds `beta=true`. */
function isHarmless(query: string): boolean {
  return query === '' || query === 'beta=true';
}

function splitOnce(target: string): [string, string] {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}

function refused(status: number, message: string): DoorPath {
  return { kind: 'refused', status, message };
}

export type DoorBody =
  | {
      readonly kind: 'ok';
      readonly body: Readonly<Record<string, unknown>>;
      readonly maxOutputTokens: number;
    }
  | { readonly kind: 'refused'; readonly message: string };

const DEPTH_MAX = 64;

/** The body as it goes out. */
export function doorBody(
  body: unknown,
  protocol: ModelProtocol,
  model: { readonly id: string; readonly maxOutputTokens: number },
): DoorBody {
  if (!isRecord(body)) return { kind: 'refused', message: 'The body must be a JSON object' };
  const reach = reachOf(body, protocol);
  if (reach !== null) return { kind: 'refused', message: reach };
  const field =
    protocol === 'anthropic' ? 'max_tokens' : protocol === 'responses' ? 'max_output_tokens' : maxField(body);
  const asked = body[field];
  const wanted =
    typeof asked === 'number' && asked > 0 ? Math.min(asked, model.maxOutputTokens) : model.maxOutputTokens;
  const isStream = body['stream'] === true;
  return {
    kind: 'ok',
    maxOutputTokens: wanted,
    body: {
      ...body,
      model: model.id,
      [field]: wanted,
      ...(protocol === 'responses' ? { store: false } : {}),
      ...(protocol === 'chat' && isStream ? { stream_options: { include_usage: true } } : {}),
    },
  };
}

function maxField(body: Readonly<Record<string, unknown>>): string {
  return 'max_completion_tokens' in body ? 'max_completion_tokens' : 'max_tokens';
}

/** Types of tools that the agent itself carries out; every other type is the endpoint's. */
const OWN_TOOLS =
  /^(?:function|custom|local_shell|shell|apply_patch|bash_\d+|text_editor_\d+|computer_\d+|memory_\d+)$/;
const REACHING_FIELDS = [
  'mcp_servers',
  'container',
  'background',
  'web_search_options',
  'file_ids',
  'conversation',
  'prompt',
  'plugins',
];

function reachOf(body: Readonly<Record<string, unknown>>, protocol: ModelProtocol): string | null {
  const field = REACHING_FIELDS.find((name) => isAsked(body[name]));
  if (field !== undefined) return `"${field}" would let the endpoint reach further than its model`;
  const tools = Array.isArray(body['tools']) ? (body['tools'] as unknown[]) : [];
  for (const tool of tools) {
    const type = isRecord(tool) ? tool['type'] : null;
    if (type === undefined && protocol === 'anthropic') continue;
    if (typeof type === 'string' && type === 'namespace') {
      const inner = reachOf({ tools: isRecord(tool) ? tool['tools'] : [] }, protocol);
      if (inner !== null) return inner;
      continue;
    }
    if (typeof type !== 'string' || !OWN_TOOLS.test(type))
      return `A tool of type "${String(type).slice(0, 60)}" is carried out by the endpoint`;
  }
  return addressIn([body['messages'], body['input'], body['system'], body['instructions']], 0);
}

function isAsked(value: unknown): boolean {
  return (
    value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
  );
}

/** A picture or file by address: the endpoint would fetch it, and its address can say anything. */
function addressIn(value: unknown, depth: number): string | null {
  if (depth > DEPTH_MAX) return 'The body is nested too deeply';
  if (Array.isArray(value)) {
    for (const each of value) {
      const found = addressIn(each, depth + 1);
      if (found !== null) return found;
    }
    return null;
  }
  if (!isRecord(value)) return null;
  for (const [name, child] of Object.entries(value)) {
    const url = isRecord(child) ? child['url'] : child;
    const isPlace = /^(?:image_url|file_url|url|audio_url|video_url)$/.test(name);
    // What a tool was asked or answered is text to the endpoint; there `url` is a word like any other.
    if (name === 'input' && isRecord(child) && value['type'] === 'tool_use') continue;
    if (isPlace && typeof url === 'string' && !/^data:/i.test(url))
      return `"${name}" is an address that the endpoint would fetch`;
    if (name === 'file_id') return '"file_id" names a file at the endpoint';
    const found = addressIn(child, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** Tokens that a part of an answer tells of; null where it tells none. */
export function usageIn(part: unknown, protocol: ModelProtocol): Partial<ModelUsage> | null {
  if (!isRecord(part)) return null;
  const holder =
    protocol === 'anthropic'
      ? (part['message'] ?? part)
      : protocol === 'responses'
        ? (part['response'] ?? part)
        : part;
  const usage = isRecord(holder) ? holder['usage'] : null;
  if (!isRecord(usage)) return null;
  const number = (name: string): number | undefined => {
    const value = usage[name];
    return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
  };
  if (protocol === 'chat')
    return clean({ inputTokens: number('prompt_tokens'), outputTokens: number('completion_tokens') });
  const own = number('input_tokens');
  const cached = (number('cache_creation_input_tokens') ?? 0) + (number('cache_read_input_tokens') ?? 0);
  return clean({
    inputTokens: own === undefined ? undefined : own + (protocol === 'anthropic' ? cached : 0),
    outputTokens: number('output_tokens'),
  });
}

function clean(usage: {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}): Partial<ModelUsage> {
  return {
    ...(usage.inputTokens === undefined ? {} : { inputTokens: usage.inputTokens }),
    ...(usage.outputTokens === undefined ? {} : { outputTokens: usage.outputTokens }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
