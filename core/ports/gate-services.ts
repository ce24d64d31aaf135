/** What `a7-rt gate` can ask for. Judging a repository needs no session, no key and no graph. */
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { Verdict } from '../../schemas/report.ts';
import type { RepositoryReport } from '../../schemas/repository-report.ts';
import type { ProfileName } from '../../schemas/verify-profile.ts';
import type { PlanPart } from '../repository/describe-plan.ts';
import type { Accounted } from '../repository/ci/workflow.ts';
import type { Result } from './result.ts';
import type { Check } from './told.ts';
import type { SnapshotKind } from './user-repository.ts';

export interface GateRunAsked {
  readonly repo: string;
  readonly kind: SnapshotKind;
  /** Of kind `commit`. */
  readonly revision: string | null;
  /** Judge by the changed plan alone. */
  readonly acceptPlan: boolean;
  readonly backend: 'docker' | 'bubblewrap' | null;
}

export interface GateRunReport {
  readonly report: RepositoryReport;
  /** Folder of this run's artifacts. */
  readonly folder: string;
}

export interface GatePlanReport {
  readonly repo: string;
  /** Path in the repository; null where a default judges. */
  readonly file: string | null;
  readonly profile: ProfileName | null;
  readonly parts: readonly PlanPart[];
  /** What became of each step of the CI workflows, where they judge. */
  readonly account: readonly Accounted[];
  readonly plan: GatePlan;
}

/** Checks of a plan, and the exit code that the gravest failure gives. */
export interface GateCheckReport {
  readonly checks: readonly Check[];
  readonly exitCode: 0 | 2 | 3 | 4;
}

/** How a fresh plan did when it was tried once. */
export interface GateTrial {
  /** Null where nothing could be judged. */
  readonly verdict: Verdict | null;
  readonly text: string;
}

export interface GateInitReport {
  readonly created: readonly string[];
  /** What of the repository's own settings was not taken over, each with the next step. */
  readonly notes: readonly string[];
  /** Null where it was not asked for. */
  readonly trial: GateTrial | null;
}

export interface GateServices {
  /** Writes `verify.yaml` and its schema; refuses to overwrite. */
  init(repo: string, profile: ProfileName | null, isTried?: boolean): Promise<Result<GateInitReport>>;
  show(repo: string): Promise<Result<GatePlanReport>>;
  check(repo: string, backend: GateRunAsked['backend']): Promise<Result<GateCheckReport>>;
  run(asked: GateRunAsked, stop: AbortSignal): Promise<Result<GateRunReport>>;
  /** @param program absolute path of the command line's entry. */
  installHook(
    repo: string,
    program: string,
  ): Promise<Result<{ readonly path: string; readonly replaced: boolean }>>;
}
