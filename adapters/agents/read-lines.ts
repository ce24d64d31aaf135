/** What command lines print as JSON lines, read as words of a stranger: unknown lines and fields are normal. */

/** Objects of the lines that are JSON. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      return [fieldsOf(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

/** A field that is text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A field that is an object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The end of what a program said, for a detail. */
export function tailOf(stderr: string, stdout: string): string {
  return (stderr.trim() || stdout.trim()).slice(-500);
}
