/** What is signed: DSSE's pre-authentication encoding, and the payloads of this system. Pure; keys live in `adapters/keys`. */
import { canonicalJson } from '../text/canonical.ts';

/** Of the head of a ledger: `{"hash":"sha256:…","seq":7}`. */
export const HEAD_TYPE = 'application/vnd.a7-rt.ledger-head+json';
/** Of the record of a folder of artifacts: `{"path":"r1/…","record":{…}}`. */
export const RECORD_TYPE = 'application/vnd.a7-rt.artifacts+json';

/** `DSSEv1 28 application/vnd.in-toto+json 13 {"a":"pay"…`: type and payload with their lengths in bytes, so that neither can pass for the other. */
export function preAuthentication(payloadType: string, payload: string): string {
  return `DSSEv1 ${String(bytesOf(payloadType))} ${payloadType} ${String(bytesOf(payload))} ${payload}`;
}

/** A line's hash covers all lines before it, so whoever signs the last line signs the whole ledger. */
export function headText(line: { readonly seq: number; readonly hash: string }): string {
  return preAuthentication(HEAD_TYPE, canonicalJson({ seq: line.seq, hash: line.hash }));
}

/** `path` is the folder below `runs/`: a signed record that is copied elsewhere does not hold there. */
export function recordText(path: string, record: unknown): string {
  return preAuthentication(RECORD_TYPE, canonicalJson({ path, record }));
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
