/** Activity `runTools`: the tool calls of one message, in their order, on the shadow tree; stored by turn (design part 7). */
import { heartbeat } from '@temporalio/activity';
import type { SessionLogLine, Session, Sessions } from '../../core/ports/session.ts';
import type { SymbolsPort } from '../../core/ports/symbols.ts';
import { writeGlobs } from '../../core/projection/paths.ts';
import { type ReadCall, readCalls } from '../../core/runtime/read-answer.ts';
import { RunToolsResult, type RunToolsInput } from '../../schemas/agent-io.ts';
import type { ChatMessage, StoredAnswer } from '../../schemas/model.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { shadowRef, turnKey } from '../shared/coordinates.ts';
import { extendTranscript, readAnswer } from '../shared/transcript.ts';
import { contractOf } from '../shared/trees.ts';
import { lintText } from './lint.ts';
import { stateText } from './state-text.ts';
import { toolsFor } from './tools-for.ts';

export interface RunToolsPorts {
  readonly sessions: Sessions;
  readonly symbols: SymbolsPort;
}

interface ToolTurn {
  tree: string;
  readonly messages: ChatMessage[];
  readonly log: SessionLogLine[];
}

/** Runs every call but `run_test` and `submit_pr`, which the gate answers; a retry finds the stored result. */
export async function runTools(ports: RunToolsPorts, input: RunToolsInput): Promise<RunToolsResult> {
  const session = await ports.sessions.open(input.at.sessionDir);
  const key = turnKey(input.at, input.turn);
  const known = await session.results.get(key, 'tools', RunToolsResult);
  if (known !== null) return known;
  return withHeartbeat(heartbeat, () => runFresh(ports, session, input, key));
}

async function runFresh(
  ports: RunToolsPorts,
  session: Session,
  input: RunToolsInput,
  key: string,
): Promise<RunToolsResult> {
  const answer = await readAnswer(session.objects, input.answerRef);
  const calls = readCalls(answer, toolsFor(input.at.role));
  const turn: ToolTurn = { tree: input.tree, messages: [assistantMessage(answer)], log: [] };
  for (const [index, call] of calls.entries())
    await runCall(ports, session, input, turn, call, index, answer);
  if (calls.length === 0)
    turn.messages.push({ role: 'user', content: silentText(answer, input.silentTurnsLeft) });
  // Both are on disk before the result that names them; they wait for it at once.
  const [head] = await Promise.all([
    extendTranscript(session.objects, input.head, input.turn, turn.messages),
    turn.tree === input.tree ? null : session.trees.keep(shadowOf(input), turn.tree),
  ]);
  await session.log.append(input.at.nodeId, input.at.dispatchId, turn.log);
  return session.results.putFirst(key, 'tools', RunToolsResult, {
    tree: turn.tree,
    head,
    ...deferred(calls),
  });
}

async function runCall(
  ports: RunToolsPorts,
  session: Session,
  input: RunToolsInput,
  turn: ToolTurn,
  call: ReadCall,
  index: number,
  answer: StoredAnswer,
): Promise<void> {
  const text = await resultText(ports, session, input, turn, call);
  const raw = answer.message.tool_calls?.[index]?.function;
  const type = call.kind === 'thought' ? ('thought' as const) : ('tool_call' as const);
  const args = (raw?.arguments ?? '').slice(0, LOGGED_ARGUMENT_CHARS);
  turn.log.push({
    key: `t${String(input.turn)}.${String(index)}`,
    type,
    data: { tool: raw?.name ?? '', args, result: text?.slice(0, LOGGED_RESULT_CHARS) ?? null },
  });
  if (text !== null) turn.messages.push({ role: 'tool', tool_call_id: call.callId, content: text });
}

const LOGGED_ARGUMENT_CHARS = 2_000;
const LOGGED_RESULT_CHARS = 500;

/** Text for the model; null where the gate answers later. */
async function resultText(
  ports: RunToolsPorts,
  session: Session,
  input: RunToolsInput,
  turn: ToolTurn,
  call: ReadCall,
): Promise<string | null> {
  switch (call.kind) {
    case 'invalid':
      return call.message;
    case 'thought':
      return 'Noted.';
    case 'state':
      return stateText(session, input, turn.tree);
    case 'lint':
      return lintText(ports.symbols, session, input.at, turn.tree, call.paths);
    case 'file': {
      const contract = await contractOf(session, input.at.nodeId);
      const writeSet = input.at.role === 'analyst' ? [] : writeGlobs(contract, input.at.role);
      const mayWriteConftest = input.at.role === 'test_author';
      const result = await session.files.run(turn.tree, { writeSet, mayWriteConftest }, call.call);
      turn.tree = result.tree;
      return result.text;
    }
    case 'submit':
      return call.input.suspension === undefined
        ? null
        : 'You are suspended; the task goes back with your reason.';
    case 'test':
      return null;
  }
}

function deferred(calls: readonly ReadCall[]): Pick<RunToolsResult, 'submit' | 'tests' | 'suspension'> {
  const submit = calls.find((call) => call.kind === 'submit');
  const suspension = submit?.input.suspension ?? null;
  return {
    submit: submit !== undefined && suspension === null,
    tests: calls.filter((call) => call.kind === 'test').length,
    suspension,
  };
}

/** The model's own message as it must be sent back: what is no completion is shown to it as its own text. */
function assistantMessage(answer: StoredAnswer): ChatMessage {
  const { message } = answer;
  if (message.tool_calls !== undefined) return message;
  return { role: 'assistant', content: message.content ?? '' };
}

function silentText(answer: StoredAnswer, silentTurnsLeft: number): string {
  const why =
    answer.garbage === null
      ? 'Your message held no tool call'
      : 'Your answer could not be read as a completion';
  const end = `${String(silentTurnsLeft)} more message${silentTurnsLeft === 1 ? '' : 's'} like this end the task.`;
  return `${why}. Call at least one tool; when the work is done, call submit_pr. ${end}`;
}

function shadowOf({ at, turn }: RunToolsInput): string {
  return shadowRef(at, `t${String(turn)}`);
}
