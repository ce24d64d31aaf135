/** VERIFYING: the snapshot in fresh rooms, by the frozen plan; FEEDBACK is made of the report alone (seed 003, steps 6 and 7). */
import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { failureText, feedbackMarkdown, feedbackOf, headlineOf, levelOf } from '../../core/order/feedback.ts';
import { violationFindings } from '../../core/order/policy.ts';
import { repositoryFinding } from '../../core/repository/finding.ts';
import { repositoryReportText } from '../../core/repository/report-text.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import type { RepositoryOutcome } from '../../core/ports/repository-gate.ts';
import type { IterationStep, VerifiedResult } from '../../schemas/order-io.ts';
import { OrderSnapshot } from '../../schemas/order.ts';
import { RepositoryReport } from '../../schemas/repository-report.ts';
import { judgeRepository } from '../repository/judge-repository.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { iterationFolder, openOrder, type OpenOrder, type OrderPorts } from './ports.ts';
import { frozenPlan } from './prepare.ts';
import { treeListing } from './tree-listing.ts';

/** Rooms that fail sooner have not run. */
const QUICK_MS = 5_000;
const ATTEMPTS = 5;

/** Judges one snapshot; PASS and FAIL are stored once. */
export async function verifyIteration(ports: OrderPorts, step: IterationStep): Promise<VerifiedResult> {
  const opened = await openOrder(ports, step.at);
  const at = iterationFolder(step.iteration);
  const known = await opened.folder.get(`${at}/report.json`);
  if (known !== null) {
    const report = RepositoryReport.parse(JSON.parse(Buffer.from(known).toString('utf8')));
    if (report.fault !== 'platform') return resultOf(ports, report);
  }
  await withHeartbeat(heartbeat, () => ports.awaitSpace(cancellationSignal()));
  const snapshot = OrderSnapshot.parse(
    JSON.parse(Buffer.from((await opened.folder.get(`${at}/snapshot.json`)) ?? '').toString('utf8')),
  );
  const { report, artifacts } = await withHeartbeat(heartbeat, () =>
    judgeSnapshot(ports, opened, snapshot, cancellationSignal()),
  );
  // An engine that is gone for a moment is waited for; what the last attempt met is the verdict.
  if (report.fault === 'platform' && report.timings.totalMs < QUICK_MS && activityInfo().attempt < ATTEMPTS)
    throw new Error(headlineOf(report));
  for (const { name, bytes } of artifacts) await opened.folder.put(`${at}/${name}`, bytes);
  await opened.folder.put(`${at}/report.txt`, `${repositoryReportText(report)}\n`);
  await opened.folder.put(`${at}/report.json`, prettyJson(report));
  return resultOf(ports, report);
}

/** What of an order's folder a verdict reads. */
type Judged = Parameters<typeof frozenPlan>[0];

/** The verdict on a snapshot, from its trees and the frozen plan alone: `order replay` asks the same. */
export async function judgeSnapshot(
  ports: Pick<OrderPorts, 'parts' | 'readSnapshot' | 'image'>,
  { folder, workspace, order }: Pick<OpenOrder, 'workspace' | 'order'> & { readonly folder: Judged },
  snapshot: OrderSnapshot,
  signal: AbortSignal | undefined,
): Promise<RepositoryOutcome> {
  const frozen = await frozenPlan(folder);
  const listing = await treeListing(workspace.trees, snapshot.tree, snapshot.commit);
  const { files, refused, notes } = await ports.readSnapshot(listing, frozen.leaveOut);
  const entries = refused.map(({ path, text }) =>
    repositoryFinding('entry_refused', 'L0', text, { place: { file: path.slice(0, 500), line: 0 } }),
  );
  return judgeRepository(
    ports.parts,
    {
      subject: { kind: 'commit', tree: snapshot.tree, commit: snapshot.commit, planFrom: frozen.planFrom },
      files,
      refused: [],
      plan: frozen.plan,
      image: ports.image,
      stepKey: `order-${order.id}-${String(snapshot.iteration)}`,
      owner: `order-${order.id}`,
      notes,
      found: [...violationFindings(snapshot.violations), ...entries],
    },
    signal,
  );
}

function resultOf(ports: OrderPorts, report: RepositoryReport): VerifiedResult {
  const { verdict, fault, digest, timings } = report;
  return {
    verdict,
    fault,
    digest,
    level: (levelOf(report) as VerifiedResult['level']) ?? null,
    signature: verdict === 'PASS' ? null : ports.parts.hash(failureText(report)),
    durationMs: Math.round(timings.totalMs),
    headline: headlineOf(report),
  };
}

/** Writes the feedback of an iteration for people, programs and the next one. */
export async function writeFeedback(
  ports: OrderPorts,
  step: IterationStep,
): Promise<{ readonly digest: string }> {
  const { folder } = await openOrder(ports, step.at);
  const at = iterationFolder(step.iteration);
  const report = RepositoryReport.parse(
    JSON.parse(Buffer.from((await folder.get(`${at}/report.json`)) ?? '').toString('utf8')),
  );
  const feedback = feedbackOf(report, step.repeats);
  const text = prettyJson(feedback);
  await folder.put(`${at}/feedback.md`, feedbackMarkdown(feedback));
  await folder.put(`${at}/feedback.json`, text);
  return { digest: ports.parts.hash(text) };
}
