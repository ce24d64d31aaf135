/** Activity `askManager`: board in, exactly one action out; the model forgets everything afterwards (seed 001). */
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { A7Error } from '../../core/errors.ts';
import { boardView } from '../../core/board/board-view.ts';
import { foldLines } from '../../core/ledger/fold-session.ts';
import { type SessionDoc, emptyDoc } from '../../core/ledger/session-doc.ts';
import type { ModelChoice } from '../../core/ports/model-directory.ts';
import type { ContractBook, Session } from '../../core/ports/session.ts';
import { readAction } from '../../core/stage/read-action.ts';
import { renderPrompt } from '../../roles/index.ts';
import { submitActionSchema } from '../../schemas/actions.ts';
import type { ChatMessage, ChatTool } from '../../schemas/model.ts';
import type { AskManagerInput, ManagerAnswer } from '../../schemas/stage-io.ts';
import { addUsage } from '../../core/runtime/agent-run.ts';
import { ownsSession, raised, resultOf } from '../agent/call-model.ts';
import { sparingly } from '../shared/heartbeat.ts';
import { readAnswer } from '../shared/transcript.ts';
import type { StagePorts } from './ports.ts';

const SUBMIT_ACTION: ChatTool = {
  type: 'function',
  function: {
    name: 'submit_action',
    description: 'Submit the one action of this turn.',
    parameters: withoutDialect(submitActionSchema),
  },
};

/** One call, keyed by the ledger's head: a retry finds the stored answer. */
export async function askManager(ports: StagePorts, input: AskManagerInput): Promise<ManagerAnswer> {
  const session = await ports.sessions.open(input.at.sessionDir);
  const doc = await docAt(session, input.seq);
  const { resolved } = await session.book();
  const board = boardOf(doc, resolved, ports.boardTokensMax);
  if ('kind' in board) return board;
  const messages: readonly ChatMessage[] = [
    { role: 'system', content: renderPrompt('manager', {}) },
    { role: 'user', content: JSON.stringify(board) },
  ];
  const callKey = `${input.at.stageId}/manager/${doc.headHash.replace('sha256:', '').slice(0, 24)}`;
  const call = { ...input, callKey, messages, tools: [SUBMIT_ACTION] };
  const first = await callStageModel(ports, session, call);
  const result = isCut(first)
    ? bothPaid(
        first,
        await callStageModel(ports, session, { ...call, callKey: `${callKey}/raised`, isRaised: true }),
      )
    : first;
  if (result.kind === 'platform') return { kind: 'rested', code: 'unavailable', message: result.reason };
  if (result.kind !== 'answered') return result;
  const answer = readAction(await readAnswer(session.objects, result.answerRef));
  const { unknownAttempts, unknownMicroUsd, usage } = result;
  return {
    kind: 'answered',
    answer,
    callKey,
    costMicroUsd: usage.costMicroUsd,
    unknownAttempts,
    unknownMicroUsd,
  };
}

type ManagerResult = ReturnType<typeof resultOf>;
type Answered = ManagerResult & { readonly kind: 'answered' };

/** An answer that ended at its limit, where the limit can be raised: the same is asked once more. */
function isCut(result: ManagerResult): result is Answered {
  return result.kind === 'answered' && result.raisesTo !== undefined;
}

function bothPaid(first: Answered, second: ManagerResult): ManagerResult {
  if (second.kind !== 'answered') return second;
  return {
    ...second,
    usage: addUsage(first.usage, second.usage),
    unknownAttempts: first.unknownAttempts + second.unknownAttempts,
    unknownMicroUsd: first.unknownMicroUsd + second.unknownMicroUsd,
  };
}

/** The board; a budget that it cannot fit is the configuration's, and no retry mends it. */
function boardOf(
  doc: SessionDoc,
  resolved: ContractBook['resolved'],
  tokensMax: number,
): ReturnType<typeof boardView> | Extract<ManagerAnswer, { kind: 'rested' }> {
  try {
    return boardView(doc, resolved, tokensMax);
  } catch (error) {
    if (!(error instanceof A7Error) || error.code !== 'BUDGET_EXCEEDED') throw error;
    return { kind: 'rested', code: error.code, message: error.message };
  }
}

/** The fold at which the question was asked: agents that went on meanwhile must not make a retry another call (G6). */
async function docAt(session: Session, seq: number): Promise<SessionDoc> {
  const doc = await session.doc();
  if (doc.state.seq === seq) return doc;
  const read = await session.ledger.read();
  return foldLines(emptyDoc, read.kind === 'read' ? read.lines.slice(0, seq) : []);
}

export interface ManagerCall {
  readonly at: AskManagerInput['at'];
  readonly run: number;
  readonly turn: number;
  readonly callKey: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  /** Default: the manager. The oracle is the manager's model; a reviewer has its own. */
  readonly role?: 'oracle' | 'reviewer';
  /** Whom the call is about, in its coordinates. */
  readonly nodeId?: string;
  /** The answer before was cut: this one may be longer. */
  readonly isRaised?: boolean;
}

/** A call of the stage itself: its model, its cap, its place in the usage report. */
export async function callStageModel(
  ports: StagePorts,
  session: Session,
  call: ManagerCall,
): Promise<ReturnType<typeof resultOf>> {
  const { at, run, turn, callKey, messages, tools } = call;
  const role = call.role === 'reviewer' ? 'reviewer' : 'manager';
  const found: ModelChoice | null = await ports.models.choose(at.sessionDir, at.stageId, role);
  if (found === null) {
    const message =
      role === 'reviewer'
        ? 'No model is configured for the reviewer. Set reviewer_model in .a7/config.toml'
        : 'No model is configured for the manager. Give --model, or use --manager policy';
    return { kind: 'rested', code: 'no_model', message };
  }
  const choice = call.isRaised === true ? raised(found) : found;
  const outcome = await ports.model.call(
    {
      key: callKey,
      sessionDir: session.dir,
      fence: run,
      coordinates: {
        role: call.role ?? 'manager',
        stage: at.stageId,
        node: call.nodeId ?? null,
        dispatch: run,
        turn,
      },
      model: choice.target,
      messages,
      tools,
      cap: choice.cap,
      onUnknown: choice.onUnknown,
    },
    {
      signal: cancellationSignal(),
      onProgress: sparingly(heartbeat),
      checkFence: () => ownsSession(session, run),
    },
  );
  return resultOf(outcome, choice);
}

function withoutDialect(schema: Record<string, unknown>): ChatTool['function']['parameters'] {
  const { $schema: _, ...parameters } = schema;
  return JSON.parse(JSON.stringify(parameters)) as ChatTool['function']['parameters'];
}
