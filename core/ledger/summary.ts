/** What an append to the ledger is called in Temporal's pages: events and the nodes that they are about. */
import type { LedgerEvent } from '../../schemas/ledger.ts';
import { nodeOfEvent } from './story.ts';

/** Temporal keeps 200 bytes of a summary; ids are ASCII. */
const SUMMARY_CHARS_MAX = 190;

/** `Ledger 12: dispatched price.money, text.slug; turn_taken`. */
export function ledgerSummary(fromSeq: number, events: readonly LedgerEvent[]): string {
  const nodes = new Map<string, Set<string>>();
  for (const event of events) {
    const about = nodeOfEvent(event);
    const known = nodes.get(event.type) ?? new Set();
    nodes.set(event.type, about === null ? known : known.add(about));
  }
  const parts = [...nodes].map(([type, ids]) => (ids.size === 0 ? type : `${type} ${[...ids].join(', ')}`));
  return `Ledger ${String(fromSeq)}: ${parts.join('; ')}`.slice(0, SUMMARY_CHARS_MAX);
}
