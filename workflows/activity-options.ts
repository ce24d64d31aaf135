/** Bounds and retries of every activity (design part 6, table). Nothing has a schedule-to-close timeout (temporal.md 7.1). */
import type { ActivityOptions } from '@temporalio/workflow';

/** Failures that no retry can mend; everything else of an activity is the platform's and is tried again. */
const LEDGER_FATAL = ['LedgerDiverged', 'FenceLost', 'SessionGone', 'LedgerCorrupt', 'EventRefused'];

/** Ledger and projection writes: small files under the session's lock; unlimited, because nothing may go on without them. */
export const LEDGER_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '60s',
  // A worker that dies in the middle of an append must not cost a minute.
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', maximumInterval: '10s', nonRetryableErrorTypes: LEDGER_FATAL },
};

/** The commit: compare-and-swap of the branch; refusals are values. */
export const COMMIT_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '60s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '500ms', maximumInterval: '10s', nonRetryableErrorTypes: LEDGER_FATAL },
};

/**
 * One paid call. A retry finds the stored answer, so it costs nothing (G6). An endpoint that stays away, and asks for no wait
 * of its own, is tried for about two minutes.
 */
export const MODEL_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '20m',
  heartbeatTimeout: '10s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: {
    initialInterval: '1s',
    maximumInterval: '15s',
    maximumAttempts: 12,
    nonRetryableErrorTypes: [...LEDGER_FATAL, 'ModelConflict'],
  },
};

/** File tools on git objects: pure in their inputs and stored by key. */
export const TOOLS_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: '10s',
  retry: {
    initialInterval: '200ms',
    maximumInterval: '10s',
    maximumAttempts: 5,
    nonRetryableErrorTypes: LEDGER_FATAL,
  },
};

/** Sandboxed runs. Platform faults are retried at most twice and then are INVALID platform (gate.md part 5). */
export const SANDBOX_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '30m',
  heartbeatTimeout: '10s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: {
    initialInterval: '500ms',
    maximumInterval: '10s',
    maximumAttempts: 5,
    nonRetryableErrorTypes: LEDGER_FATAL,
  },
};

/**
 * Steps of an order on its repository. Copying or bundling a large one takes minutes; a worker that dies is noticed by its
 * heartbeat. A cancel waits for them, so that nothing is written after an order is closed.
 */
export const REPOSITORY_OPTIONS: ActivityOptions = {
  ...LEDGER_OPTIONS,
  startToCloseTimeout: '30m',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/** The same, but what no try of six minutes could mend (a workspace that was deleted) ends the order. A full disk is waited for. */
export const BOUNDED_REPOSITORY_OPTIONS: ActivityOptions = {
  ...REPOSITORY_OPTIONS,
  retry: { ...LEDGER_OPTIONS.retry, maximumAttempts: 40 },
};

/** Waiting for a workspace: as long as orders before it take. */
export function leaseOptions(): ActivityOptions {
  return {
    startToCloseTimeout: '30d',
    heartbeatTimeout: '10s',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { initialInterval: '200ms', maximumInterval: '10s', nonRetryableErrorTypes: LEDGER_FATAL },
  };
}

/** One turn of an agent, or one verification: its own limit, and time to lay and to take out a tree. */
export function orderStepOptions(wallMs: number): ActivityOptions {
  return {
    startToCloseTimeout: wallMs + 30 * 60_000,
    heartbeatTimeout: '10s',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: {
      initialInterval: '500ms',
      maximumInterval: '10s',
      maximumAttempts: 8,
      nonRetryableErrorTypes: LEDGER_FATAL,
    },
  };
}
