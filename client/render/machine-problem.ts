/** Errors of the operating system that a person can mend: they are no fault of the program. */
import type { Failed } from '../../core/ports/services.ts';

const TEXTS: Readonly<Record<string, { readonly what: string; readonly nextStep: string }>> = {
  ENOSPC: {
    what: 'no space is left on the disk',
    nextStep: 'Make space, then run the same command: nothing is lost',
  },
  EDQUOT: {
    what: 'the disk quota is used up',
    nextStep: 'Make space, then run the same command: nothing is lost',
  },
  EROFS: { what: 'the file system is read-only', nextStep: 'Make it writable, then run the same command' },
  EACCES: { what: 'permission is denied', nextStep: 'Change the owner or mode, then run the same command' },
};

/** The failure that `error` stands for; null when it is anything else. */
export function machineProblem(error: unknown): Failed | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  const text = typeof error.code === 'string' ? TEXTS[error.code] : undefined;
  if (text === undefined) return null;
  const path = 'path' in error && typeof error.path === 'string' ? ` at "${error.path}"` : '';
  return {
    ok: false,
    exitCode: 4,
    problems: [{ message: `Cannot go on: ${text.what}${path}` }],
    nextStep: text.nextStep,
  };
}
