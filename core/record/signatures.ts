/** Who signed the ledger, and whether the last head that this home remembers is still in it. */
import type { LedgerLine } from '../../schemas/ledger.ts';
import type { Anchor, KeyRing } from '../ports/signing.ts';
import { headText } from './dsse.ts';
import type { RecordFinding } from './finding.ts';

/**
 * `home`: every signed line by a key of this home or one that a person trusts. `foreign`: some by a key that only the session
 * itself vouches for. `unsigned`: no line is signed.
 */
export type SignedBy = 'home' | 'foreign' | 'unsigned';

export interface SignatureReport {
  readonly signedBy: SignedBy;
  /** Keys in the order of their first line. */
  readonly keys: readonly { readonly keyId: string; readonly origin: string; readonly lines: number }[];
  /** Lines at the start that are older than signatures. */
  readonly unsigned: number;
  readonly findings: readonly RecordFinding[];
}

/** `wanted`: the only key that is believed; null: those of this home, and those that a person trusts. */
export function signatureReport(
  lines: readonly LedgerLine[],
  ring: KeyRing,
  anchor: Anchor | null,
  wanted: string | null,
): SignatureReport {
  const findings: RecordFinding[] = [];
  const keys = new Map<string, { keyId: string; origin: string; lines: number }>();
  for (const line of lines) {
    if (line.sig === undefined) continue;
    const { status, origin } = ring.check(headText(line), line.sig);
    const subject = `line ${String(line.seq)}`;
    if (status === 'wrong')
      findings.push({
        check: 'signatures',
        subject,
        message: `carries a signature that key ${line.sig.keyid} did not make`,
      });
    const known = keys.get(line.sig.keyid) ?? {
      keyId: line.sig.keyid,
      origin: originOf(line.sig.keyid, origin, wanted),
      lines: 0,
    };
    known.lines += 1;
    keys.set(line.sig.keyid, known);
  }
  const unsigned = lines.filter((line) => line.sig === undefined).length;
  const all = [...keys.values()];
  const signedBy =
    all.length === 0 ? 'unsigned' : all.some((key) => isForeign(key.origin)) ? 'foreign' : 'home';
  if (wanted === null && signedBy === 'foreign') findings.push(...takenOver(lines, all));
  if (wanted !== null && (signedBy !== 'home' || unsigned > 0))
    findings.push({
      check: 'signatures',
      subject: 'ledger',
      message: `must be signed by key ${wanted} alone; ${
        unsigned > 0
          ? `${String(unsigned)} lines are not signed`
          : `also ${all
              .filter((key) => isForeign(key.origin))
              .map((key) => key.keyId)
              .join(', ')}`
      }`,
    });
  return { signedBy, keys: all, unsigned, findings: [...findings, ...anchorFindings(lines, anchor)] };
}

/**
 * What another home wrote before the first line of this one is a session that was handed on, or one whose home was deleted: this
 * home signed on top of it. What a stranger wrote after that is to be looked at.
 */
function takenOver(lines: readonly LedgerLine[], keys: SignatureReport['keys']): readonly RecordFinding[] {
  const foreign = new Set(keys.flatMap((key) => (isForeign(key.origin) ? [key.keyId] : [])));
  const signers = lines.flatMap(({ sig }) => (sig === undefined ? [] : [sig.keyid]));
  const own = signers.findIndex((keyId) => !foreign.has(keyId));
  if (own === -1) return [];
  const later = new Map<string, number>();
  for (const keyId of signers.slice(own))
    if (foreign.has(keyId)) later.set(keyId, (later.get(keyId) ?? 0) + 1);
  return [...later].map(([keyId, count]) => ({
    check: 'signatures' as const,
    subject: 'ledger',
    message: `holds ${String(count)} lines signed by key ${keyId}, which this home does not know, after its own`,
  }));
}

function originOf(keyId: string, origin: string | null, wanted: string | null): string {
  if (wanted !== null) return keyId === wanted ? 'known' : 'session';
  return origin ?? 'none';
}

function isForeign(origin: string): boolean {
  return origin === 'session' || origin === 'none';
}

function anchorFindings(lines: readonly LedgerLine[], anchor: Anchor | null): readonly RecordFinding[] {
  if (anchor === null) return [];
  const line = lines[anchor.seq - 1];
  if (line?.hash === anchor.hash) return [];
  const message =
    line === undefined
      ? `ends at line ${String(lines.length)}, and this home signed line ${String(anchor.seq)}: lines were taken away, or an older copy was put back`
      : `has another line ${String(anchor.seq)} than the one that this home signed`;
  return [{ check: 'signatures', subject: 'ledger', message }];
}
