/** DSSE envelopes: a statement with the signature of the home's key or of a person's own. */
import type { KeyObject } from 'node:crypto';
import type { Signer } from '../../core/ports/signing.ts';
import { preAuthentication } from '../../core/record/dsse.ts';
import { STATEMENT_TYPE, statementToSign } from '../../core/record/statement.ts';
import { Envelope } from '../../schemas/signature.ts';
import { isSigned } from './session-keys.ts';

/** Nodes and work orders alike: a statement's text, signed. */
export function signStatement(text: string, signer: Signer): Envelope {
  return {
    payloadType: STATEMENT_TYPE,
    payload: Buffer.from(text).toString('base64'),
    signatures: [signer.sign(statementToSign(text))],
  };
}

/** The payload's text, and the keys of `keys` that signed it; null for what is no envelope of a statement. */
export function openEnvelope(
  value: unknown,
  keys: ReadonlyMap<string, KeyObject>,
): {
  readonly text: string;
  readonly signedBy: readonly string[];
  readonly claimed: readonly string[];
} | null {
  const parsed = Envelope.safeParse(value);
  if (!parsed.success || parsed.data.payloadType !== STATEMENT_TYPE) return null;
  const { payload, payloadType, signatures } = parsed.data;
  const bytes = Buffer.from(payload, 'base64');
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) return null;
  const signed = preAuthentication(payloadType, text);
  // A key id is a hint of the envelope's: every key that is believed is tried.
  const signedBy = [...keys].filter(([, key]) => signatures.some((each) => isSigned(signed, each, key)));
  return { text, signedBy: signedBy.map(([id]) => id), claimed: signatures.map((each) => each.keyid) };
}
