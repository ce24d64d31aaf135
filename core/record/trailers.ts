/** A commit's trailers against the other copies of the same facts: intent and ledger, and the report that allowed it. */
import type { LedgerLine } from '../../schemas/ledger.ts';
import type { GateReport } from '../../schemas/report.ts';
import type { BranchCommit, CommittedCode } from './branch.ts';
import type { RecordFinding } from './finding.ts';

/** `A7-Ledger: 57 sha256:…`: where the ledger stood when the commit was made. */
export const LEDGER_TRAILER = 'A7-Ledger';

export function ledgerTrailer(head: Pick<LedgerLine, 'seq' | 'hash'>): string {
  return `${String(head.seq)} ${head.hash}`;
}

/** Everything in which this commit differs from ledger and report. `report` null: it is reported elsewhere as missing. */
export function trailerFindings(
  commit: BranchCommit,
  told: CommittedCode,
  report: GateReport | null,
  lines: readonly LedgerLine[],
): readonly RecordFinding[] {
  const found: RecordFinding[] = [];
  const fail = (message: string): void => {
    found.push({ check: 'trailers', subject: commit.id, message });
  };
  const values = new Map<string, string>();
  for (const [name, value] of commit.trailers) {
    if (values.has(name)) fail(`has the trailer ${name} twice`);
    values.set(name, value);
  }
  for (const [name, wanted, from] of expected(told, report)) {
    const value = values.get(name);
    if (value === undefined) {
      // Commits older than the ledger's trailer need not have the later ones.
      if (values.has(LEDGER_TRAILER)) fail(`lacks the trailer ${name}`);
    } else if (value !== wanted) fail(`says ${name}: ${value}, ${from} says ${wanted}`);
  }
  const head = values.get(LEDGER_TRAILER);
  const problem = head === undefined ? headMissing(told, lines) : headProblem(head, told, lines);
  if (problem !== null) fail(problem);
  return found;
}

function expected(
  { nodeId, intent }: CommittedCode,
  report: GateReport | null,
): readonly (readonly [name: string, value: string, from: string])[] {
  return [
    ['A7-Node', nodeId, 'the ledger'],
    ...(intent === null
      ? []
      : ([
          ['A7-Dispatch', intent.dispatchId, 'its intent'],
          ['A7-Report', intent.reportDigest, 'its intent'],
          ['A7-Suite', String(intent.suite), 'its intent'],
        ] as const)),
    ...(report === null
      ? []
      : ([
          ['A7-Tier', report.tier, 'its report'],
          ['A7-Isolation', `${report.isolation.backend}/${report.isolation.level}`, 'its report'],
        ] as const)),
  ];
}

/** Whoever signs lines writes the trailer: only commits older than signatures lack it. */
function headMissing(told: CommittedCode, lines: readonly LedgerLine[]): string | null {
  return lines[told.intentSeq - 1]?.sig === undefined ? null : `lacks the trailer ${LEDGER_TRAILER}`;
}

function headProblem(value: string, told: CommittedCode, lines: readonly LedgerLine[]): string | null {
  const [, seq, hash] = /^(\d{1,9}) (sha256:[0-9a-f]{64})$/.exec(value) ?? [];
  if (seq === undefined || hash === undefined)
    return `says ${LEDGER_TRAILER}: ${value}, which is no line and hash`;
  const line = lines[Number(seq) - 1];
  if (line?.hash !== hash)
    return `says ${LEDGER_TRAILER}: ${value}, line ${seq} has ${line?.hash ?? 'no hash: it is not there'}`;
  return Number(seq) >= told.intentSeq && Number(seq) < told.seq
    ? null
    : `says ${LEDGER_TRAILER}: ${value}, it was committed between the lines ${String(told.intentSeq)} and ${String(told.seq)}`;
}
