/**
 * The whole record of a session: every copy of a fact is compared with the others. Ledger against its keys, branch against
 * ledger, trailers against intents and reports, `runs/` against its own records. `ledger verify` and `verify` both ask it.
 */
import { createArtifactStore } from '../../../adapters/store/artifacts.ts';
import { sessionPaths } from '../../../adapters/store/session.ts';
import { branchProblems, isKnownCommit, ledgerCommits } from '../../../core/record/branch.ts';
import type { RecordFinding } from '../../../core/record/finding.ts';
import { type SignatureReport, signatureReport } from '../../../core/record/signatures.ts';
import { trailerFindings } from '../../../core/record/trailers.ts';
import type { LedgerFault, Session } from '../../../core/ports/session.ts';
import type { LedgerLine } from '../../../schemas/ledger.ts';
import type { GateReport } from '../../../schemas/report.ts';
import { folderFindings } from './check-folders.ts';

export interface RecordCheck extends SignatureReport {
  /** What is no fault and worth saying. */
  readonly notes: readonly string[];
}

/** `wanted`: the only key that is believed; null: those of this home, and those that a person trusts. */
export async function checkRecord(session: Session, wanted: string | null): Promise<RecordCheck> {
  const commits = await session.content.log();
  const read = await session.ledger.read();
  if (read.kind === 'corrupt') return unreadable(read.fault);
  const { lines } = read;
  const ring = session.keys.ring();
  const signatures = signatureReport(lines, ring, session.keys.anchor(), wanted);
  const branch = await branchFindings(session, commits, lines);
  const { runs, reports } = sessionPaths(session.dir);
  const isSigned = lines[0]?.sig !== undefined;
  const folders = await folderFindings({ runsDir: runs, reportsDir: reports, ring, isSigned });
  return {
    ...signatures,
    findings: [...signatures.findings, ...branch.findings, ...folders],
    notes: [...branch.notes, ...signatureNotes(signatures)],
  };
}

function unreadable({ line, reason }: LedgerFault): RecordCheck {
  const finding = { check: 'signatures' as const, subject: `line ${String(line)}`, message: reason };
  return { signedBy: 'unsigned', keys: [], unsigned: 0, findings: [finding], notes: [] };
}

type Log = Awaited<ReturnType<Session['content']['log']>>;

async function branchFindings(
  session: Session,
  commits: Log,
  lines: readonly LedgerLine[],
): Promise<{ readonly findings: readonly RecordFinding[]; readonly notes: readonly string[] }> {
  const ledger = ledgerCommits(lines);
  const contracts = lines.length === 0 ? [] : (await session.book()).resolved;
  const { byHand, lost } = branchProblems(commits, ledger, contracts);
  const findings: RecordFinding[] = [
    ...byHand.map(({ commit, nodeId, path }) => ({
      check: 'branch' as const,
      subject: commit,
      message: `changes ${path} of ${nodeId}, and no verdict covers it: it was committed by hand`,
    })),
    ...lost.map(({ commit, nodeId }) => ({
      check: 'branch' as const,
      subject: commit,
      message: `is committed by the ledger for ${nodeId}, and is not on the branch`,
    })),
  ];
  const notes: string[] = [];
  const reportOf = reportReader(session);
  for (const commit of commits) {
    const told = ledger.code.find((each) => each.commit === commit.id);
    if (told !== undefined) findings.push(...(await codeFindings(commit, told, reportOf, lines)));
    else if (commit.trailers.some(([name]) => name === 'A7-Node') && !isKnownCommit(commit, ledger))
      findings.push({
        check: 'branch',
        subject: commit.id,
        message: 'says that it is of a node, and the ledger does not know it',
      });
    if (commit.parents.length > 1)
      notes.push(`commit ${commit.id} has ${String(commit.parents.length)} parents: somebody merged`);
  }
  return { findings, notes };
}

async function codeFindings(
  commit: Log[number],
  told: ReturnType<typeof ledgerCommits>['code'][number],
  reportOf: (digest: string) => Promise<GateReport | null>,
  lines: readonly LedgerLine[],
): Promise<readonly RecordFinding[]> {
  const digest = told.intent?.reportDigest ?? '';
  const report = digest === '' ? null : await reportOf(digest);
  const fail = (message: string): RecordFinding => ({ check: 'reports', subject: commit.id, message });
  const found: RecordFinding[] = [];
  if (report === null)
    found.push(fail(`names report ${digest}, which is missing, or is not what its digest says`));
  else if (report.verdict !== 'PASS') found.push(fail(`has a report that says ${report.verdict}`));
  return [...found, ...trailerFindings(commit, told, report, lines)];
}

function reportReader(session: Session): (digest: string) => Promise<GateReport | null> {
  const { runs, reports } = sessionPaths(session.dir);
  const store = createArtifactStore({ runsDir: runs, reportsDir: reports });
  return (digest) => store.reportByDigest(digest);
}

function signatureNotes({ signedBy, keys, unsigned }: SignatureReport): string[] {
  if (signedBy === 'unsigned')
    return ['no line is signed: this ledger is older than signatures, or somebody took them away'];
  const older =
    unsigned === 0
      ? []
      : [
          `lines 1 to ${String(unsigned)} are older than signatures; the first signed line vouches for their hashes`,
        ];
  const strange = keys.filter((key) => key.origin === 'session' || key.origin === 'none');
  return [
    ...older,
    ...strange.map(
      ({ keyId, origin, lines }) =>
        `key ${keyId} signed ${String(lines)} lines and is not known to this home${origin === 'none' ? '; its public key is not in .a7/keys either' : ''}`,
    ),
  ];
}
