/**
 * `verifySnapshot`: the gate's one entrance (design part 8). Pure in its inputs; the report is stored under their hash, and
 * the first stored one wins (gate.md part 7).
 */
import { canonicalJson } from '../../core/text/canonical.ts';
import { isBytecode } from '../../core/gate/bytecode.ts';
import { isSuiteFile, writeSetFindings } from '../../core/gate/gate-files.ts';
import { suiteHashText } from '../../core/gate/suite/locked-suite.ts';
import {
  digestText,
  planText,
  reportKeyText,
  unsealedReport,
  VERIFIER_VERSION,
  type ReportParts,
} from '../../core/gate/report/make-report.ts';
import { resolvePlan } from '../../core/gate/plan.ts';
import { withBoughtTime } from '../../core/gate/suite/suite-calls.ts';
import { withProjectRules } from '../../core/gate/code/project-rules.ts';
import { isWallOnly } from '../../core/gate/code/two-judges.ts';
import { tierOf } from '../../core/gate/code/wall.ts';
import type {
  GateArtifact,
  GateParts,
  GatePort,
  VerifyOutcome,
  VerifyRequest,
} from '../../core/ports/gate.ts';
import { COMPILED_FOLDER } from '../../core/stubs/runner-command.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { ImageFacts } from '../../schemas/layer.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { GateReport, GateSubject } from '../../schemas/report.ts';
import { judgeRequest } from './judge-request.ts';
import type { Judged, JudgeInput } from './judged.ts';
import { checkMsOf, withMutation } from './with-mutation.ts';

/** The gate over its parts. */
export function createGate(parts: GateParts): GatePort {
  return { verifySnapshot: (request, options) => verifySnapshot(parts, request, options?.signal) };
}

/** Judges one request. Throws only when `signal` was aborted, or when the platform itself is broken (a tree that is missing). */
export async function verifySnapshot(
  parts: GateParts,
  request: VerifyRequest,
  signal?: AbortSignal,
): Promise<VerifyOutcome> {
  const startedMs = parts.nowMs();
  const plan = await planOf(parts, request);
  const files = (await parts.trees.files(request.projection)).filter(({ path }) => !isBytecode(path));
  const suiteHash = hashOfSuite(parts, request, files);
  const subject = subjectOf(parts, request, plan, suiteHash);
  const tier = request.kind === 'code' ? tierOf(request.contract, request.locked) : 'in_process';
  const image = await parts.imageFacts?.(request.image).catch(unknownFacts);
  const key = parts.hash(
    reportKeyText({
      subject,
      inputsHash: inputsHash(parts, request, image),
      isolation: parts.isolation,
      tier,
    }),
  );
  const useCache = request.useCache ?? true;
  const stored = useCache ? await parts.reports.get(key) : null;
  const context = { parts, request, environment: plan.environment, signal };
  const isDoubted = request.isDoubted ?? (useCache && (await parts.reports.doubted(key)));
  const locked = request.kind === 'code' ? request.locked : null;
  const input = { context, plan: withBoughtTime(plan, locked), files, suiteHash, tier, isDoubted };
  const asked = { ...request, isDoubted };
  if (stored !== null) return mutated(input, hit(stored, asked, plan));
  const judged = await judgeRequest(input);
  const totalMs = parts.nowMs() - startedMs;
  const report = sealed(parts, judged, { plan, subject, key, tier, image, totalMs });
  const made = { report, cacheHit: false, artifacts: [...askedFiles(asked, plan), ...judged.artifacts] };
  if (useCache && request.isCharged === true && isWallOnly(report)) await parts.reports.putDoubt(key);
  if (!useCache || report.verdict === 'INVALID' || isOfTime(report)) return mutated(input, made);
  const kept = await parts.reports.put(report);
  // Another attempt of the same step was faster: its report is the one that everybody sees.
  return mutated(input, kept.digest === report.digest ? made : hit(kept, asked, plan));
}

/** Adds the mutation check where one is asked for; it is kept beside the report, which stays as it was stored. */
async function mutated(input: JudgeInput, outcome: VerifyOutcome): Promise<VerifyOutcome> {
  const { report, artifacts } = await withMutation(input, outcome.report, checkMsOf(input.context.request));
  return { ...outcome, report, artifacts: [...outcome.artifacts, ...artifacts] };
}

/** What rests on time is never kept as FAIL: the same bytes may be in time on another day. */
function isOfTime({ verdict, levels }: GateReport): boolean {
  const found = levels.flatMap((level) => level.findings);
  return verdict === 'FAIL' && found.some(({ outcome }) => outcome === 'timed_out');
}

/** The plan that judges; a run that refuses the in-process tier overrules what a contract leaves open. */
async function planOf(parts: GateParts, request: VerifyRequest): Promise<GatePlan> {
  const plan =
    request.plan ?? withProjectRules(resolvePlan(request.contract), (await parts.projectPlan?.()) ?? null);
  return parts.requireWall === true ? { ...plan, wall: 'required' } : plan;
}

/** A sandbox that cannot tell its versions is judged all the same: what is lost there is lost here too. */
function unknownFacts(): undefined {
  return undefined;
}

/** Equal projections have equal reports: the stored one is shown for the tree that was asked about. */
function hit(stored: GateReport, request: VerifyRequest, plan: GatePlan): VerifyOutcome {
  return {
    report: { ...stored, subject: { ...stored.subject, tree: request.tree } },
    cacheHit: true,
    artifacts: askedFiles(request, plan),
  };
}

function hashOfSuite(parts: GateParts, request: VerifyRequest, files: readonly SandboxFile[]): string | null {
  const suite = files.filter((file) => isSuiteFile(file.path, request.contract));
  if (suite.length === 0) return null;
  return parts.hash(suiteHashText(suite.map((file) => ({ path: file.path, hash: parts.hash(file.bytes) }))));
}

function subjectOf(
  parts: GateParts,
  request: VerifyRequest,
  plan: GatePlan,
  suiteHash: string | null,
): GateSubject {
  return {
    node: request.contract.id,
    kind: request.kind,
    tree: request.tree,
    projection: request.projection,
    suiteHash,
    planHash: parts.hash(planText(plan)),
    image: request.image,
    verifierVersion: VERIFIER_VERSION,
  };
}

/**
 * What else decides a verdict: our programs, the contracts, the locked ids, and forbidden paths that the change touched. Allowed
 * ones are in the projection already, so that a finished commit has the key that its work had.
 */
function inputsHash(parts: GateParts, request: VerifyRequest, image: ImageFacts | undefined): string {
  const { contract, dependencies = [], changedPaths = null } = request;
  const programs = parts.runners.files(contract.language);
  const sources = programs.filter((file) => !file.path.startsWith(`${COMPILED_FOLDER}/`));
  const runners = sources.map((file) => [file.path, parts.hash(file.bytes)]);
  const own = request.kind === 'suite' ? request.covers : request.kind === 'code' ? request.locked : null;
  const role = request.kind === 'suite' ? 'test_author' : 'builder';
  const forbidden = writeSetFindings(contract, role, changedPaths ?? []);
  return parts.hash(
    canonicalJson({ runners, contract, dependencies, forbidden, own, ...(image && { image }) }),
  );
}

function sealed(
  parts: GateParts,
  judged: Judged,
  rest: Pick<ReportParts, 'plan' | 'subject' | 'key' | 'tier' | 'image' | 'totalMs'>,
): GateReport {
  const { judgement, commands, wall } = judged;
  const report = unsealedReport({ ...rest, judgement, commands, wall, isolation: parts.isolation });
  return { ...report, digest: parts.hash(digestText(report)) };
}

/** The plan, and all that the verdict was asked of: enough to ask it again. */
function askedFiles(request: VerifyRequest, plan: GatePlan): GateArtifact[] {
  const { stepKey: _key, owner: _owner, useCache: _cache, isCharged: _charged, ...inputs } = request;
  return [jsonFile('plan.json', plan), jsonFile('inputs.json', { version: 1, ...inputs, plan })];
}

function jsonFile(name: string, value: unknown): GateArtifact {
  return { name, bytes: new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`) };
}
