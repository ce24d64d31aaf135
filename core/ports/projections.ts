/** Files that people read, written from the ledger: `master.json` and `manager.json` (design part 4). */
import type { LedgerEvent } from '../../schemas/ledger.ts';

export interface Projections {
  /**
   * Brings the projections up to date after an append: `master.json` at commit, seal, halt and every 100 events,
   * `manager.json` whenever the run moves; it is removed when the run ends. Repeating it changes nothing.
   */
  update(events: readonly LedgerEvent[]): Promise<void>;
}
