/** A text as lines with their own endings, so that an edit leaves every other byte as it was. */

export interface Line {
  readonly text: string;
  /** `\n`, `\r\n`, or empty for a last line without one. A lone `\r` is text, as it is for git. */
  readonly ending: string;
}

/** Lines of a text. `joinLines(splitLines(text))` is `text`, byte for byte. The empty text has no line. */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  const pattern = /\r?\n/g;
  let start = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    lines.push({ text: text.slice(start, found.index), ending: found[0] });
    start = found.index + found[0].length;
  }
  if (start < text.length) lines.push({ text: text.slice(start), ending: '' });
  return lines;
}

/** The text of lines. */
export function joinLines(lines: readonly Line[]): string {
  return lines.map((line) => line.text + line.ending).join('');
}

/** The ending that most lines have; `\n` when none has one. */
export function dominantEnding(lines: readonly Line[]): string {
  const counts = new Map<string, number>();
  for (const line of lines)
    if (line.ending !== '') counts.set(line.ending, (counts.get(line.ending) ?? 0) + 1);
  let best = '\n';
  let most = 0;
  for (const [ending, count] of counts) {
    if (count > most) {
      best = ending;
      most = count;
    }
  }
  return best;
}
