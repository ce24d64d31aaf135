/** Activity `runAgentTurn`: an agent's program in a room with its shadow, and nothing that its role must not see (G4). */
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { InstalledAgent, OpenDoor, RoomDriver } from '../../core/ports/agent-driver.ts';
import type { ModelChoice } from '../../core/ports/model-directory.ts';
import type { Session } from '../../core/ports/session.ts';
import type { SessionCalls } from '../../core/ports/session-calls.ts';
import { meaningOf } from '../../core/runtime/agent-end.ts';
import { type AgentTurnInput, AgentTurnResult } from '../../schemas/agent-turn.ts';
import type { AgentEnd } from '../../schemas/order.ts';
import type { CapReached, ChatMessage } from '../../schemas/model.ts';
import { type AgentRoomEnd, runAgentRoom } from '../order/agent-room.ts';
import { ownsSession } from '../agent/call-model.ts';
import { shadowRef, turnKey } from '../shared/coordinates.ts';
import { ordinalOf } from '../shared/dispatches.ts';
import { fatal } from '../shared/failures.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { extendTranscript } from '../shared/transcript.ts';
import { handedIn } from './hand-in.ts';
import type { RoomAgentPorts } from './ports.ts';
import { contextOf, envOf, promptOf, taskFiles } from './told.ts';
import { layShadow, takeShadow, type TakenShadow } from './shadow-tree.ts';
import { typed } from '../../core/text/typed.ts';

const OUTPUT_KEPT_CHARS = 4_000_000;

/** Runs the program once; a retry finds what was stored, or runs it again from the same tree with every paid answer (G6). */
export async function runAgentTurn(ports: RoomAgentPorts, input: AgentTurnInput): Promise<AgentTurnResult> {
  const { at, turn } = input;
  const session = await ports.sessions.open(at.sessionDir);
  const key = turnKey(at, turn);
  const known = await session.results.get(key, 'agent', AgentTurnResult);
  if (known !== null) return known;
  if (!(await ownsSession(session, at.run)))
    throw fatal('FenceLost', 'Cannot run the agent: a newer run owns the session');
  const result = await withHeartbeat(heartbeat, () => run(ports, session, input));
  // What a person must mend leaves no trace: the turn is run again when it is mended, and tells then what a crash left.
  if (result.means.kind === 'over' && result.means.end.kind !== 'wild')
    return { ...result, unknownCalls: [] };
  return session.results.putFirst(key, 'agent', AgentTurnResult, result);
}

/** What a turn needs, or why it must wait for a person. */
interface Ready {
  readonly driver: RoomDriver;
  readonly installed: InstalledAgent;
  readonly choice: ModelChoice | null;
}

async function readyFor(ports: RoomAgentPorts, { at, agent }: AgentTurnInput): Promise<Ready | string> {
  const driver = ports.programs.driver(agent.name);
  const installed = await ports.programs.installed(agent.name);
  if (installed === null)
    return typed`Agent "${agent.name}" is not installed here: a7-rt agents --install ${agent.name}`;
  const choice = await ports.models.choose(at.sessionDir, at.stageId, at.role);
  if (choice === null && driver.protocol !== null)
    return `No model is configured for role "${at.role}", which agent "${agent.name}" needs: --model NAME`;
  return { driver, installed: { ...installed, folder: agent.files ?? installed.folder }, choice };
}

async function run(ports: RoomAgentPorts, session: Session, input: AgentTurnInput): Promise<AgentTurnResult> {
  const began = ports.nowMs();
  const ready = await readyFor(ports, input);
  if (typeof ready === 'string') return rested(session, input, ready);
  const calls = ready.choice === null ? null : await callsOf(ports, session, input, ready.choice);
  const door = await openDoor(ports, session, input, ready, calls).catch((error: unknown) =>
    messageOf(error),
  );
  if (typeof door === 'string') return rested(session, input, door);
  try {
    const ended = await inRoom(ports, session, input, ready, door);
    if (ended.room.end.kind === 'lost')
      throw new Error(`The agent's room was lost: ${ended.room.end.detail}`);
    const usage = calls?.usage() ?? NO_USAGE;
    return {
      ...(await turnOf(session, input, ended, calls?.cap() ?? null)),
      usage,
      elapsedMs: Math.round(ports.nowMs() - began),
      unknownCalls: [...(calls?.unknown() ?? [])],
      program: `${input.agent.name} ${ready.installed.version}`,
    };
  } finally {
    await door?.close();
  }
}

const NO_USAGE = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };

async function callsOf(
  ports: RoomAgentPorts,
  session: Session,
  { at, turn, callsMax }: AgentTurnInput,
  choice: ModelChoice,
): Promise<SessionCalls> {
  const dispatch = await ordinalOf(session, at);
  return ports.openCalls({
    sessionDir: session.dir,
    objects: session.objects,
    key: turnKey(at, turn),
    coordinates: { role: at.role, stage: at.stageId, node: at.nodeId, dispatch, turn },
    fence: at.run,
    choice,
    callsMax,
  });
}

async function openDoor(
  ports: RoomAgentPorts,
  session: Session,
  { callsMax }: AgentTurnInput,
  { driver, choice }: Ready,
  calls: SessionCalls | null,
): Promise<OpenDoor | null> {
  if (choice === null || calls === null) return null;
  return ports.doors.open({
    agent: { target: choice.target },
    limits: { costMicroUsd: 0, tokensMax: 1, requestsMax: callsMax },
    networkHosts: [],
    protocol: driver.protocol,
    spent: NO_USAGE,
    folder: session.dir,
    record: calls,
  });
}

interface Ended {
  readonly room: AgentRoomEnd;
  readonly taken: TakenShadow;
  readonly output: string;
}

async function inRoom(
  ports: RoomAgentPorts,
  session: Session,
  input: AgentTurnInput,
  { driver, installed }: Ready,
  door: OpenDoor | null,
): Promise<Ended> {
  const { at, turn, tree, agent, wallMs } = input;
  const laid = await layShadow(session, tree);
  const prompt = await promptOf(session, input);
  const output: string[] = [];
  let chars = 0;
  const room = await runAgentRoom({
    sandbox: ports.sandbox,
    key: `a7-agent-${session.id}-${at.dispatchId}-${String(turn)}`,
    owner: session.id,
    image: await ports.imageOf(session),
    driver,
    installed,
    door,
    doorProgram: ports.doorProgram,
    context: contextOf(input, prompt, door),
    task: taskFiles(prompt),
    tree: laid,
    env: envOf(input, door),
    wallMs,
    signal: cancellationSignal(),
    onOutput: (bytes) => {
      if (chars > OUTPUT_KEPT_CHARS) return;
      const text = Buffer.from(bytes).toString('utf8');
      chars += text.length;
      output.push(text);
    },
  });
  const taken = await takeShadow(session, input, laid, room.result);
  return { room, taken, output: [`--- ${agent.name}, turn ${String(turn)}\n`, ...output].join('') };
}

type TurnParts = Pick<AgentTurnResult, 'answerRef' | 'tree' | 'head' | 'means'>;

/** What is stored of a turn: tree, message, transcript, log; the result that names them comes last. */
async function turnOf(
  session: Session,
  input: AgentTurnInput,
  { room, taken, output }: Ended,
  cap: CapReached | null,
): Promise<TurnParts> {
  const { at, turn } = input;
  const handed = handedIn(input, room);
  const isChanged = taken.tree !== input.tree;
  const means = meaningOf({ end: room.end, isChanged, refused: taken.refused, handed: handed.read, cap });
  const answerRef = await session.objects.put(JSON.stringify(handed.answer));
  const outputRef = await session.objects.put(output);
  await session.trees.keep(shadowRef(at, `t${String(turn)}`), taken.tree);
  const head = await extendTranscript(session.objects, input.head, turn, [
    handed.answer.message,
    ...(means.kind === 'unreadable' ? [toldAs(`Not accepted.\n${means.reasons.join('\n')}`)] : []),
    ...(taken.putBack.length === 0 ? [] : [toldAs(putBackText(taken.putBack))]),
  ]);
  await session.log.append(at.nodeId, at.dispatchId, [
    { key: `t${String(turn)}.agent`, type: 'message', data: logOf(room.end, taken, outputRef) },
  ]);
  return { answerRef, tree: taken.tree, head, means };
}

function toldAs(content: string): ChatMessage {
  return { role: 'user', content };
}

function putBackText(paths: readonly string[]): string {
  const shown = paths.slice(0, 20).join(', ');
  return `These files are not yours and were put back: ${shown}${paths.length > 20 ? ', ...' : ''}`;
}

function logOf(end: AgentEnd, { putBack, refused }: TakenShadow, outputRef: string): Record<string, unknown> {
  return {
    end: end.kind,
    exitCode: end.exitCode,
    detail: end.detail.slice(0, 500),
    outputRef,
    putBack,
    refused,
  };
}

/** The same tree, and why a person must act. */
async function rested(session: Session, input: AgentTurnInput, message: string): Promise<AgentTurnResult> {
  const answerRef = await session.objects.put('{}');
  return {
    answerRef,
    tree: input.tree,
    head: input.head,
    usage: NO_USAGE,
    elapsedMs: 0,
    means: {
      kind: 'over',
      end: { kind: 'rested', code: 'agent_unavailable', message: message.slice(0, 1900) },
    },
    unknownCalls: [],
    program: input.agent.name,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
