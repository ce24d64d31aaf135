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
  NO_SUCH_PLACE: {
    what: 'no folder can be made',
    nextStep: 'Set A7_HOME to a folder on a disk, or unset it, then run the same command',
  },
  EACCES: { what: 'permission is denied', nextStep: 'Change the owner or mode, then run the same command' },
};

/** The failure that `error` stands for; null when it is anything else. */
export function machineProblem(error: unknown): Failed | null {
  if (typeof error !== 'object' || error === null) return null;
  if ('name' in error && error.name === 'LockTimeout') return heldProblem(error);
  if (!('code' in error)) return null;
  const text = typeof error.code === 'string' ? TEXTS[error.code] : undefined;
  if (text === undefined) return null;
  const path = 'path' in error && typeof error.path === 'string' ? ` at "${placeOf(error.path)}"` : '';
  return {
    ok: false,
    exitCode: 4,
    problems: [{ message: `Cannot go on: ${text.what}${path}` }],
    nextStep: text.nextStep,
  };
}

/** Files are written beside their place first: a person is told the place. */
function placeOf(path: string): string {
  return path.replace(/\.\d+-[0-9a-f]+\.tmp$/u, '');
}

/** Holders of a lock work for milliseconds: one that holds it for long was stopped, or hangs. */
function heldProblem(error: object): Failed {
  const message = 'message' in error ? String(error.message) : 'a lock is held';
  return {
    ok: false,
    exitCode: 3,
    problems: [{ message }],
    nextStep:
      'A stopped process of this session (Ctrl-Z, a debugger) holds it: let it go on (fg) or end it, then run the same command',
  };
}
