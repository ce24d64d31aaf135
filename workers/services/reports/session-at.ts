/** A session as it was when a verdict was acted on: the contracts and suites of that time judge it again (G11). */
import { foldLines } from '../../../core/ledger/fold-session.ts';
import { type SessionDoc, emptyDoc } from '../../../core/ledger/session-doc.ts';
import type { Session } from '../../../core/ports/session.ts';
import { eventOf } from '../../../core/ledger/lines.ts';
import type { LedgerLine } from '../../../schemas/ledger.ts';
import type { LayerLock } from '../../../schemas/layer.ts';
import type { GateReport } from '../../../schemas/report.ts';
import { StoredBook } from '../../../schemas/stored-book.ts';
import { bookReader } from '../../sessions.ts';

/** The session at the line that first committed work by this report; the session as it is when no line did. */
export async function sessionWhen(session: Session, digest: string): Promise<Session> {
  const read = await session.ledger.read();
  const lines = read.kind === 'read' ? read.lines : [];
  const at = lines.findIndex((line) => commits(line, digest));
  if (at === -1) return session;
  const doc = foldLines(emptyDoc, lines.slice(0, at + 1));
  const load = async (ref: string): Promise<string> =>
    Buffer.from(await session.objects.get(ref)).toString('utf8');
  const then = (): Promise<SessionDoc> => Promise.resolve(doc);
  return {
    ...session,
    doc: then,
    book: doc.contractsRef === null ? () => session.book() : bookReader(then, load),
  };
}

/** The packages that a report was judged with, of whichever seed; null: the plain image; undefined: no seed of this session had them. */
export async function lockOfReport(
  session: Session,
  { image }: Pick<GateReport, 'image'>,
): Promise<LayerLock | null | undefined> {
  if (image === undefined) return (await session.book()).layer;
  if (image.layer === null) return null;
  const read = await session.ledger.read();
  const refs = (read.kind === 'read' ? read.lines : []).flatMap((line) => {
    if (line.type !== 'seeded' && line.type !== 'contract_changed') return [];
    const event = eventOf(line);
    return event.type === 'seeded' || event.type === 'contract_changed' ? [event.data.contractsRef] : [];
  });
  for (const ref of new Set(refs.toReversed())) {
    const text = Buffer.from(await session.objects.get(ref)).toString('utf8');
    const { layer } = StoredBook.parse(JSON.parse(text));
    if (layer?.hash === image.layer.hash) return layer;
  }
  return undefined;
}

function commits(line: LedgerLine, digest: string): boolean {
  if (line.type !== 'commit_intent') return false;
  const event = eventOf(line);
  return event.type === 'commit_intent' && event.data.intent.reportDigest === digest;
}
