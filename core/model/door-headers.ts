/** Headers of a room's request that go on, by name; of an endpoint's previews those that change neither price nor reach. Pure. */
import type { ModelProtocol } from '../ports/agent-driver.ts';

export interface PassedHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** What was asked for and does not go out. */
  readonly dropped: readonly string[];
}

/**
 * Previews that change the form of a question or an answer. Not here, hence left out: a longer context and a faster mode (dearer by
 * token), another model in its place, tools, files, servers and memories of the endpoint.
 */
const PREVIEWS = new Set(
  (
    'claude-code claude-code-side-query interleaved-thinking redact-thinking thinking-token-count thinking-display-updates ' +
    'thinking-resumption thinking-binding-controls context-management prompt-caching-scope prompt-caching-evict ' +
    'extended-cache-ttl effort structured-outputs fine-grained-tool-streaming token-efficient-tools computer-use ' +
    'mid-conversation-system mid-conversation-system-clear-at'
  ).split(' '),
);
const VALUE_CHARS_MAX = 1000;

type Values = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What goes on of the room's own headers. */
export function passedHeaders(values: Values, protocol: ModelProtocol): PassedHeaders {
  const valueOf = (name: string): string => {
    const value = values[name];
    return typeof value === 'string' && value.length < VALUE_CHARS_MAX ? value : '';
  };
  const headers: Record<string, string> = {};
  const accept = valueOf('accept');
  if (accept !== '') headers['accept'] = accept;
  if (protocol !== 'anthropic') {
    if (valueOf('openai-beta') === 'responses=experimental')
      headers['openai-beta'] = 'responses=experimental';
    return { headers, dropped: [] };
  }
  const version = valueOf('anthropic-version');
  if (/^\d{4}-\d\d-\d\d$/.test(version)) headers['anthropic-version'] = version;
  const asked = valueOf('anthropic-beta')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const passed = asked.filter((each) => PREVIEWS.has(each.replace(/-\d{4}-\d\d-\d\d$/, '')));
  if (passed.length > 0) headers['anthropic-beta'] = passed.join(',');
  return {
    headers,
    dropped: asked.filter((each) => !passed.includes(each)).map((each) => `anthropic-beta ${each}`),
  };
}
