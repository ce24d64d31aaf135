/** Failures that activities throw: typed, so that the workflow's retry rules can tell them apart. */
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/** Nothing can mend it: the workflow's non-retryable types name these. */
export function fatal(
  type: 'FenceLost' | 'LedgerDiverged' | 'ModelConflict' | 'OrderEnded',
  message: string,
): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}

/** Expected to pass by itself; logged quietly. */
export function tryAgain(type: string, message: string, afterMs: number | null): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    category: ApplicationFailureCategory.BENIGN,
    ...(afterMs === null ? {} : { nextRetryDelay: afterMs }),
  });
}
