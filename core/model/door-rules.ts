/**
 * What passes the door of an agent's room: one endpoint, three words to it, and nothing that would make the endpoint reach
 * further than its own model. Pure.
 *
 *  F1. Only the paths of the three protocols, by POST; everything else is refused without a word going out.
 *  F2. Of a body only what is named in `door-body.ts` goes on.
 */
import type { ModelProtocol } from '../ports/agent-driver.ts';

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
export function doorPath(method: string, target: string, protocol: ModelProtocol | 'any' | null): DoorPath {
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
  if (protocol !== null && protocol !== 'any' && call.protocol !== protocol)
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
