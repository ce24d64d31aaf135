/**
 * One call from its rows to its outcome: reuse, wait for a living owner, or claim, send and settle (design part 4, G6).
 *
 * R1. A claim (cap checked, index opened, `sent` written) happens under the scope's lock.
 * R2. Nothing is sent without a `sent` row on disk; nothing is returned as answered without a `received` row on disk.
 * R3. Every way out of a sent attempt writes its end row, or leaves it to the next attempt, which finds a dead owner.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { boundHash, callState, unknownMicroUsd } from '../../core/model/call-state.ts';
import type { CallState } from '../../core/model/call-state.ts';
import { type FailureClass, classifyFailure, restFor } from '../../core/model/failure.ts';
import type { ModelOutcome, ModelProgress, ModelRequest } from '../../core/ports/model.ts';
import type { ObjectStore } from '../../core/ports/objects.ts';
import type { SentRow } from '../../schemas/model-call.ts';
import { readApiKey } from './api-key.ts';
import { type HeldAnswers, finishAnswer, finishSpooled } from './call-answer.ts';
import { type ClaimContext, claimCall } from './call-claim.ts';
import { addRow, readRows } from './call-files.ts';
import type { CallStep } from './call-step.ts';
import type { ChatClient } from './chat-client.ts';
import { isSelf, ownerLife } from './process-owner.ts';
import { whyUnreachable } from './reachable.ts';

export interface CallRunContext extends ClaimContext {
  readonly request: ModelRequest;
  readonly folder: string;
  readonly requestHash: string;
  readonly client: ChatClient;
  readonly objects: ObjectStore;
  readonly held: HeldAnswers;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pollMs: number;
  readonly signal: AbortSignal;
  readonly onStep: (step: CallStep) => Promise<void>;
  readonly onProgress: (progress: ModelProgress) => void;
  /** True when nobody waits for the outcome any more. */
  readonly isDeserted: () => boolean;
  readonly onSent: () => void;
  /** Something that a person should know while the call is tried again. */
  readonly tell: (text: string) => void;
}

/** Silence after which it is looked at whether the endpoint is there at all, and how long that may take. */
const SILENCE_MS = 3_000;
const CONNECT_MS = 1_500;

/** Runs until there is an outcome. @throws only for broken invariants and a full disk. */
export async function runCall(context: CallRunContext): Promise<ModelOutcome> {
  for (;;) {
    const state = await settledState(context);
    const outcome = outcomeOf(context, state);
    if (outcome !== null) return outcome;
    if (context.isDeserted()) return { kind: 'cancelled', sent: false };
    if (state.kind === 'sent') await waitForOwner(context, state.sent);
    else {
      const sent = await claimAndSend(context);
      if (sent !== null) return sent;
    }
  }
}

/** The state after what an interrupted attempt left behind is finished. */
async function settledState(context: CallRunContext): Promise<CallState> {
  const state = callState(await readRows(context.folder));
  if (state.kind !== 'sent') return state;
  const isFinished = await finishSpooled(context, state.sent);
  return isFinished ? callState(await readRows(context.folder)) : state;
}

function outcomeOf(context: CallRunContext, state: CallState): ModelOutcome | null {
  const storedHash = boundHash(state);
  if (storedHash !== null && storedHash !== context.requestHash) {
    return { kind: 'conflict', storedHash, requestHash: context.requestHash };
  }
  if (state.kind === 'received') return answeredFrom(state, true);
  if (state.kind !== 'unknown') return null;
  const repaymentsMax = context.request.onUnknown === 'repay_once' ? 1 : 0;
  if (state.unknown.length <= repaymentsMax) return null;
  return { kind: 'unknown', reason: state.reason, attempts: state.unknown.length };
}

function answeredFrom(state: Extract<CallState, { kind: 'received' }>, stored: boolean): ModelOutcome {
  const { answerRef, summary, usage, costMicroUsd, finishReason, atMs } = state.received;
  return {
    kind: 'answered',
    answerRef,
    summary,
    usage,
    costMicroUsd,
    finishReason,
    elapsedMs: Math.max(0, atMs - state.sent.atMs),
    stored,
    unknownAttempts: state.unknown.length,
    unknownMicroUsd: unknownMicroUsd(state.unknown),
  };
}

/** Waits a poll for a living owner; marks the attempt unknown when its owner is gone. */
async function waitForOwner(context: CallRunContext, sent: SentRow): Promise<void> {
  // This process has no running promise for it, or we would not be here: the attempt broke off.
  const life = (await isSelf(sent.owner)) ? 'dead' : await ownerLife(sent.owner);
  const isGone = life === 'dead' || (life === 'unseen' && Date.now() > sent.deadlineMs);
  if (!isGone) {
    context.onProgress({ phase: 'attached', bytes: 0 });
    await sleep(context.pollMs);
    return;
  }
  // The owner may have written its end between our reading and its death.
  if (callState(await readRows(context.folder)).kind !== 'sent' || (await finishSpooled(context, sent)))
    return;
  const reason = `Process ${String(sent.owner.pid)} ended before the answer was stored`;
  await addRow(context.folder, { kind: 'unknown', attempt: sent.attempt, reason, atMs: Date.now() });
}

/** Null: somebody else moved the call meanwhile, or it may be repaid; look again. */
async function claimAndSend(context: CallRunContext): Promise<ModelOutcome | null> {
  const { request } = context;
  if (request.tools.length > 0 && !request.model.supportsTools) {
    return rested(
      restFor(
        'tools_unsupported',
        `Model "${request.model.alias}" is configured without tool calls`,
        request.model,
      ),
    );
  }
  const apiKey = await readApiKey(request.model.apiKey, context.env);
  if (apiKey === null)
    return rested(restFor('auth', `Model "${request.model.alias}" has no API key`, request.model));
  const claim = await claimCall(context);
  switch (claim.kind) {
    case 'moved':
      return null;
    case 'budget':
    case 'fence_lost':
      return claim;
    case 'claimed':
      context.onSent();
      await context.onStep('sent');
      return send(context, claim.sent, apiKey);
  }
}

async function send(context: CallRunContext, sent: SentRow, apiKey: string): Promise<ModelOutcome | null> {
  let hasByte = false;
  const steps: Promise<void>[] = [];
  const silence = setTimeout(() => void tellIfAway(context), SILENCE_MS);
  const reply = await context.client.send(context.request, {
    apiKey,
    signal: context.signal,
    onBytes: (bytes) => {
      clearTimeout(silence);
      if (!hasByte) steps.push(context.onStep('first_byte'));
      hasByte = true;
      context.onProgress({ phase: 'receiving', bytes });
    },
  });
  clearTimeout(silence);
  await Promise.all(steps);
  if (reply.kind === 'failure') {
    return settleFailure(context, sent, classifyFailure(reply.failure, context.request.model));
  }
  await finishAnswer(context, sent, JSON.stringify(reply.answer));
  const state = callState(await readRows(context.folder));
  return state.kind === 'received' ? answeredFrom(state, false) : null;
}

/** A connection that does not come about is told long before it is given up. */
async function tellIfAway({ request, tell }: CallRunContext): Promise<void> {
  const { alias, baseUrl } = request.model;
  const why = await whyUnreachable(baseUrl, CONNECT_MS);
  if (why !== null) tell(`Model "${alias}" is not reached at "${baseUrl}": ${why}`);
}

async function settleFailure(
  context: CallRunContext,
  sent: SentRow,
  failure: FailureClass,
): Promise<ModelOutcome | null> {
  const { attempt } = sent;
  const atMs = Date.now();
  switch (failure.kind) {
    case 'rest':
      await addRow(context.folder, {
        kind: 'failed',
        attempt,
        code: failure.code,
        message: failure.message,
        atMs,
      });
      return rested(failure);
    case 'retry':
      await addRow(context.folder, { kind: 'returned', attempt, reason: failure.reason, atMs });
      context.tell(`${failure.reason}; trying again, nothing is billed`);
      return failure;
    case 'unknown':
      await addRow(context.folder, { kind: 'unknown', attempt, reason: failure.reason, atMs });
      // Policy decides on the next look; a process that is being closed does not pay again.
      return context.signal.aborted ? { kind: 'unknown', reason: failure.reason, attempts: 1 } : null;
  }
}

function rested({ code, message, nextStep }: Extract<FailureClass, { kind: 'rest' }>): ModelOutcome {
  return { kind: 'rested', code, message, nextStep };
}
