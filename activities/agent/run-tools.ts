/** Activity `runTools`: the tool calls of one message, in their order, on the shadow tree; stored by turn (design part 7). */
import { heartbeat } from '@temporalio/activity';
import type { SessionLogLine, Session, Sessions } from '../../core/ports/session.ts';
import type { ModelDirectory } from '../../core/ports/model-directory.ts';
import type { SymbolsPort } from '../../core/ports/symbols.ts';
import { writeGlobs } from '../../core/projection/paths.ts';
import { givesUp } from '../../core/runtime/give-up.ts';
import { cutNote } from '../../core/runtime/cut-answer.ts';
import { type ReadCall, readCalls } from '../../core/runtime/read-answer.ts';
import { type Before, nextCall, submitCall } from '../../core/shadow/next-call.ts';
import { RunToolsResult, type RunToolsInput } from '../../schemas/agent-io.ts';
import type { ChatMessage, StoredAnswer } from '../../schemas/model.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { shadowRef, turnKey } from '../shared/coordinates.ts';
import { extendTranscript, readAnswer, readTranscript } from '../shared/transcript.ts';
import { contractOf } from '../shared/trees.ts';
import { lintText } from './lint.ts';
import { stateText } from './state-text.ts';
import { type Told, toldText } from './told-text.ts';
import { toolsFor } from './tools-for.ts';
import { workOf } from './work-of.ts';

export interface RunToolsPorts {
  readonly sessions: Sessions;
  readonly symbols: SymbolsPort;
  readonly models: ModelDirectory;
}

interface ToolTurn extends Told {
  tree: string;
  readonly messages: ChatMessage[];
  readonly log: SessionLogLine[];
  submit: boolean;
  /** Its files are there and it gave up: it was asked whether it means that. */
  gaveUp: boolean;
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
  const began = performance.now();
  const answer = await readAnswer(session.objects, input.answerRef);
  const calls = readCalls(answer, toolsFor(input.at.role));
  const turn: ToolTurn = {
    tree: input.tree,
    messages: [assistantMessage(answer)],
    log: [],
    submit: false,
    suspension: null,
    gaveUp: false,
    repeated: null,
    before: await readTranscript(session.objects, input.head),
  };
  // What ends a task counts after all that is done before it (design part 7).
  const isLast = ({ kind }: ReadCall): boolean => kind === 'submit' || kind === 'suspend';
  const numbered = calls.map((call, index) => ({ call, index }));
  for (const each of [
    ...numbered.filter(({ call }) => !isLast(call)),
    ...numbered.filter(({ call }) => isLast(call)),
  ])
    await runCall(ports, session, input, turn, each.call, each.index, answer);
  if (calls.length === 0)
    turn.messages.push({ role: 'user', content: await silentText(session, answer, input) });
  // Both are on disk before the result that names them; they wait for it at once.
  const [head] = await Promise.all([
    extendTranscript(session.objects, input.head, input.turn, turn.messages),
    turn.tree === input.tree ? null : session.trees.keep(shadowOf(input), turn.tree),
  ]);
  await session.log.append(input.at.nodeId, input.at.dispatchId, turn.log);
  return session.results.putFirst(key, 'tools', RunToolsResult, {
    tree: turn.tree,
    head,
    submit: turn.submit && turn.suspension === null,
    tests: calls.filter((call) => call.kind === 'test').length,
    suspension: turn.suspension,
    ...(turn.gaveUp && { gaveUp: true as const }),
    ...(turn.repeated !== null && { repeated: turn.repeated }),
    elapsedMs: Math.round(performance.now() - began),
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
  const raw = answer.message.tool_calls?.[index]?.function;
  const said = isEnd(call)
    ? await endText(session, input, turn, call)
    : await resultText(ports, session, input, turn, call);
  const isLast = index === (answer.message.tool_calls?.length ?? 0) - 1;
  const text =
    said === null || raw === undefined
      ? said
      : await toldText(ports.models, input, turn, { call: raw, text: said, isLast });
  const type = call.kind === 'thought' ? ('thought' as const) : ('tool_call' as const);
  const args = (raw?.arguments ?? '').slice(0, LOGGED_ARGUMENT_CHARS);
  turn.log.push({
    key: `t${String(input.turn)}.${String(index)}`,
    type,
    data: { tool: raw?.name ?? '', args, result: text?.slice(0, LOGGED_RESULT_CHARS) ?? null },
  });
  if (text !== null) turn.messages.push({ role: 'tool', tool_call_id: call.callId, content: text });
}

type EndCall = Extract<ReadCall, { kind: 'submit' | 'suspend' }>;

function isEnd(call: ReadCall): call is EndCall {
  return call.kind === 'submit' || call.kind === 'suspend';
}

const LOGGED_ARGUMENT_CHARS = 2_000;
const LOGGED_RESULT_CHARS = 500;

/** What a tool says, and the next useful call; null where the gate answers later. */
async function resultText(
  ports: RunToolsPorts,
  session: Session,
  input: RunToolsInput,
  turn: ToolTurn,
  call: Exclude<ReadCall, EndCall>,
): Promise<string | null> {
  if (call.kind === 'test') return null;
  const said = await saidText(ports, session, input, turn, call);
  return `${said}\n${nextCall(await workOf(session, input.at, turn.tree), beforeOf(call, said))}`;
}

async function saidText(
  ports: RunToolsPorts,
  session: Session,
  input: RunToolsInput,
  turn: ToolTurn,
  call: Exclude<ReadCall, EndCall | { kind: 'test' }>,
): Promise<string> {
  switch (call.kind) {
    case 'invalid':
      return call.message;
    case 'thought':
      return 'Noted.';
    case 'state':
      return stateText(session, input, turn.tree, turn.before);
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
  }
}

/** A file that was read can be edited by the hash that its header shows; one that changed since is to be read again. */
function beforeOf(call: ReadCall, said: string): Before {
  if (call.kind === 'invalid' && call.name === 'write_file') return { kind: 'unwritten', path: null };
  if (call.kind !== 'file') return { kind: 'other' };
  const { tool, input } = call.call;
  if (tool === 'write_file' && said.startsWith('Cannot write '))
    return { kind: 'unwritten', path: input.path };
  if (tool === 'edit_file' || tool === 'edit_files') {
    const path = /^Cannot edit "(.+)": its content_hash is /u.exec(said)?.[1];
    return path === undefined ? { kind: 'other' } : { kind: 'stale', path };
  }
  if (tool !== 'read_file' && tool !== 'preview_file') return { kind: 'other' };
  const hash = /^path: .*\ncontent_hash: ([0-9a-f]{16})\n/u.exec(said)?.[1];
  return hash === undefined ? { kind: 'other' } : { kind: 'read', path: input.path, hash };
}

/** Completion or giving up. Who gives up while its files are there is asked once; the same again hands them in. */
async function endText(
  session: Session,
  input: RunToolsInput,
  turn: ToolTurn,
  call: EndCall,
): Promise<string | null> {
  const work = await workOf(session, input.at, turn.tree);
  const wish = call.kind === 'suspend' ? call.suspension : givesUp(call.input);
  if (wish === null) {
    turn.submit = true;
    return null;
  }
  const isQuestion = call.kind === 'suspend' && call.suspension.type === 'far';
  if (work.files.length > 0 && !isQuestion) {
    if (input.gaveUp !== true) {
      turn.gaveUp = true;
      return [
        `You give the task back, but your files are there: ${work.files.slice(0, FILES_SHOWN_MAX).join(', ')}`,
        `Next, if they are complete: ${submitCall(work)}; if you cannot go on: suspend {"type": "near", "detail": "..."}`,
      ].join('\n');
    }
    if (call.kind === 'submit') {
      turn.submit = true;
      return null;
    }
  }
  if (wish.detail === '') {
    return `Say why you cannot go on: suspend {"type": "near", "detail": "..."}\n${nextCall(work)}`;
  }
  turn.suspension = { type: wish.type, detail: wish.detail };
  return 'You are suspended; the task goes back with your reason.';
}

const FILES_SHOWN_MAX = 10;

/** The model's own message as it must be sent back: what is no completion is shown to it as its own text. */
function assistantMessage(answer: StoredAnswer): ChatMessage {
  const { message } = answer;
  if (message.tool_calls !== undefined) return message;
  return { role: 'assistant', content: message.content ?? '' };
}

async function silentText(session: Session, answer: StoredAnswer, input: RunToolsInput): Promise<string> {
  const { silentTurnsLeft, cut } = input;
  const why =
    answer.garbage === null
      ? 'Your message held no tool call'
      : 'Your answer could not be read as a completion';
  const end = `${String(silentTurnsLeft)} more message${silentTurnsLeft === 1 ? '' : 's'} like this end the task.`;
  // Code in the words is what the file was to hold.
  const hasCode = /```|^(?:def|class|export|import|from) /mu.test(answer.message.content ?? '');
  const before: Before = hasCode ? { kind: 'unwritten', path: null } : { kind: 'other' };
  const next = nextCall(await workOf(session, input.at, input.tree), before);
  if (cut !== undefined) return `${cutNote(cut)} It held no whole tool call. ${end}\n${next}`;
  return `${why}. Call at least one tool. ${end}\n${next}`;
}

function shadowOf({ at, turn }: RunToolsInput): string {
  return shadowRef(at, `t${String(turn)}`);
}
