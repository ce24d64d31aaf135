/**
 * Test names that a suite makes at run time could carry what the suite read in the clean room (a dependency's source)
 * back to its blind author (G4). Feedback repeats only names that stand in the author's own files.
 */
import type { AuthorFeedback } from '../../../schemas/feedback.ts';
import type { GateReport } from '../../../schemas/report.ts';

const MASK = '[name made at run time]';

/** The feedback with every name that `sources` do not contain replaced. */
export function maskMadeNames(
  feedback: AuthorFeedback,
  report: GateReport,
  sources: readonly string[],
): AuthorFeedback {
  const made = namesOf(report).filter(
    (name) => name !== '' && !sources.some((source) => source.includes(name)),
  );
  if (made.length === 0) return feedback;
  const longestFirst = made.toSorted((left, right) => right.length - left.length);
  const mask = (text: string): string =>
    longestFirst.reduce((masked, name) => masked.replaceAll(name, MASK), text);
  const items = feedback.items.map((item) => ({
    ...item,
    text: mask(item.text),
    test: item.test === null ? null : mask(item.test),
  }));
  return { ...feedback, items };
}

function namesOf(report: GateReport): readonly string[] {
  const ids = [...report.ids.collected, ...report.ids.ran, ...report.suiteTests.map((test) => test.id)];
  const found = report.levels.flatMap((level) => level.findings).flatMap((finding) => finding.testId ?? []);
  return [...new Set([...ids, ...found].flatMap((id) => [id.name, ...id.nesting]))];
}
