/** The verdict on a repository: what each finding decides, and the levels of the report. */
import type { GateLevel } from '../../schemas/gate-limits.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { Fault, Verdict } from '../../schemas/report.ts';
import type {
  RepositoryFinding,
  RepositoryFindingCode,
  RepositoryLevel,
} from '../../schemas/repository-report.ts';
import { gravest, type VerdictRow as Row } from '../gate/verdict-row.ts';
import { checkPath } from '../shadow/path-rules.ts';
import { brokenGlobs } from './contract-checks.ts';
import { repositoryFinding } from './finding.ts';
import { unprovable } from './judge-tests.ts';
import type { RefusedPath } from './snapshot-rules.ts';

/** A person must look at plan or repository: nobody's code is at fault. */
const plan: Row = { verdict: 'INVALID', fault: 'manager', rank: 0 };
const platform: Row = { verdict: 'INVALID', fault: 'platform', rank: 1 };
const contract: Row = { verdict: 'FAIL', fault: 'builder', rank: 2 };
const limit: Row = { verdict: 'FAIL', fault: 'builder', rank: 3 };
const forged: Row = { verdict: 'INVALID', fault: 'builder', rank: 4 };
const red: Row = { verdict: 'FAIL', fault: 'builder', rank: 5 };
const unproven: Row = { verdict: 'INVALID', fault: 'manager', rank: 6 };

const TABLE: Readonly<Record<RepositoryFindingCode, Row>> = {
  snapshot_refused: plan,
  plan_empty: plan,
  plan_refused: plan,
  isolation_refused: platform,
  schema_unusable: plan,
  proof_missing: plan,
  dependencies_unresolved: platform,
  package_over_tree: plan,
  // What was judged is not what was asked about: nothing else counts.
  foreign_module: plan,
  tree_not_judged: plan,
  runtime_missing: platform,
  platform_lost: platform,
  platform_wall: platform,
  required_missing: contract,
  forbidden_file: contract,
  naming: contract,
  file_too_large: contract,
  binary_too_large: contract,
  schema_violated: contract,
  command_disallowed: contract,
  gate_file_changed: contract,
  path_not_allowed: contract,
  entry_refused: contract,
  tests_removed: contract,
  follows_suite: red,
  answered_beside: red,
  tests_weakened: red,
  too_much_changed: contract,
  no_change: contract,
  wall_limit: limit,
  memory_limit: limit,
  output_limit: limit,
  process_limit: limit,
  disk_limit: limit,
  report_missing: forged,
  report_second: forged,
  report_broken: forged,
  early_exit: forged,
  id_vanished: forged,
  setup_failed: red,
  command_failed: red,
  test_failed: red,
  collection_error: red,
  late_error: red,
  xpassed: red,
  fixture_failed: red,
  execution_failed: red,
  nothing_ran: unproven,
  too_few_tests: unproven,
  skipped: unproven,
  file_without_tests: unproven,
};

export const LEVELS: readonly GateLevel[] = ['L0', 'L1', 'L2', 'L3'];

/** PASS for no finding; else what the gravest of them decides. */
export function repositoryVerdict(findings: readonly RepositoryFinding[]): {
  readonly verdict: Verdict;
  readonly fault: Fault | null;
} {
  const row = gravest(findings.map(({ code }) => TABLE[code]));
  return row === null ? { verdict: 'PASS', fault: null } : { verdict: row.verdict, fault: row.fault };
}

/** Paths that cannot be judged: named up to a bound. */
export function refusedFindings(refused: readonly RefusedPath[]): RepositoryFinding[] {
  const rest = refused.length - REFUSED_NAMED_MAX;
  const named = refused.slice(0, REFUSED_NAMED_MAX).map(({ path, text }) =>
    repositoryFinding('snapshot_refused', 'L0', text, {
      place: { file: path.slice(0, 500), line: 0 },
      nextStep: 'Mend it, or list it under policy.leave_out of the plan',
    }),
  );
  return rest <= 0
    ? named
    : [...named, repositoryFinding('snapshot_refused', 'L0', `${String(rest)} more paths cannot be judged`)];
}

const REFUSED_NAMED_MAX = 20;

/** Why a plan proves nothing, before anything runs: G3 and the rule that an exit code is no proof. */
export function planFindings(gatePlan: GatePlan): RepositoryFinding[] {
  const refused = gatePlan.steps.flatMap((step) =>
    step.kind === 'refused'
      ? [repositoryFinding('plan_refused', 'L0', `${step.reason} (${step.source.detail})`)]
      : [],
  );
  if (gatePlan.steps.length === 0) {
    return [
      repositoryFinding('plan_empty', 'L0', 'The gate plan is empty: nothing would be judged', {
        nextStep: 'a7-rt gate init writes a plan to start from',
      }),
    ];
  }
  const badPaths = gatePlan.steps.flatMap(badPathFindings);
  const silent = gatePlan.steps.flatMap((step) =>
    step.kind === 'test_command' ? (unprovable(step) ?? []) : [],
  );
  const proves = gatePlan.steps.some(
    (step) => step.kind === 'fixture' || (step.kind === 'test_command' && step.count.by !== 'none'),
  );
  const globs = brokenGlobs(gatePlan).map(({ glob, why, at }) =>
    repositoryFinding('plan_refused', 'L0', `Cannot use glob "${glob}" (${at}): ${why}`),
  );
  if (globs.length > 0) return globs;
  if (proves || refused.length > 0) return [...refused, ...badPaths, ...silent];
  const text =
    'The gate plan has neither a test command (L1) nor a fixture (L2): nothing would show that the work works';
  return [repositoryFinding('plan_empty', 'L1', text, { nextStep: 'Add tests or fixtures to the plan' })];
}

/** Inputs of a fixture that could not be laid into a room. */
function badPathFindings(step: GatePlan['steps'][number]): RepositoryFinding[] {
  if (step.kind !== 'fixture' && step.kind !== 'execution') return [];
  return Object.keys(step.files).flatMap((path) => {
    const bad = checkPath(path);
    if (bad === null) return [];
    const text = `Input "${path}" of "${step.name}" (${step.source.detail}): a path ${bad.rule}`;
    return [repositoryFinding('plan_refused', 'L0', text, { step: step.name })];
  });
}

/** The levels of a report; what was not carried out says so. */
export function levelsOf(
  gatePlan: GatePlan,
  findings: readonly RepositoryFinding[],
  ran: ReadonlySet<GateLevel>,
): RepositoryLevel[] {
  return LEVELS.map((level) => {
    const own = findings.filter((found) => found.level === level);
    const checks = gatePlan.steps.filter((step) => step.level === level).length;
    const row = gravest(own.map(({ code }) => TABLE[code]));
    if (row !== null)
      return { level, status: row.verdict === 'FAIL' ? 'failed' : 'invalid', checks, findings: own };
    return { level, status: ran.has(level) && checks > 0 ? 'passed' : 'not_run', checks, findings: own };
  });
}
