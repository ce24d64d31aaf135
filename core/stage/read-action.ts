/** A manager's answer as one action, or why it is none; the reason goes back as `last_error`. */
import { ManagerAction } from '../../schemas/actions.ts';
import type { StoredAnswer } from '../../schemas/model.ts';
import { looseObject } from '../text/loose-json.ts';
import { strictJson } from '../text/strict-json.ts';

export type ReadAction =
  | { readonly kind: 'action'; readonly action: ManagerAction }
  | { readonly kind: 'garbage'; readonly text: string; readonly reason: string };

const TEXT_MAX_CHARS = 2_000;
const CUT = 'the answer was cut at its limit of output tokens (max_tokens): answer with less text';

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
  if (call === undefined)
    return garbage(
      answer.finishReason === 'length' ? CUT : 'there is no tool call: call submit_action exactly once',
    );
  if (calls.length > 1)
    return garbage(`there are ${String(calls.length)} tool calls: call submit_action exactly once`);
  if (call.function.name !== 'submit_action')
    return garbage(`there is no tool "${call.function.name}": call submit_action`);
  const isCut = answer.finishReason === 'length';
  const json = isCut ? strictJson(call.function.arguments) : looseObject(call.function.arguments);
  if (json === undefined)
    return garbage(isCut ? CUT : 'the arguments are not valid JSON: send one JSON object');
  const parsed = ManagerAction.safeParse(json);
  if (parsed.success) return { kind: 'action', action: parsed.data };
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`,
  );
  return garbage(problems.join('; ').slice(0, TEXT_MAX_CHARS));
}
