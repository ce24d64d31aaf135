/** A session as it was when a verdict was acted on: the contracts and suites of that time judge it again (G11). */
import { foldLines } from '../../../core/ledger/fold-session.ts';
import { emptyDoc } from '../../../core/ledger/session-doc.ts';
import type { Session } from '../../../core/ports/session.ts';
import { eventOf } from '../../../core/ledger/lines.ts';
import type { LedgerLine } from '../../../schemas/ledger.ts';
import { StoredBook } from '../../../schemas/stored-book.ts';

/** The session at the line that first committed work by this report; the session as it is when no line did. */
export async function sessionWhen(session: Session, digest: string): Promise<Session> {
  const read = await session.ledger.read();
  const lines = read.kind === 'read' ? read.lines : [];
  const at = lines.findIndex((line) => commits(line, digest));
  if (at === -1) return session;
  const doc = foldLines(emptyDoc, lines.slice(0, at + 1));
  return {
    ...session,
    doc: () => Promise.resolve(doc),
    book: async () => {
      if (doc.contractsRef === null) return session.book();
      const bytes = await session.objects.get(doc.contractsRef);
      return StoredBook.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    },
  };
}

function commits(line: LedgerLine, digest: string): boolean {
  if (line.type !== 'commit_intent') return false;
  const event = eventOf(line);
  return event.type === 'commit_intent' && event.data.intent.reportDigest === digest;
}
