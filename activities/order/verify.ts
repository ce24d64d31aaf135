/** VERIFYING: the snapshot in fresh rooms, by the frozen plan; FEEDBACK is made of the report alone (seed 003, steps 6 and 7). */
import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { failureText, feedbackMarkdown, feedbackOf, headlineOf, levelOf } from '../../core/order/feedback.ts';
import { lackOf } from '../../core/repository/missing-package.ts';
import { repositoryReportText } from '../../core/repository/report-text.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import type { RepositoryOutcome } from '../../core/ports/repository-gate.ts';
import type { IterationStep, VerifiedResult } from '../../schemas/order-io.ts';
import { OrderSnapshot } from '../../schemas/order.ts';
import { RepositoryReport } from '../../schemas/repository-report.ts';
import { stableText } from '../repository/judge-repository.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { unmendable } from '../../core/order/base-tests.ts';
import { baselineOf } from './baseline.ts';
import type { Judging } from './judge-tree.ts';
import { verdictOf } from './verdict-runs.ts';
import { iterationFolder, openStep, type OpenOrder, type OrderPorts } from './ports.ts';

/** Rooms that fail sooner have not run. */
const QUICK_MS = 5_000;
const ATTEMPTS = 5;

/** Judges one snapshot; PASS and FAIL are stored once. */
export async function verifyIteration(ports: OrderPorts, step: IterationStep): Promise<VerifiedResult> {
  const opened = await openStep(ports, step.at);
  const at = iterationFolder(step.iteration);
  const known = await opened.folder.get(`${at}/report.json`);
  if (known !== null) {
    const report = RepositoryReport.parse(JSON.parse(Buffer.from(known).toString('utf8')));
    if (report.fault !== 'platform') return resultOf(ports, opened, report);
  }
  await withHeartbeat(heartbeat, () => ports.awaitSpace(cancellationSignal()));
  const snapshot = OrderSnapshot.parse(
    JSON.parse(Buffer.from((await opened.folder.get(`${at}/snapshot.json`)) ?? '').toString('utf8')),
  );
  const { platformFaults } = await opened.folder.state();
  const { report, artifacts } = await withHeartbeat(heartbeat, () =>
    judgeSnapshot({ ports, ...opened }, snapshot, platformFaults, cancellationSignal()),
  );
  // An engine that is gone for a moment is waited for; what the last attempt met is the verdict.
  if (report.fault === 'platform' && report.timings.totalMs < QUICK_MS && activityInfo().attempt < ATTEMPTS)
    throw new Error(headlineOf(report));
  for (const { name, bytes } of artifacts) await opened.folder.put(`${at}/${name}`, bytes);
  await opened.folder.put(`${at}/report.txt`, `${repositoryReportText(report)}\n`);
  await opened.folder.put(`${at}/report.json`, prettyJson(report));
  return resultOf(ports, opened, report);
}

/** The verdict on a snapshot, from its trees and the frozen plan alone: `order replay` asks the same. */
export async function judgeSnapshot(
  judging: Judging,
  snapshot: OrderSnapshot,
  platformFaults: number,
  signal: AbortSignal | undefined,
): Promise<RepositoryOutcome> {
  const { outcome, amended } = await verdictOf(judging, snapshot, platformFaults, signal);
  if (amended === null) return outcome;
  const digest = judging.ports.parts.hash(stableText(amended));
  return { ...outcome, report: { ...amended, digest } };
}

async function resultOf(
  ports: OrderPorts,
  opened: OpenOrder,
  report: RepositoryReport,
): Promise<VerifiedResult> {
  const { verdict, fault, digest, timings } = report;
  const before = await beforeOf({ ports, ...opened }, report);
  return {
    verdict,
    fault,
    digest,
    level: (levelOf(report) as VerifiedResult['level']) ?? null,
    signature: verdict === 'PASS' ? null : ports.parts.hash(failureText(report)),
    durationMs: Math.round(timings.totalMs),
    headline: headlineOf(report),
    ...(before === null ? {} : { unmendable: before }),
  };
}

/** Where something that ran failed: why no agent can help, if the base lacks the same. */
async function beforeOf(
  judging: Judging & Pick<OpenOrder, 'folder'>,
  report: RepositoryReport,
): Promise<string | null> {
  if (report.verdict === 'PASS' || report.fault === 'platform' || levelOf(report) === 'L0') return null;
  if (!report.levels.some(({ findings }) => findings.some((found) => lackOf(found) !== null))) return null;
  const { base } = await judging.folder.state();
  if (base === null) return null;
  const baseline = await withHeartbeat(heartbeat, () => baselineOf(judging, base, cancellationSignal()));
  return baseline === null ? null : unmendable(baseline);
}

/** Writes the feedback of an iteration for people, programs and the next one. */
export async function writeFeedback(
  ports: OrderPorts,
  step: IterationStep,
): Promise<{ readonly digest: string }> {
  const { folder } = await openStep(ports, step.at);
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
