/** Names and hashes that many documents share. */
import { z } from 'zod';

/** `auth.jwt`: dot-separated lower-case words; becomes a path, so nothing else is allowed (gate.md part 1). */
export const NodeId = z
  .string()
  .max(100)
  .regex(
    /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$/,
    'must be dot-separated words of a-z, 0-9 and _, for example "price.money"',
  );
export type NodeId = z.infer<typeof NodeId>;

/** `core`, `stage-1`: short, safe in workflow ids and refs. */
export const StageId = z
  .string()
  .max(60)
  .regex(/^[a-z0-9][a-z0-9_-]*$/, 'must be a-z, 0-9, _ and -, for example "core"');
export type StageId = z.infer<typeof StageId>;

/** Git object id, 40 hex digits. */
export const ObjectId = z.string().regex(/^[0-9a-f]{40}$/, 'must be 40 hex digits');
export type ObjectId = z.infer<typeof ObjectId>;

/** Content reference: `sha256:` and 64 hex digits. */
export const ContentRef = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hex digits');
export type ContentRef = z.infer<typeof ContentRef>;

export const Role = z.enum(['builder', 'test_author', 'analyst']);
export type Role = z.infer<typeof Role>;

export const ProtocolWeight = z.enum(['none', 'lean', 'full']);
export type ProtocolWeight = z.infer<typeof ProtocolWeight>;

export const Language = z.enum(['python', 'javascript', 'typescript', 'go', 'rust']);
export type Language = z.infer<typeof Language>;
