/** VERIFYING: the snapshot in fresh rooms, by the frozen plan; FEEDBACK is made of the report alone (seed 003, steps 6 and 7). */
import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import {
  failureText,
  feedbackMarkdown,
  feedbackOf,
  headlineOf,
  levelOf,
  OLD_TESTS,
} from '../../core/order/feedback.ts';
import { isTestFile, violationFindings } from '../../core/order/policy.ts';
import type { TreeChange, TreeEntry } from '../../core/ports/git.ts';
import { lackOf } from '../../core/repository/missing-package.ts';
import { repositoryReportText } from '../../core/repository/report-text.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import type { RepositoryOutcome } from '../../core/ports/repository-gate.ts';
import type { IterationStep, VerifiedResult } from '../../schemas/order-io.ts';
import { OrderSnapshot } from '../../schemas/order.ts';
import { RepositoryReport } from '../../schemas/repository-report.ts';
import { stableText } from '../repository/judge-repository.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { withFinding, withNotes } from '../../core/repository/amend-report.ts';
import { baselineOf, unmendable, wantedTests } from './baseline.ts';
import { counterProof } from './counter-proof.ts';
import { type Judging, judgeTree } from './judge-tree.ts';
import { iterationFolder, openOrder, type OpenOrder, type OrderPorts } from './ports.ts';

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
    if (report.fault !== 'platform') return resultOf(ports, opened, report);
  }
  await withHeartbeat(heartbeat, () => ports.awaitSpace(cancellationSignal()));
  const snapshot = OrderSnapshot.parse(
    JSON.parse(Buffer.from((await opened.folder.get(`${at}/snapshot.json`)) ?? '').toString('utf8')),
  );
  const { report, artifacts } = await withHeartbeat(heartbeat, () =>
    judgeSnapshot({ ports, ...opened }, snapshot, cancellationSignal()),
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
  signal: AbortSignal | undefined,
): Promise<RepositoryOutcome> {
  const { tree, commit, iteration, before, violations } = snapshot;
  const old = await oldTests(judging, snapshot);
  const isTouched = old.length > 0 && violations.length === 0;
  const base = isTouched
    ? await baselineOf(judging, { tree: before.tree, commit: before.commit }, signal)
    : null;
  const name = String(iteration);
  const found = violationFindings(violations);
  const wanted = base === null ? [] : wantedTests(base, judging.order.policy.gateEdits);
  const outcome = await judgeTree(judging, { tree, commit, name, found, wanted }, signal);
  if (outcome.report.verdict !== 'PASS') return outcome;
  const { finding, note } = await counterProof(judging, snapshot, outcome, signal);
  if (finding !== null) return { ...outcome, report: sealed(judging, withFinding(outcome.report, finding)) };
  const told = base === null ? null : await oldTestsNote(judging, snapshot, old, signal);
  const notes = [told, note].filter((each) => each !== null);
  return { ...outcome, report: sealed(judging, withNotes(outcome.report, notes)) };
}

/** Test files of the base that the change took away or altered, as they were. */
async function oldTests(
  { workspace: { trees } }: Judging,
  { before, tree }: OrderSnapshot,
): Promise<readonly TreeEntry[]> {
  const differences = await trees.diff(before.tree, tree);
  return differences.flatMap(({ path, before: entry }) => {
    const isFile = entry?.kind === 'blob' || entry?.kind === 'executable';
    return isFile && isTestFile(path) ? [{ ...entry, path }] : [];
  });
}

/**
 * What the tests of the base say of the change. A change may be meant to alter what they expect, so this is told and does not
 * judge: a test that was emptied is green, and only the old one says so.
 */
async function oldTestsNote(
  judging: Judging,
  { tree, commit, iteration }: OrderSnapshot,
  old: readonly TreeEntry[],
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const { trees } = judging.workspace;
  const changes: TreeChange[] = [];
  for (const { path, oid, kind } of old)
    changes.push({
      kind: 'write',
      path,
      bytes: await trees.readBlob(oid),
      executable: kind === 'executable',
    });
  const mixed = await trees.writeFiles(tree, changes);
  if (mixed.status === 'refused') return null;
  const name = `${String(iteration)}-old-tests`;
  const { report } = await judgeTree(judging, { tree: mixed.tree, commit, name }, signal);
  if (report.verdict === 'PASS' || report.fault === 'platform') return null;
  return `${OLD_TESTS} ${headlineOf(report)}`.slice(0, 600);
}

function sealed({ ports }: Judging, report: Omit<RepositoryReport, 'digest'>): RepositoryReport {
  return { ...report, digest: ports.parts.hash(stableText(report)) };
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
