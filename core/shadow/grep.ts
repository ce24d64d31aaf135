/**
 * `grep_content`: a pattern matched against each line.
 *
 * A hostile pattern can backtrack for ever. Core only bounds what it can: lengths and counts. The caller runs `searchText`
 * under a time limit that interrupts the regular expression itself (adapters/git/grep.ts).
 */
import {
  GREP_BUDGET_MS,
  GREP_LINE_MAX_CHARS,
  GREP_MAX_FILE_BYTES,
  GREP_MAX_MATCHES,
  GREP_MAX_TOTAL_BYTES,
} from './limits.ts';

export interface LinePattern {
  readonly line: RegExp;
  /** Finds texts that may hold a matching line; null where that could miss one. */
  readonly anywhere: RegExp | null;
}

export type PatternParse =
  | { readonly status: 'ok'; readonly pattern: LinePattern }
  | { readonly status: 'refused'; readonly rule: string };

/** One matching line, from 1. */
export interface LineMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** What was left out of a search, for the result's last lines. */
export interface GrepCuts {
  readonly tooLarge: readonly string[];
  readonly bytesLimit: boolean;
}

/** Reads a pattern; `(?i)` at its start, as other dialects have it, means any letter case. */
export function parsePattern(source: string): PatternParse {
  const ignoreCase = source.startsWith('(?i)');
  const body = ignoreCase ? source.slice(4) : source;
  const flags = ignoreCase ? 'i' : '';
  try {
    const line = new RegExp(body, flags);
    // Looking around, a line alone differs from a line among others: then no text may be skipped.
    const anywhere = /\(\?[=!<]/.test(body) ? null : new RegExp(body, `${flags}m`);
    return { status: 'ok', pattern: { line, anywhere } };
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : String(error);
    return { status: 'refused', rule: `must be a JavaScript regular expression: ${reason}` };
  }
}

/** Matching lines of one text, at most `limit`. */
export function searchText(pattern: LinePattern, path: string, text: string, limit: number): LineMatch[] {
  if (pattern.anywhere !== null && !pattern.anywhere.test(text)) return [];
  const matches: LineMatch[] = [];
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  for (const [index, line] of lines.entries()) {
    if (matches.length >= limit) break;
    if (pattern.line.test(line)) matches.push({ path, line: index + 1, text: line });
  }
  return matches;
}

/** The result's text. `matches` may hold one more than is shown. */
export function grepText(source: string, matches: readonly LineMatch[], cuts: GrepCuts): string {
  const shown = matches.slice(0, GREP_MAX_MATCHES);
  const files = new Set(shown.map((match) => match.path)).size;
  const head =
    shown.length === 0
      ? `No line matches /${source}/`
      : `${shown.length} ${shown.length === 1 ? 'line' : 'lines'} in ${files} ${files === 1 ? 'file' : 'files'}`;
  return [head, ...shown.map(matchText), ...cutTexts(matches.length, cuts)].join('\n');
}

/** The failure's text when matching took too long. */
export function tooSlowText(source: string): string {
  return `Cannot search for /${source}/: matching took longer than ${GREP_BUDGET_MS} ms. Use a simpler pattern without nested repetition, or a narrower glob`;
}

function matchText(match: LineMatch): string {
  const { text } = match;
  const cut = text.length > GREP_LINE_MAX_CHARS;
  return `${match.path}:${match.line}: ${cut ? `${text.slice(0, GREP_LINE_MAX_CHARS)} [cut]` : text}`;
}

function cutTexts(found: number, cuts: GrepCuts): string[] {
  const texts: string[] = [];
  if (found > GREP_MAX_MATCHES) {
    texts.push(`[Stopped after ${GREP_MAX_MATCHES} lines; there are more. Use a narrower pattern or glob.]`);
  }
  if (cuts.bytesLimit)
    texts.push(`[Stopped after ${GREP_MAX_TOTAL_BYTES} bytes of files. Use a narrower glob.]`);
  if (cuts.tooLarge.length > 0) {
    texts.push(`[Not searched, over ${GREP_MAX_FILE_BYTES} bytes: ${cuts.tooLarge.slice(0, 5).join(', ')}]`);
  }
  return texts;
}
