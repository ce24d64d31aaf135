/** What a caught value says. Node's own errors are no `instanceof Error` in another realm, so only fields are looked at. */

/** `ENOENT`, or null where the value has no such field. */
export function errorCode(error: unknown): string | null {
  const code = fieldOf(error, 'code');
  return typeof code === 'string' ? code : null;
}

/** The first line of the message, or the value as text. */
export function errorMessage(error: unknown): string {
  const message = fieldOf(error, 'message');
  return (typeof message === 'string' ? message : String(error)).split('\n')[0] ?? '';
}

function fieldOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;
}
