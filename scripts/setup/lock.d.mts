// Types of lock.mjs.

export interface SetupLockOptions {
  /** Called once if another set-up holds the lock. */
  readonly onWait?: () => void;
  /** Default 15 minutes. */
  readonly waitMaxMs?: number;
}

export function withSetupLock<Result>(
  cache: string,
  work: () => Promise<Result>,
  options?: SetupLockOptions,
): Promise<Result>;
