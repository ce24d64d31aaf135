/** Reads `verify.yaml`, and says every fault with its line. */
import type { ReadProfile } from '../../core/repository/resolve-plan.ts';
import { formatPath, type LocatedProblem, schemaMessage } from '../../core/text/located-problem.ts';
import { checkDocument } from '../../schemas/problems.ts';
import { VerifyProfile } from '../../schemas/verify-profile.ts';
import { parseLocated } from './document.ts';

export type LoadedProfile =
  | { readonly ok: true; readonly read: ReadProfile }
  | { readonly ok: false; readonly file: string; readonly problems: readonly LocatedProblem[] };

/** The profile of a text. @param file its path in the repository. */
export function parseVerifyProfile(text: string, file: string): LoadedProfile {
  const parsed = parseLocated(text);
  if (!parsed.ok)
    return { ok: false, file, problems: parsed.problems.map((problem) => ({ ...problem, path: '' })) };
  const { value, locate } = parsed.document;
  const checked = checkDocument(VerifyProfile, value);
  if (checked.ok)
    return { ok: true, read: { profile: checked.value, file, lineOf: (path) => locate(path).line } };
  const problems = checked.problems.map((problem) => ({
    ...locate(problem.path),
    path: formatPath(problem.path),
    ...schemaMessage('the gate plan', problem.path, problem),
  }));
  return { ok: false, file, problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column) };
}
