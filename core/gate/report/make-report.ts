/** Report key, digest and the finished report (gate.md part 7). Hashing is done by the caller: core has no crypto. */
import type { GatePlan } from '../../../schemas/gate-plan.ts';
import type { WallChoice } from '../../../schemas/gate-wall.ts';
import type { ImageFacts } from '../../../schemas/layer.ts';
import type {
  CommandRecord,
  GateReport,
  GateSubject,
  GateTier,
  IsolationLevel,
} from '../../../schemas/report.ts';
import type { Judgement } from '../judgement.ts';
import { canonicalJson } from '../../text/canonical.ts';
import { planLimits } from '../plan.ts';
import { compareText } from '../test-id.ts';

/** Changes whenever a rule of the verdict changes: old reports then no longer answer. */
export const VERIFIER_VERSION = '13';

export interface KeyParts {
  readonly subject: GateSubject;
  /** Contents of stubs and runner programs, of what the contract says, of the locked ids. */
  readonly inputsHash: string;
  readonly isolation: IsolationLevel;
  readonly tier: GateTier;
}

/** Text whose hash is the report key. The candidate tree is not in it: equal projections have equal reports. */
export function reportKeyText(parts: KeyParts): string {
  const { tree: _tree, ...subject } = parts.subject;
  return canonicalJson({ ...parts, subject });
}

/** Text whose hash is the plan hash; limits and environment are part of the plan. */
export function planText(plan: GatePlan): string {
  return canonicalJson(plan);
}

export interface ReportParts {
  readonly judgement: Judgement;
  readonly plan: GatePlan;
  readonly subject: GateSubject;
  readonly key: string;
  readonly tier: GateTier;
  readonly wall?: WallChoice | undefined;
  readonly isolation: IsolationLevel;
  readonly image?: ImageFacts | undefined;
  readonly commands: readonly CommandRecord[];
  readonly totalMs: number;
}

/** The report without its digest: hash `digestText` of it and add that. */
export function unsealedReport(parts: ReportParts): Omit<GateReport, 'digest'> {
  const sandboxMs = Math.max(0, ...parts.commands.map((command) => command.durationMs));
  return {
    version: 1,
    ...parts.judgement,
    tier: parts.tier,
    ...(parts.wall === undefined ? {} : { wall: parts.wall }),
    isolation: parts.isolation,
    ...(parts.image === undefined ? {} : { image: parts.image }),
    subject: parts.subject,
    key: parts.key,
    limits: planLimits(parts.plan),
    commands: [...parts.commands],
    timings: { totalMs: parts.totalMs, sandboxMs },
  };
}

/** Text whose hash is the digest: every field that two runs of the same inputs must share. */
export function digestText(report: Omit<GateReport, 'digest'>): string {
  const {
    timings: _timings,
    commands: _commands,
    mutation: _mutation,
    counterProof: _counterProof,
    tests,
    subject,
    plain,
    ...stable
  } = report;
  const { tree: _tree, ...asked } = subject;
  return canonicalJson({
    ...stable,
    ...(plain === undefined ? {} : { plain: judged(plain) }),
    subject: asked,
    tests: tests.map(({ id, outcome }) => ({ id, outcome })).toSorted(byText),
  });
}

function judged({ differences, ...plain }: NonNullable<GateReport['plain']>): unknown {
  const outcomes = differences.map(({ id, wall, plain: beside }) => [id, wall.outcome, beside.outcome]);
  return { ...plain, outcomes };
}

/** True when the report is what its digest says, field by field; `hash` is the one that made the digest. */
export function isSoundReport(report: GateReport, hash: (text: string) => string): boolean {
  const { digest, ...rest } = report;
  return hash(digestText(rest)) === digest;
}

/** What a verdict permits a node to become (G2). A PASS of contract checks alone permits `provisional`, never more. */
export function permits(report: GateReport): 'grounded' | 'provisional' | null {
  if (report.verdict !== 'PASS' || report.subject.kind === 'suite' || report.subject.kind === 'examples')
    return null;
  const ran =
    report.ids.ran.length > 0 &&
    report.levels.some((level) => level.level === 'L1' && level.status === 'passed');
  return ran ? 'grounded' : 'provisional';
}

function byText(left: unknown, right: unknown): number {
  return compareText(canonicalJson(left), canonicalJson(right));
}
