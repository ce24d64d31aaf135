/** What an answer asks for: checked tool calls, deferred ones, and what cannot be run; pure reading. */
import type { z } from 'zod';
import {
  AGENT_TOOLS,
  type AgentToolName,
  type FileToolCall,
  FILE_TOOLS,
  SubmitPrInput,
} from '../../schemas/agent-tools.ts';
import type { StoredAnswer } from '../../schemas/model.ts';
import type { Suspension } from '../../schemas/submit-pr.ts';
import { looseObject } from '../text/loose-json.ts';
import { strictJson } from '../text/strict-json.ts';
import { plainToolName, toolOfWord } from '../text/tool-name.ts';
import { cutCallText } from './cut-answer.ts';
import { relevantInput } from './read-input.ts';

export type ReadCall =
  | { readonly kind: 'file'; readonly callId: string; readonly call: FileToolCall }
  | {
      readonly kind: 'thought';
      readonly callId: string;
      readonly input: z.infer<(typeof AGENT_TOOLS)['record_thought']>;
    }
  | { readonly kind: 'state'; readonly callId: string }
  | { readonly kind: 'lint'; readonly callId: string; readonly paths: readonly string[] | null }
  | { readonly kind: 'test'; readonly callId: string }
  | { readonly kind: 'submit'; readonly callId: string; readonly input: SubmitPrInput }
  | { readonly kind: 'suspend'; readonly callId: string; readonly suspension: Suspension }
  | { readonly kind: 'invalid'; readonly callId: string; readonly name: string; readonly message: string };

/** Characters of a problem list that go back to the model. */
const PROBLEM_CHARS_MAX = 1_500;

/** Calls of an answer in their order. `allowed` are the tools of the role. */
export function readCalls(answer: StoredAnswer, allowed: readonly AgentToolName[]): readonly ReadCall[] {
  const calls = answer.message.tool_calls ?? [];
  return calls.map((call, index) => {
    const isCut = answer.finishReason === 'length' && index === calls.length - 1;
    return readCall(call.id, call.function.name, call.function.arguments, { allowed, isCut });
  });
}

interface HowToRead {
  readonly allowed: readonly AgentToolName[];
  /** The answer ended at its limit within or behind this call. */
  readonly isCut: boolean;
}

function readCall(callId: string, said: string, text: string, { allowed, isCut }: HowToRead): ReadCall {
  const sent = isCut ? strictJson(text) : readArguments(text);
  const tool = toolOfWord(said, allowed) ?? handsIn(said, allowed) ?? toolOfShape(allowed, sent);
  const name = tool ?? plainToolName(said);
  if (tool === undefined) {
    return {
      kind: 'invalid',
      callId,
      name,
      message: `There is no tool "${name}". Tools: ${allowed.join(', ')}.`,
    };
  }
  if (sent === undefined) {
    if (isCut) return { kind: 'invalid', callId, name, message: cutCallText(name) };
    return {
      kind: 'invalid',
      callId,
      name,
      message: `The arguments of ${name} are not valid JSON. Send one JSON object.`,
    };
  }
  const json = relevantInput(tool, sent);
  const parsed = AGENT_TOOLS[tool].safeParse(json);
  if (!parsed.success) {
    const problems = parsed.error.issues
      .map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`)
      .join('\n');
    const message = `The arguments of ${name} do not fit:\n${problems.slice(0, PROBLEM_CHARS_MAX)}`;
    return { kind: 'invalid', callId, name, message };
  }
  return checkedCall(callId, tool, json);
}

function checkedCall(callId: string, tool: AgentToolName, json: unknown): ReadCall {
  switch (tool) {
    case 'record_thought':
      return { kind: 'thought', callId, input: AGENT_TOOLS.record_thought.parse(json) };
    case 'get_current_state':
      return { kind: 'state', callId };
    case 'run_lint':
      return { kind: 'lint', callId, paths: AGENT_TOOLS.run_lint.parse(json).paths ?? null };
    case 'run_test':
      return { kind: 'test', callId };
    case 'submit_pr':
      return { kind: 'submit', callId, input: SubmitPrInput.parse(json) };
    case 'suspend': {
      const { type, detail } = AGENT_TOOLS.suspend.parse(json);
      return { kind: 'suspend', callId, suspension: { type, detail } };
    }
    default:
      return { kind: 'file', callId, call: fileCall(tool, json) };
  }
}

function fileCall(tool: AgentToolName, json: unknown): FileToolCall {
  const name = FILE_TOOLS.find((each) => each === tool);
  if (name === undefined) throw new RangeError(`Cannot run "${tool}" as a file tool`);
  // The pair was checked by the schema of the same name one step before; the union cannot express that.
  return { tool: name, input: AGENT_TOOLS[name].parse(json) } as FileToolCall;
}

/** A tool of another name whose arguments fit one alone: `create_file` with path and content is `write_file`. */
function toolOfShape(allowed: readonly AgentToolName[], sent: unknown): AgentToolName | undefined {
  const fitting = allowed.filter((each) => {
    const fields: readonly z.ZodType[] = Object.values(AGENT_TOOLS[each].shape);
    const needed = fields.filter((field) => !field.safeParse(undefined).success);
    return needed.length > 1 && AGENT_TOOLS[each].safeParse(relevantInput(each, sent)).success;
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** What other agents' tools for "I am done" are called. */
const DONE =
  /^(?:finish|finished|done|complete|completed|(?:complete|finish)_task|task_(?:complete|done)|attempt_completion)$/u;

function handsIn(said: string, allowed: readonly AgentToolName[]): AgentToolName | undefined {
  return DONE.test(plainToolName(said)) ? allowed.find((each) => each === 'submit_pr') : undefined;
}

/** JSON, or what is nearly JSON; nothing at all, or words without any bracket, are no arguments. */
function readArguments(text: string): unknown {
  return /[{[]/u.test(text) ? (looseObject(text) ?? strictJson(text)) : (strictJson(text) ?? {});
}
