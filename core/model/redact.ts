/** Error texts of endpoints, made safe for files, logs and people. */

const MESSAGE_CHARS_MAX = 500;
const KEY_LIKE = /\b(sk|pk|key|or)-[A-Za-z0-9_*-]{8,}/g;
const BEARER = /\bBearer\s+\S+/gi;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g;

/** Removes the key and whatever looks like one, control characters, and all beyond 500 characters. */
export function redactMessage(message: string, secret: string | null): string {
  const withoutSecret =
    secret === null || secret.length < 4 ? message : message.replaceAll(secret, '[redacted]');
  const clean = withoutSecret
    .replace(BEARER, 'Bearer [redacted]')
    .replace(KEY_LIKE, '[redacted]')
    .replace(CONTROL, ' ')
    .trim();
  return clean.length > MESSAGE_CHARS_MAX ? `${clean.slice(0, MESSAGE_CHARS_MAX)}…` : clean;
}
