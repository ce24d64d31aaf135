/** A reviewer's answer → findings. It read code that an agent wrote, so its words are bounded and its places are checked. */
import {
  REVIEW_FINDINGS_MAX,
  ReviewKind,
  SaidFinding,
  SaidReview,
  type ReviewFinding,
} from '../../schemas/review.ts';

const TEXT_CHARS_MAX = 500;

/** Lines of each file that the reviewer was shown, by path. */
export type ShownFiles = ReadonlyMap<string, number>;

/** What it named; one finding of kind `unreadable` where nothing can be understood. Places that do not exist become null. */
export function readReview(text: string, shown: ShownFiles): ReviewFinding[] {
  const answer = SaidReview.safeParse(jsonIn(text));
  if (!answer.success)
    return [{ kind: 'unreadable', file: null, line: null, text: text.slice(0, TEXT_CHARS_MAX) }];
  return answer.data.findings.slice(0, REVIEW_FINDINGS_MAX).flatMap((each) => {
    const said = SaidFinding.safeParse(each);
    return said.success ? [findingOf(said.data, shown)] : [];
  });
}

function findingOf(said: SaidFinding, shown: ShownFiles): ReviewFinding {
  const kind = ReviewKind.safeParse(said.kind);
  const file = said.file !== null && said.file !== undefined && shown.has(said.file) ? said.file : null;
  const line = said.line ?? 0;
  const isThere = file !== null && Number.isInteger(line) && line >= 1 && line <= (shown.get(file) ?? 0);
  return {
    kind: kind.success && kind.data !== 'unreadable' ? kind.data : 'other',
    file,
    line: isThere ? line : null,
    text: said.text.slice(0, TEXT_CHARS_MAX),
  };
}

/** The JSON object in a text, whatever stands around it. */
function jsonIn(text: string): unknown {
  const [first, last] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (first === -1 || last < first) return null;
  try {
    return JSON.parse(text.slice(first, last + 1));
  } catch {
    return null;
  }
}
