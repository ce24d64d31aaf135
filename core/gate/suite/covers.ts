/** Which tests cover which clause: what the author said, resolved to ids (gate.md part 3). */
import type { TestId } from '../../../schemas/runner-report.ts';
import type { Covers } from '../../ports/gate.ts';
import type { Clause } from './clauses.ts';
import { listed } from '../finding.ts';
import { coversRank, idKey, idText } from '../test-id.ts';

const SHOWN_MAX = 12;

export interface ClauseLinks {
  /** Clauses that at least one existing test covers. */
  readonly covered: ReadonlySet<string>;
  /** By test key: the clauses that name the test most closely (itself, else its file, else the suite). */
  readonly byTest: ReadonlyMap<string, readonly string[]>;
  /** Entries that name no clause or no test, as sentences. */
  readonly unknown: readonly string[];
}

export function clauseLinks(ids: readonly TestId[], covers: Covers, clauses: readonly Clause[]): ClauseLinks {
  const known = new Set(clauses.map((clause) => clause.id));
  const present = listed(ids.map(idText), SHOWN_MAX);
  const covered = new Set<string>();
  const unknown: string[] = [];
  const ranked = new Map<string, { rank: number; clauses: string[] }>();
  for (const [clauseId, entries] of Object.entries(covers)) {
    if (!known.has(clauseId)) {
      unknown.push(`covers names the clause "${clauseId}", which the contract does not have`);
      continue;
    }
    for (const entry of entries) {
      const matches = ids.flatMap((id) => {
        const rank = coversRank(entry, id);
        return rank === null ? [] : [{ id, rank }];
      });
      if (matches.length === 0)
        unknown.push(
          `covers names "${entry}" for ${clauseId}, which the suite does not have: name a test, its group or its file, or "*". It has ${present}`,
        );
      else covered.add(clauseId);
      for (const { id, rank } of matches) keepClosest(ranked, idKey(id), clauseId, rank);
    }
  }
  return { covered, unknown, byTest: new Map([...ranked].map(([key, entry]) => [key, entry.clauses])) };
}

function keepClosest(
  ranked: Map<string, { rank: number; clauses: string[] }>,
  key: string,
  clauseId: string,
  rank: number,
): void {
  // A test with any of its parameters is named as closely as the test itself.
  const closeness = Math.min(rank, 2);
  const entry = ranked.get(key);
  if (entry === undefined || closeness > entry.rank)
    ranked.set(key, { rank: closeness, clauses: [clauseId] });
  else if (closeness === entry.rank && !entry.clauses.includes(clauseId)) entry.clauses.push(clauseId);
}
