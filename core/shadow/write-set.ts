/** Which files an agent may write, and how a refusal tells it (design part 7). */
import { matchesAnyGlob } from '../globs.ts';

/** Predicate over tree paths: whether at least one of the globs matches. */
export function globPredicate(globs: readonly string[]): (path: string) => boolean {
  return (path) => matchesAnyGlob(globs, path);
}

/** The reason a model reads when it tries to write elsewhere; it names the allowed globs. */
export function outsideWriteSet(action: string, path: string, writeSet: readonly string[]): string {
  if (writeSet.length === 0) return `Cannot ${action} "${path}": this task may not write any file`;
  return `Cannot ${action} "${path}": it is outside your files. You may write: ${writeSet.join(', ')}`;
}

/** The reason for a file below the own globs that steers imports, the runner, packages or git (gate.md part 1). */
export function steersTheJudge(action: string, path: string): string {
  return `Cannot ${action} "${path}": it steers imports or the runner, so only a person may write it. Put your code into other files`;
}
