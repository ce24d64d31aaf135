/**
 * The body of a call as it leaves an agent's room. Pure.
 *
 *  F3. Fields, tools and parts of messages are passed by name: what has no name here does not go out, whatever it is. An
 *      unknown field is left out; a tool that the endpoint would carry out, or a part that it would fetch, is refused.
 *  F4. The model is the order's. A larger answer than the cap allows is not asked for, nor several at once, nor at a higher
 *      price (`n`, `service_tier`, …): the worst case of a call is known before it is sent.
 */
import type { ModelProtocol } from '../ports/agent-driver.ts';
import { isRecord } from '../text/is-record.ts';
import { partsProblem } from './door-parts.ts';
import { hiddenTokens } from './door-tokens.ts';
import { toolsProblem } from './door-tools.ts';

export type DoorBody =
  | {
      readonly kind: 'ok';
      readonly body: Readonly<Record<string, unknown>>;
      readonly maxOutputTokens: number;
      /** Tokens of the question that its bytes do not bound. */
      readonly hiddenTokens: number;
      /** Names of fields that were left out. */
      readonly dropped: readonly string[];
    }
  | { readonly kind: 'refused'; readonly message: string };

const EVERYWHERE = 'model tools tool_choice stream temperature top_p metadata';

const FIELDS: Readonly<Record<ModelProtocol, ReadonlySet<string>>> = {
  anthropic: words(
    `${EVERYWHERE} messages max_tokens system top_k stop_sequences thinking output_config output_format cache_control context_management`,
  ),
  responses: words(
    `${EVERYWHERE} input instructions max_output_tokens parallel_tool_calls reasoning text truncation include prompt_cache_key user`,
  ),
  chat: words(
    `${EVERYWHERE} messages max_tokens max_completion_tokens parallel_tool_calls seed stop user response_format frequency_penalty presence_penalty logit_bias reasoning_effort reasoning thinking enable_thinking chat_template_kwargs verbosity prompt_cache_key`,
  ),
};

/** Not only left out: whoever asks for one of these expects more of the endpoint than words. */
const REACHING = words(
  'mcp_servers container background web_search_options file_ids conversation prompt plugins previous_response_id',
);

/** Says nothing about the question: differs between two attempts of the same one. */
const VOLATILE = words('metadata prompt_cache_key user');

/** The body as it goes out. */
export function doorBody(
  body: unknown,
  protocol: ModelProtocol,
  model: { readonly id: string; readonly maxOutputTokens: number },
): DoorBody {
  if (!isRecord(body)) return { kind: 'refused', message: 'The body must be a JSON object' };
  const problem = reachProblem(body) ?? toolsProblem(body['tools'], protocol) ?? saidProblem(body, protocol);
  if (problem !== null) return { kind: 'refused', message: problem };
  const field =
    protocol === 'anthropic' ? 'max_tokens' : protocol === 'responses' ? 'max_output_tokens' : maxField(body);
  const asked = body[field];
  const wanted =
    typeof asked === 'number' && asked >= 1
      ? Math.min(Math.floor(asked), model.maxOutputTokens)
      : model.maxOutputTokens;
  // Both names of the bound at once would leave one of them unbounded.
  const isPassed = (name: string): boolean =>
    FIELDS[protocol].has(name) && !(name === 'max_tokens' && field !== 'max_tokens');
  const isStream = body['stream'] === true;
  return {
    kind: 'ok',
    maxOutputTokens: wanted,
    hiddenTokens: hiddenTokens(body, protocol),
    dropped: Object.keys(body).filter((name) => !isPassed(name)),
    body: {
      ...Object.fromEntries(Object.entries(body).filter(([name]) => isPassed(name))),
      model: model.id,
      [field]: wanted,
      ...(protocol === 'responses' ? { store: false } : {}),
      ...(protocol === 'chat' && isStream ? { stream_options: { include_usage: true } } : {}),
    },
  };
}

/** What two attempts of the same question have in common, so that an answer that is paid for is found again. */
export function questionOf(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !VOLATILE.has(name)));
}

function maxField(body: Readonly<Record<string, unknown>>): string {
  return 'max_completion_tokens' in body ? 'max_completion_tokens' : 'max_tokens';
}

function reachProblem(body: Readonly<Record<string, unknown>>): string | null {
  const field = Object.keys(body).find((name) => REACHING.has(name) && isAsked(body[name]));
  return field === undefined
    ? null
    : `"${field}" would let the endpoint reach further than its model: leave it out`;
}

function isAsked(value: unknown): boolean {
  return (
    value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
  );
}

function saidProblem(body: Readonly<Record<string, unknown>>, protocol: ModelProtocol): string | null {
  const names = protocol === 'responses' ? ['input', 'instructions'] : ['system', 'messages'];
  for (const name of names) {
    const problem = partsProblem(body[name], protocol);
    if (problem !== null) return problem;
  }
  return null;
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}
