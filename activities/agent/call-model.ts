/** Activity `callModel`: one paid call of an agent's turn, found again by its key on every retry (G6). */
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import type { ModelChoice, ModelDirectory } from '../../core/ports/model-directory.ts';
import type { ModelOutcome, ModelPort } from '../../core/ports/model.ts';
import type { Session, Sessions } from '../../core/ports/session.ts';
import { submitFormOf } from '../../core/views/own-work.ts';
import { compactTranscript } from '../../core/runtime/compact.ts';
import type { AgentCoordinates, CallModelResult } from '../../schemas/agent-io.ts';
import type { AnswerSummary } from '../../schemas/model-call.ts';
import { turnKey } from '../shared/coordinates.ts';
import { fatal, tryAgain } from '../shared/failures.ts';
import { ordinalOf } from '../shared/dispatches.ts';
import { sparingly } from '../shared/heartbeat.ts';
import { readTranscript } from '../shared/transcript.ts';
import { contractOf } from '../shared/trees.ts';
import { specsFor } from './tools-for.ts';

export interface CallModelPorts {
  readonly sessions: Sessions;
  readonly model: ModelPort;
  readonly models: ModelDirectory;
}

/** Which turn of which dispatch, and the transcript up to it. */
export interface CallModelInput {
  readonly at: AgentCoordinates;
  readonly turn: number;
  readonly head: string;
  /** An answer was cut at its limit before: answers may be longer. */
  readonly isRaised?: boolean;
}

/** Makes the call or finds its stored answer. @throws retryably while the endpoint is busy or the outcome may be repaid. */
export async function callModel(ports: CallModelPorts, input: CallModelInput): Promise<CallModelResult> {
  const { at, turn } = input;
  const session = await ports.sessions.open(at.sessionDir);
  const found = await ports.models.choose(at.sessionDir, at.stageId, at.role);
  if (found === null) return noModel(at.role);
  const choice = input.isRaised === true ? raised(found) : found;
  const turns = await readTranscript(session.objects, input.head);
  const { messages } = compactTranscript(turns, choice.transcriptMaxChars);
  const outcome = await ports.model.call(
    {
      key: turnKey(at, turn),
      sessionDir: session.dir,
      fence: at.run,
      coordinates: {
        role: at.role,
        stage: at.stageId,
        node: at.nodeId,
        dispatch: await ordinalOf(session, at),
        turn,
      },
      model: choice.target,
      messages,
      tools: specsFor(at.role, submitFormOf(at.role, await contractOf(session, at.nodeId))),
      cap: choice.cap,
      onUnknown: choice.onUnknown,
    },
    {
      signal: cancellationSignal(),
      onProgress: sparingly(heartbeat),
      checkFence: () => ownsSession(session, at.run),
    },
  );
  return resultOf(outcome, choice);
}

/** The same model with more room for an answer. */
export function raised(choice: ModelChoice): ModelChoice {
  const { target, raisedOutputTokens } = choice;
  if (raisedOutputTokens === null) return choice;
  const usualOutputTokens = target.maxOutputTokens;
  return {
    ...choice,
    raisedOutputTokens: null,
    target: { ...target, maxOutputTokens: raisedOutputTokens, usualOutputTokens },
  };
}

/** True while no newer run has opened in the ledger. */
export async function ownsSession(session: Session, run: number): Promise<boolean> {
  const { state } = await session.doc();
  return (state.run?.run ?? 0) <= run;
}

function shownOf({ garbage }: AnswerSummary): { readonly garbage?: string } {
  return garbage === undefined ? {} : { garbage };
}

/** What a model outcome means for whoever asked; throws what Temporal shall retry. */
export function resultOf(outcome: ModelOutcome, choice: ModelChoice): CallModelResult {
  switch (outcome.kind) {
    case 'answered':
      return {
        kind: 'answered',
        answerRef: outcome.answerRef,
        toolCalls: outcome.summary.toolCalls.length,
        ...(outcome.finishReason === 'garbage' && { isGarbage: true as const, ...shownOf(outcome.summary) }),
        ...(outcome.finishReason === 'length' && cutFacts(choice)),
        elapsedMs: outcome.elapsedMs,
        unknownAttempts: outcome.unknownAttempts,
        unknownMicroUsd: outcome.unknownMicroUsd,
        usage: {
          calls: 1,
          inputTokens: outcome.usage?.inputTokens ?? 0,
          outputTokens: outcome.usage?.outputTokens ?? 0,
          costMicroUsd: outcome.costMicroUsd,
        },
      };
    case 'rested':
      return { kind: 'rested', code: outcome.code, message: `${outcome.message}. ${outcome.nextStep}` };
    case 'budget':
      return {
        kind: 'budget',
        unit: outcome.unit,
        spent: outcome.spent,
        cap: outcome.cap,
        worstCase: outcome.worstCase,
      };
    case 'retry':
      throw tryAgain('ModelBusy', outcome.reason, outcome.afterMs);
    case 'unknown':
      return { kind: 'platform', reason: `model call with unknown outcome: ${outcome.reason}` };
    case 'conflict':
      throw fatal(
        'ModelConflict',
        'The key of this call was used for another request: its prompt is not deterministic',
      );
    case 'fence_lost':
      throw fatal('FenceLost', 'Cannot call the model: a newer run owns the session');
    case 'cancelled':
      throw new CancelledFailure('model call cancelled');
  }
}

function cutFacts({
  target,
  raisedOutputTokens,
}: ModelChoice): Partial<CallModelResult & { kind: 'answered' }> {
  return {
    cutAt: target.maxOutputTokens,
    model: target.alias,
    ...(raisedOutputTokens !== null && { raisesTo: raisedOutputTokens }),
  };
}

function noModel(role: string): CallModelResult {
  return {
    kind: 'rested',
    code: 'no_model',
    message: `No model is configured for role "${role}". Set OPENAI_API_KEY and --model, or [models] in .a7/config.toml`,
  };
}
