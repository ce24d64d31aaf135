/** From a shadow to a verdict: the overlay, its projection, and the gate's answer; the one way in which work is judged. */
import type { GatePort, VerifyOutcome } from '../../core/ports/gate.ts';
import type { Session } from '../../core/ports/session.ts';
import { isWallOnly } from '../../core/gate/code/two-judges.ts';
import { permits } from '../../core/gate/report/make-report.ts';
import { inProjection, testGlobs } from '../../core/projection/paths.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { GateOutcome } from '../../schemas/stage.ts';
import type { SuiteRecord } from '../../schemas/suite-record.ts';
import { baseTree, layOver } from './trees.ts';

/** Sandboxed runs of one verification before a lost engine is reported (gate.md part 5: retried at most twice). */
export const PLATFORM_ATTEMPTS_MAX = 3;

export interface VerifyContext {
  readonly session: Session;
  readonly gate: GatePort;
  readonly image: string;
  /** All contracts, Mode B surfaces frozen. */
  readonly book: readonly ResolvedContract[];
  readonly contract: ResolvedContract;
  /** Branch commit that the work is laid over. */
  readonly baseCommit: string | null;
  /** Names sandboxes and artifacts; the same for every retry. */
  readonly stepKey: string;
  readonly signal?: AbortSignal;
  /** Default true. */
  readonly useCache?: boolean;
  /** True for what may be charged to an agent; default false, for what it only asks. */
  readonly isCharged?: boolean;
  /** Time of the mutation check of code that passes. Default none, unless the contract asks for a score. */
  readonly mutationMs?: number;
  readonly needsEvidence?: boolean;
}

export interface Verified {
  readonly outcome: VerifyOutcome;
  readonly gate: GateOutcome;
  /** The whole overlay that was judged. */
  readonly tree: string;
}

/** Judges code: the branch with the node's files from `source` and its locked suite. */
export async function verifyCode(
  context: VerifyContext,
  source: string,
  suite: SuiteRecord | null,
  changedPaths: readonly string[] | null,
): Promise<Verified> {
  const { session, contract } = context;
  const base = await baseTree(session, context.baseCommit, contract);
  const code = await layOver(session, base, contract.files, source);
  const tree = suite === null ? code : await layOver(session, code, testGlobs(contract), suite.tree);
  const projection = await projectionOf(context, tree);
  const locked = suite?.locked ?? null;
  const request = requestBase(context, tree, projection);
  const outcome = await judged(context, (attempt) => ({
    ...request,
    stepKey: stepKeyOf(context, attempt),
    kind: 'code',
    locked,
    changedPaths,
  }));
  return { outcome, gate: gateOutcome(outcome, projection), tree };
}

/** Judges a suite on stubs; `source` holds its files. */
export async function verifySuite(
  context: VerifyContext,
  source: string,
  covers: Readonly<Record<string, readonly string[]>>,
  changedPaths: readonly string[],
): Promise<Verified> {
  const { session, contract } = context;
  const globs = testGlobs(contract);
  const base = await baseTree(session, context.baseCommit, contract);
  const projection = await projectionOf(context, await layOver(session, base, globs, source));
  const tree = await session.trees.filterTree(source, (path) => matchesAnyGlob(globs, path));
  const outcome = await judged(context, (attempt) => ({
    ...requestBase(context, tree, projection),
    stepKey: stepKeyOf(context, attempt),
    kind: 'suite',
    covers,
    changedPaths,
  }));
  return { outcome, gate: gateOutcome(outcome, projection), tree };
}

/** Id of the projection that judges this node within `tree`: equal ids need no second gate (gate.md part 7). */
export function projectionOf(
  context: Pick<VerifyContext, 'session' | 'book' | 'contract'>,
  tree: string,
): Promise<string> {
  return context.session.trees.filterTree(tree, inProjection(context.book, context.contract));
}

/** The report as the stage's ledger holds it: L1 only where tests ran and may ground a node, or where a suite passed. */
export function gateOutcome({ report, cacheHit }: VerifyOutcome, projection: string): GateOutcome {
  const isProven =
    report.subject.kind === 'suite' ? report.verdict === 'PASS' : permits(report) === 'grounded';
  return {
    verdict: report.verdict,
    level: isProven ? 'L1' : 'L0',
    reportDigest: report.digest,
    fault: isWallOnly(report) ? 'platform' : report.fault === 'manager' ? null : report.fault,
    ...(report.subject.kind === 'code' ? { tier: report.tier } : {}),
    projection,
    ...(cacheHit ? { cached: true as const } : {}),
  };
}

/** Contracts that the node's declarations may name: its structural dependencies. */
export function dependenciesOf(
  book: readonly ResolvedContract[],
  contract: ResolvedContract,
): readonly ResolvedContract[] {
  return book.filter((each) => contract.structural_deps.includes(each.id));
}

type Request = Parameters<GatePort['verifySnapshot']>[0];

async function judged(context: VerifyContext, request: (attempt: number) => Request): Promise<VerifyOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const options = context.signal === undefined ? {} : { signal: context.signal };
    const outcome = await context.gate.verifySnapshot(request(attempt), options);
    const platform = outcome.report.verdict === 'INVALID' && outcome.report.fault === 'platform';
    if (!platform || attempt >= PLATFORM_ATTEMPTS_MAX || context.signal?.aborted === true) return outcome;
  }
}

function requestBase(
  context: VerifyContext,
  tree: string,
  projection: string,
): Omit<Request, 'kind' | 'stepKey'> {
  const { book, contract } = context;
  return {
    contract,
    owner: context.session.id,
    tree,
    projection,
    image: context.image,
    dependencies: dependenciesOf(book, contract),
    useCache: context.useCache ?? true,
    isCharged: context.isCharged ?? false,
    ...(context.mutationMs === undefined ? {} : { mutationMs: context.mutationMs }),
    ...(context.needsEvidence === undefined ? {} : { needsEvidence: context.needsEvidence }),
  };
}

function stepKeyOf(context: VerifyContext, attempt: number): string {
  return `${context.stepKey}-${String(attempt)}`;
}
