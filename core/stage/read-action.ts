/** A manager's answer as one action, or why it is none. Nothing is coerced; the reason goes back as `last_error`. */
import { ManagerAction } from '../../schemas/actions.ts';
import type { StoredAnswer } from '../../schemas/model.ts';

export type ReadAction =
  | { readonly kind: 'action'; readonly action: ManagerAction }
  | { readonly kind: 'garbage'; readonly text: string; readonly reason: string };

const TEXT_MAX_CHARS = 2_000;

/** Exactly one call of `submit_action` with valid parameters is an action. */
export function readAction(answer: StoredAnswer): ReadAction {
  const calls = answer.message.tool_calls ?? [];
  const text = (answer.garbage ?? answer.message.content ?? calls[0]?.function.arguments ?? '').slice(
    0,
    TEXT_MAX_CHARS,
  );
  const garbage = (reason: string): ReadAction => ({ kind: 'garbage', text, reason });
  if (answer.garbage !== null) return garbage('the answer is no chat completion');
  const [call] = calls;
  if (call === undefined) return garbage('there is no tool call: call submit_action exactly once');
  if (calls.length > 1)
    return garbage(`there are ${String(calls.length)} tool calls: call submit_action exactly once`);
  if (call.function.name !== 'submit_action')
    return garbage(`there is no tool "${call.function.name}": call submit_action`);
  const json = parseJson(call.function.arguments);
  if (json === undefined) return garbage('the arguments are not valid JSON');
  const parsed = ManagerAction.safeParse(json);
  if (parsed.success) return { kind: 'action', action: parsed.data };
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`,
  );
  return garbage(problems.join('; ').slice(0, TEXT_MAX_CHARS));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
