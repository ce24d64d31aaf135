/** Signatures of DSSE (ed25519): of ledger lines, artifacts' records, and statements about verdicts. */
import { z } from 'zod';

/** First 32 hex digits of the sha256 over the public key as SPKI in DER form. */
export const KeyId = z.string().regex(/^[0-9a-f]{32}$/);
export type KeyId = z.infer<typeof KeyId>;

export const Signature = z.strictObject({ keyid: KeyId, sig: z.base64().max(100) });
export type Signature = z.infer<typeof Signature>;

/** A DSSE envelope as others read it: `payload` is base64 of the bytes that were signed. */
export const Envelope = z.looseObject({
  payloadType: z.string().min(1).max(200),
  payload: z.base64().max(1_000_000),
  signatures: z
    .array(z.looseObject({ keyid: z.string().max(200).default(''), sig: z.base64().max(200) }))
    .min(1)
    .max(20),
});
export type Envelope = z.infer<typeof Envelope>;
