/** What `JSON.parse` says of a text; undefined where it refuses. */
export function strictJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
