/** Opens a session for one question and lets go of it; a corrupt ledger is a clear failure, not a crash. */
import { LedgerCorrupt } from '../../adapters/store/ledger.ts';
import type { Failed, Result } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { SessionGone, createSessions } from '../sessions.ts';
import { failed } from './common.ts';
import { SessionDamaged } from './session-damage.ts';
import { typed } from '../../core/text/typed.ts';

/** Runs `work` on the session at `dir`, a copy too; `env` says whose keys are known. Who writes has asked `findSession` before. */
export async function withSession<T>(
  dir: string,
  work: (session: Session) => Promise<T>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Result<T>> {
  const sessions = createSessions(env, 'reading');
  try {
    return { ok: true, value: await work(await sessions.open(dir)) };
  } catch (error) {
    const damaged = damageFailed(error, 'read the session', dir);
    if (damaged !== null) return damaged;
    if (error instanceof SessionGone) return failed(2, error.message);
    throw error;
  } finally {
    await sessions.close();
  }
}

/** What a damaged session answers to every command, with the one that goes on; null for any other error. */
export function damageFailed(error: unknown, action: string, dir: string): Failed | null {
  if (error instanceof SessionDamaged || error instanceof LedgerCorrupt) {
    const why = error.message.replace(/^Cannot [^:]*: /u, '');
    return failed(2, `Cannot ${action}: ${why}`, typed`a7-rt restore ${dir}`);
  }
  return null;
}
