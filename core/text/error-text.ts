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

const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'permission denied',
};

/** Why a file could not be read, in words. */
export function readFault(error: unknown): string {
  return READ_FAULTS[errorCode(error) ?? ''] ?? errorMessage(error);
}

function fieldOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;
}
