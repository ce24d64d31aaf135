/** The object store port: bytes by the hash of their content (design part 4, `<session>/objects/`). */
import type { ContentRef } from '../../schemas/ids.ts';

/**
 * Contract: an object is never changed and never removed by this port. `put` returns only after the bytes are on disk.
 */
export interface ObjectStore {
  /** Stores the bytes (text as UTF-8) and returns their reference. Storing the same bytes again changes nothing. */
  put(content: Uint8Array | string): Promise<ContentRef>;
  /** Reads and verifies. @throws when the object is missing or its bytes do not match the reference. */
  get(ref: ContentRef): Promise<Uint8Array>;
}
