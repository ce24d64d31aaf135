/** What one finding decides, in every verdict table. */
import type { Fault, Verdict } from '../../schemas/report.ts';

export interface VerdictRow {
  readonly verdict: Exclude<Verdict, 'PASS'>;
  readonly fault: Fault;
  /** The row with the lowest rank decides. */
  readonly rank: number;
}

/** The row that decides, the first of equals; null for none. */
export function gravest(rows: readonly VerdictRow[]): VerdictRow | null {
  return rows.reduce<VerdictRow | null>(
    (least, row) => (least === null || row.rank < least.rank ? row : least),
    null,
  );
}
