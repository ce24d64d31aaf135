/** Claiming a call: cap, fence and `sent` row as one step under the lock of its scope (design part 10). */
import { realpathSync } from 'node:fs';
import { boundHash, callState } from '../../core/model/call-state.ts';
import type { CallState } from '../../core/model/call-state.ts';
import { decideCap } from '../../core/model/cap.ts';
import { worstCaseOf } from '../../core/model/cost.ts';
import type { BudgetStand, ModelRequest } from '../../core/ports/model.ts';
import type { SentRow } from '../../schemas/model-call.ts';
import { loadBudget, saveOpened } from './budget-file.ts';
import { prepareRow, readRows } from './call-files.ts';
import type { CallStep } from './call-step.ts';
import { currentOwner } from './process-owner.ts';

/** Runs `work` while no other process of this machine holds `name`. */
export type WithLock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export interface ClaimContext {
  readonly request: ModelRequest;
  readonly folder: string;
  readonly requestHash: string;
  /** Size of the canonical request. */
  readonly requestBytes: number;
  readonly totalTimeoutMs: number;
  readonly withLock: WithLock;
  readonly checkFence: () => Promise<boolean>;
  readonly onStep: (step: CallStep) => Promise<void>;
}

export type Claim =
  | { readonly kind: 'claimed'; readonly sent: SentRow }
  /** The call is not as it was: read its rows again. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'fence_lost' }
  | ({ readonly kind: 'budget' } & BudgetStand);

/** Reserves the worst case and writes `reserved` and `sent`, or nothing at all (M4). */
export async function claimCall(context: ClaimContext): Promise<Claim> {
  const { sessionDir, cap } = context.request;
  const lockName = `model budget ${realpathSync(sessionDir)} ${cap.scope}`;
  return context.withLock(lockName, () => claimLocked(context));
}

async function claimLocked(context: ClaimContext): Promise<Claim> {
  const { request, folder } = context;
  const rows = await readRows(folder);
  const state = callState(rows);
  if (!isClaimable(context, state)) return { kind: 'moved' };

  const { index, spent, reserved } = await loadBudget(request.sessionDir, request.cap.scope);
  const worstCase = worstCaseOf({
    requestBytes: context.requestBytes,
    messages: request.messages.length,
    tools: request.tools.length,
    maxOutputTokens: request.model.maxOutputTokens,
    price: request.model.price,
  });
  const decision = decideCap({ cap: request.cap, spent, reserved, worstCase });
  if (decision.kind === 'refused') return { ...decision, kind: 'budget' };
  if (!(await context.checkFence())) return { kind: 'fence_lost' };

  const attempts = rows.filter((row) => row.kind === 'sent').length;
  const sent = await sentRow(context, attempts + 1, worstCase);
  const save = saveOpened(request.sessionDir, index, request.key, state);
  return (await writeClaim(context, save, sent)) ? { kind: 'claimed', sent } : { kind: 'moved' };
}

/** Whose call it is, and where its rows lie. */
export interface ClaimPlace {
  readonly folder: string;
  readonly request: Pick<ModelRequest, 'key' | 'coordinates'> & { readonly cap: { readonly scope: string } };
  readonly onStep?: (step: CallStep) => Promise<void>;
}

/**
 * Both rows and the index wait for the disk at once. `sent` gets its name when the index is there and `reserved` has its own (B1).
 * False: another writer was first.
 */
export async function writeClaim(place: ClaimPlace, save: Promise<void>, sent: SentRow): Promise<boolean> {
  const { folder, request, onStep } = place;
  const { key, coordinates, cap } = request;
  const reserved = { kind: 'reserved', key, scope: cap.scope, coordinates, atMs: Date.now() } as const;
  const files = [prepareRow(folder, reserved), prepareRow(folder, sent)] as const;
  try {
    const [first, second] = await Promise.all([...files, save]);
    first.place();
    await onStep?.('reserved');
    const isFirst = second.place();
    await first.sync();
    return isFirst;
  } catch (error) {
    // A full disk: what is half there must not stay. What was placed has no other name any more.
    for (const each of await Promise.allSettled(files)) if (each.status === 'fulfilled') each.value.drop();
    throw error;
  }
}

/** Also after the lock was waited for: nobody else claimed, answered or repaid it. */
function isClaimable(context: ClaimContext, state: CallState): boolean {
  if (state.kind === 'received' || state.kind === 'sent') return false;
  const storedHash = boundHash(state);
  if (storedHash !== null && storedHash !== context.requestHash) return false;
  return (
    state.kind === 'none' || state.unknown.length <= (context.request.onUnknown === 'repay_once' ? 1 : 0)
  );
}

async function sentRow(
  context: ClaimContext,
  attempt: number,
  worstCase: SentRow['worstCase'],
): Promise<SentRow> {
  const { request } = context;
  const atMs = Date.now();
  return {
    kind: 'sent',
    attempt,
    requestHash: context.requestHash,
    fence: request.fence,
    owner: await currentOwner(),
    modelAlias: request.model.alias,
    modelId: request.model.modelId,
    price: request.model.price,
    worstCase,
    atMs,
    deadlineMs: atMs + context.totalTimeoutMs,
  };
}
