/** The one form in which hashes are named: of objects, reports, ledger lines, contracts and requests. */
import { createHash } from 'node:crypto';

/** `sha256:` and 64 hex digits. */
export function sha256(content: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
