/** `report`: one verdict, or the list of all that a session has. Reads files only. */
import { relative } from 'node:path';
import type { ReportAnswer, ReportRow, ReportView } from '../../core/ports/visitors.ts';
import type { Result } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { failed, findToRead } from './common.ts';
import { withSession } from './open-session.ts';
import { findReport, listIterations } from './reports/find-report.ts';
import { listRefusals } from './reports/refusals.ts';
import { typed } from '../../core/text/typed.ts';

/** The report that `name` means; all of them in short when `name` is null. */
export async function report(dir: string, name: string | null): Promise<Result<ReportAnswer>> {
  const found = await findToRead(dir);
  if (!found.ok) return found;
  const answer = await withSession(found.value.dir, async (session): Promise<ReportAnswer | null> => {
    if (name === null)
      return { kind: 'list', rows: await rowsOf(session), refusals: await listRefusals(session, null) };
    const view = await viewOf(session, name);
    if (view !== null) return { kind: 'one', view };
    // A dispatch or node that never got as far as a gate.
    const refusals = (await listRefusals(session, null)).filter((row) =>
      [row.dispatch, row.node].includes(name),
    );
    return refusals.length === 0 ? null : { kind: 'list', rows: [], refusals };
  });
  if (!answer.ok) return answer;
  if (answer.value === null) {
    return failed(
      2,
      `Cannot show "${name ?? ''}": it is no dispatch, commit, snapshot or report digest of this session`,
      typed`a7-rt report ${dir} lists them`,
    );
  }
  return { ok: true, value: answer.value };
}

async function viewOf(session: Session, name: string): Promise<ReportView | null> {
  const found = await findReport(session, name);
  if (found === null) return null;
  const { report: stored, commit, iteration } = found;
  return {
    report: stored,
    commit: commit?.id ?? null,
    folder: iteration === null ? null : shownFolder(session, iteration.folder),
    purpose: iteration?.record.purpose ?? null,
    step: iteration?.record.step ?? null,
    cached: iteration?.record.cached ?? false,
    verifyName: commit?.id.slice(0, 12) ?? stored.digest.slice('sha256:'.length, 'sha256:'.length + 16),
  };
}

async function rowsOf(session: Session): Promise<readonly ReportRow[]> {
  const all = await listIterations(session);
  return all.map(({ folder, record }) => ({
    step: record.step,
    iteration: folder.slice(folder.lastIndexOf('/') + 1),
    run: record.run,
    node: record.node,
    kind: record.kind,
    purpose: record.purpose,
    verdict: record.verdict,
    fault: record.fault,
    cached: record.cached,
    digest: record.reportDigest,
  }));
}

function shownFolder(session: Session, folder: string): string {
  return relative(session.dir, folder);
}
