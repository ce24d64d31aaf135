/** `content_hash`: the first 16 hex digits of the file's git blob id. It guards edits against stale line numbers. */

/** Digits of a `content_hash`. */
export const CONTENT_HASH_DIGITS = 16;

/** `content_hash` of a file, from its git blob id. */
export function contentHash(blobOid: string): string {
  return blobOid.slice(0, CONTENT_HASH_DIGITS);
}
