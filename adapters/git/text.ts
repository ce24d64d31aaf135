/** Whether bytes are text, and which. */

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes as a string that encodes to the same bytes, or null for binary or invalid UTF-8. A byte order mark stays. */
export function decodeText(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return DECODER.decode(bytes);
  } catch {
    return null;
  }
}
