/** Lines → document: the fold of the ledger with its texts, and the check that the chain goes on. */
import type { LedgerLine } from '../../schemas/ledger.ts';
import { A7Error } from '../errors.ts';
import { draftOf } from '../stage/draft.ts';
import { applyEvent } from '../stage/fold.ts';
import { eventOf } from './lines.ts';
import type { DocDraft, SessionDoc } from './session-doc.ts';
import { foldTexts } from './session-texts.ts';

/** Lines in order, each the successor of what `doc` holds. @throws {A7Error} EVENT_ORDER for a gap or a foreign chain. */
export function foldLines(doc: SessionDoc, lines: readonly LedgerLine[]): SessionDoc {
  const draft: DocDraft = {
    ...doc,
    state: draftOf(doc.state),
    nodes: { ...doc.nodes },
    digests: { ...doc.digests },
  };
  for (const line of lines) {
    if (line.seq !== draft.state.seq + 1 || line.prev !== draft.headHash) {
      throw new A7Error(
        'EVENT_ORDER',
        `Cannot fold line ${String(line.seq)}: it must follow line ${String(draft.state.seq)} with hash ${draft.headHash}`,
      );
    }
    const event = eventOf(line);
    foldTexts(draft, event, line.at);
    applyEvent(draft.state, event);
    draft.headHash = line.hash;
    draft.at = line.at;
  }
  return draft;
}
