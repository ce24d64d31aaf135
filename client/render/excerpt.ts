/** The line of a file that a problem is about, with a caret under its column. */
import { readNamed } from '../named-file.ts';

const LINE_MAX_CHARS = 110;

/** Two lines of text for `file:line:column`; nothing when the place names no line that can be read. */
export function excerptOf(place: string): readonly string[] {
  const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(place) ?? [];
  if (file === undefined) return [];
  const text = lineOf(file, Number(line));
  if (text === null || text.trim() === '' || text.length > LINE_MAX_CHARS) return [];
  const shown = text.replaceAll(/[^\P{Cc}\t]/gu, '?');
  const gutter = `      ${String(line)} | `;
  const before = text.slice(0, Number(column) - 1).replace(/[^\t]/g, ' ');
  return [`${gutter}${shown}`, `${' '.repeat(gutter.length)}${before}^`];
}

function lineOf(file: string, line: number): string | null {
  try {
    return readNamed(file).toString('utf8').split('\n')[line - 1] ?? null;
  } catch {
    return null;
  }
}
