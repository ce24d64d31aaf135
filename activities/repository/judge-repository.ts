/**
 * Judges a repository's snapshot by its plan, level by level; the first level with a finding is the last (design part 8).
 * Pure in its inputs: the repository is not read here, and nothing of it is written.
 */
import { canonicalJson } from '../../core/text/canonical.ts';
import { isolationProblem } from '../../core/gate/isolation.ts';
import { planText, VERIFIER_VERSION } from '../../core/gate/report/make-report.ts';
import { contractFindings } from '../../core/repository/contract-checks.ts';
import { repositoryFinding } from '../../core/repository/finding.ts';
import { withNextSteps } from '../../core/repository/next-steps.ts';
import { ownCode } from '../../core/repository/own-code.ts';
import { isCachedBytecode } from '../../core/gate/bytecode.ts';
import { isPlanFile } from '../../core/repository/plan-files.ts';
import {
  LEVELS,
  levelsOf,
  planFindings,
  refusedFindings,
  repositoryVerdict,
} from '../../core/repository/verdict.ts';
import type {
  RepositoryOutcome,
  RepositoryParts,
  RepositoryRequest,
} from '../../core/ports/repository-gate.ts';
import type { GateLevel } from '../../schemas/gate-limits.ts';
import type { RepositoryFinding, RepositoryReport } from '../../schemas/repository-report.ts';
import { checkEnvironment } from './check-environment.ts';
import { runBlackBoxes, runTests } from './run-levels.ts';
import type { RepositoryRooms } from './room.ts';
import type { LevelRun } from './level-run.ts';

/** Judges; throws only when `signal` was aborted. */
export async function judgeRepository(
  parts: RepositoryParts,
  request: RepositoryRequest,
  signal?: AbortSignal,
): Promise<RepositoryOutcome> {
  const startedMs = parts.nowMs();
  const { runs, ran } = await runLevels(parts, request, signal);
  const findings = withNextSteps(runs.flatMap((run) => run.findings));
  const commands = runs.flatMap((run) => run.commands);
  const unsealed: Omit<RepositoryReport, 'digest'> = {
    version: 1,
    ...repositoryVerdict(findings),
    tier: 'in_process',
    isolation: { backend: parts.isolation.backend, level: parts.isolation.level },
    subject: {
      ...request.subject,
      files: request.files.length,
      planHash: parts.hash(planText(request.plan)),
      image: request.image,
      verifierVersion: VERIFIER_VERSION,
    },
    levels: levelsOf(request.plan, findings, ran),
    commands,
    notes: [...request.notes],
    timings: {
      totalMs: parts.nowMs() - startedMs,
      sandboxMs: commands.reduce((sum, command) => sum + command.durationMs, 0),
    },
  };
  const report = { ...unsealed, digest: parts.hash(stableText(unsealed)) };
  return {
    report,
    artifacts: runs.flatMap((run) => run.artifacts),
    ran: runs.flatMap((run) => run.ran ?? []),
  };
}

async function runLevels(
  parts: RepositoryParts,
  request: RepositoryRequest,
  signal: AbortSignal | undefined,
): Promise<{ readonly runs: readonly LevelRun[]; readonly ran: ReadonlySet<GateLevel> }> {
  const ran = new Set<GateLevel>();
  const runs: LevelRun[] = [];
  const add = (run: LevelRun): boolean => {
    runs.push(run);
    return run.findings.length > 0;
  };
  if (add(only(refusals(parts, request)))) return { runs, ran };
  ran.add('L0');
  const contract = contractFindings(request.plan, request.files, parts.documents);
  if (add(only([...(request.found ?? []), ...contract]))) return { runs, ran };
  const prepared = await checkEnvironment(roomsOf(parts, request, signal));
  if (add(prepared.run)) return { runs, ran };
  for (const level of LEVELS.slice(1)) {
    ran.add(level);
    const run = level === 'L1' ? await runTests(prepared.rooms) : await runBlackBoxes(prepared.rooms, level);
    if (add(run)) break;
  }
  return { runs, ran };
}

function refusals(parts: RepositoryParts, { plan, refused }: RepositoryRequest): RepositoryFinding[] {
  const weak = isolationProblem(plan.isolation, parts.isolation);
  const tooWeak =
    weak === null ? [] : [repositoryFinding('isolation_refused', 'L0', `The plan is refused: ${weak}`)];
  return [...tooWeak, ...refusedFindings(refused), ...planFindings(plan)];
}

function roomsOf(
  parts: RepositoryParts,
  request: RepositoryRequest,
  signal: AbortSignal | undefined,
): RepositoryRooms {
  const files = request.files.filter(({ path }) => !isPlanFile(path) && !isCachedBytecode(path));
  return {
    parts,
    request,
    image: request.image,
    files,
    own: ownCode(files),
    links: [],
    hasPackages: false,
    setup: request.plan.steps.flatMap((step) => (step.kind === 'setup' ? [step.argv] : [])),
    signal,
    used: { count: 0 },
  };
}

function only(findings: readonly RepositoryFinding[]): LevelRun {
  return { findings, commands: [], artifacts: [] };
}

/** What the digest is over: neither times nor what was printed; two runs of the same inputs share the rest. */
export function stableText({
  timings: _timings,
  commands,
  levels,
  ...rest
}: Omit<RepositoryReport, 'digest'>): string {
  return canonicalJson({
    ...rest,
    commands: commands.map(({ level, name, command, outcome, tests }) => ({
      level,
      name,
      command,
      outcome,
      tests,
    })),
    levels: levels.map(({ findings, ...level }) => ({
      ...level,
      findings: findings.map(({ excerpt: _excerpt, actual: _actual, ...found }) => found),
    })),
  });
}
