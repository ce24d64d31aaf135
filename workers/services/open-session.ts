/** Opens a session for one question and lets go of it; a corrupt ledger is a clear failure, not a crash. */
import { LedgerCorrupt } from '../../adapters/store/ledger.ts';
import type { Result } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { SessionGone, createSessions } from '../sessions.ts';
import { failed } from './common.ts';

/** Runs `work` on the session at `dir`; `env` says whose keys are known. */
export async function withSession<T>(
  dir: string,
  work: (session: Session) => Promise<T>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Result<T>> {
  const sessions = createSessions(env);
  try {
    return { ok: true, value: await work(await sessions.open(dir)) };
  } catch (error) {
    if (error instanceof LedgerCorrupt)
      return failed(
        2,
        `Cannot read the session: ${error.message}`,
        `Restore events.jsonl from a backup; a7-rt ledger verify ${dir} names the line`,
      );
    if (error instanceof SessionGone) return failed(2, error.message);
    throw error;
  } finally {
    await sessions.close();
  }
}
