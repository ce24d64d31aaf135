/**
 * Line-addressed edits (design part 7). Line numbers are those of the file as it was read, whatever the order of the
 * operations; operations may not overlap. Untouched lines keep their bytes; new lines take the file's own line ending.
 */
import { dominantEnding, joinLines, splitLines } from './lines.ts';
import type { Line } from './lines.ts';
import { counted } from '../text/plural.ts';

/** One operation of `edit_file`. Lines count from 1; `insert_after` 0 puts text at the top. */
export interface EditOperation {
  readonly op: 'replace' | 'insert_after' | 'delete';
  readonly start_line: number;
  /** Default `start_line`; not allowed with `insert_after`. */
  readonly end_line?: number | undefined;
  /** Text of whole lines; needed by `replace` and `insert_after`. */
  readonly content?: string | undefined;
}

export type EditOutcome =
  | { readonly status: 'edited'; readonly text: string; readonly removed: number; readonly added: number }
  | { readonly status: 'refused'; readonly operation: number; readonly rule: string };

/** Applies the operations to a text. A refusal names the operation, counted from 1; nothing is applied then. */
export function applyEdits(text: string, operations: readonly EditOperation[]): EditOutcome {
  const lines = splitLines(text);
  const spans: Span[] = [];
  for (const [index, operation] of operations.entries()) {
    const span = readSpan(operation, lines.length);
    if (typeof span === 'string') return { status: 'refused', operation: index + 1, rule: span };
    const rival = spans.find((other) => overlaps(other, span));
    if (rival !== undefined) {
      const rule = `must not overlap operation ${String(rival.order + 1)}; join the two into one replace`;
      return { status: 'refused', operation: index + 1, rule };
    }
    spans.push({ ...span, order: index });
  }
  spans.sort((a, b) => a.from - b.from || a.count - b.count || a.order - b.order);
  return build(lines, spans);
}

/** `count` lines from index `from` (0-based) give way to `texts`. */
interface Span {
  readonly from: number;
  readonly count: number;
  readonly texts: readonly string[];
  readonly order: number;
}

function readSpan(operation: EditOperation, lineCount: number): Span | string {
  const { op, start_line: start, content } = operation;
  const have = `the file has ${counted(lineCount, 'line')}`;
  if (op === 'insert_after') {
    if (operation.end_line !== undefined) return 'insert_after must not have end_line';
    if (content === undefined) return 'insert_after must have content';
    if (start < 0 || start > lineCount)
      return `start_line must be 0 to ${String(lineCount)}, current value is ${String(start)}; ${have}`;
    return { from: start, count: 0, texts: contentLines(content), order: 0 };
  }
  const end = operation.end_line ?? start;
  if (start < 1 || start > lineCount)
    return `start_line must be 1 to ${String(lineCount)}, current value is ${String(start)}; ${have}`;
  if (end < start || end > lineCount) {
    return `end_line must be ${String(start)} to ${String(lineCount)}, current value is ${String(end)}; ${have}`;
  }
  if (op === 'delete') {
    if (content !== undefined) return 'delete must not have content; use replace';
    return { from: start - 1, count: end - start + 1, texts: [], order: 0 };
  }
  if (content === undefined) return 'replace must have content; use delete to remove lines';
  return { from: start - 1, count: end - start + 1, texts: contentLines(content), order: 0 };
}

/** Lines of what the model sent: a final line break ends the last line and does not begin another. */
function contentLines(content: string): string[] {
  if (content === '') return [''];
  const lines = content.split(/\r\n|\n|\r/);
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines;
}

/** Two spans clash when they share a line, or when an insertion lies inside a replaced range. */
function overlaps(a: Span, b: Span): boolean {
  if (a.count === 0 && b.count === 0) return false;
  if (a.count === 0) return a.from > b.from && a.from < b.from + b.count;
  if (b.count === 0) return b.from > a.from && b.from < a.from + a.count;
  return a.from < b.from + b.count && b.from < a.from + a.count;
}

function build(lines: readonly Line[], spans: readonly Span[]): EditOutcome {
  const ending = dominantEnding(lines);
  const result: Line[] = [];
  let at = 0;
  let removed = 0;
  let added = 0;
  for (const span of spans) {
    result.push(...lines.slice(at, span.from));
    result.push(...span.texts.map((text) => ({ text, ending })));
    at = span.from + span.count;
    removed += span.count;
    added += span.texts.length;
  }
  result.push(...lines.slice(at));
  return { status: 'edited', text: joinLines(closeLines(result, lines, ending)), removed, added };
}

/** A line without ending may only be the last; where the file had none at its end, a new last line has none either. */
function closeLines(result: readonly Line[], before: readonly Line[], ending: string): Line[] {
  const original = new Set(before);
  const openEnd = before.length > 0 && before.at(-1)?.ending === '';
  return result.map((line, index) => {
    if (index < result.length - 1) return line.ending === '' ? { text: line.text, ending } : line;
    return openEnd && !original.has(line) ? { text: line.text, ending: '' } : line;
  });
}
