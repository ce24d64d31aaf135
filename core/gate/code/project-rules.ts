/**
 * The project's own rules for files (`verify.yaml`, L0) in the verdict on one node: what it forbids, names, bounds and
 * describes holds for the node's files. Its commands need the whole tree: SEAL asks them.
 */
import { matchesAnyGlob } from '../../globs.ts';
import { describePlan } from '../../repository/describe-plan.ts';
import { contractFindings } from '../../repository/contract-checks.ts';
import type { JudgedFile } from '../../repository/judged-file.ts';
import type { DocumentTools } from '../../repository/schema-files.ts';
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { GatePlan, IsolationDemand, PlanStep } from '../../../schemas/gate-plan.ts';
import type { Finding } from '../../../schemas/report.ts';
import type { RepositoryFinding } from '../../../schemas/repository-report.ts';
import type { ProjectPlan } from '../../../schemas/stored-book.ts';
import { finding } from '../finding.ts';

const NAMES_SHOWN_MAX = 100;
const RULES: ReadonlySet<PlanStep['kind']> = new Set<PlanStep['kind']>([
  'required_files',
  'forbidden_globs',
  'naming',
  'file_sizes',
  'schema_files',
  'disallowed_commands',
]);

/** A node's plan with the project's rules in it: they are part of its hash, and so of every report's key. */
export function withProjectRules(plan: GatePlan, project: ProjectPlan | null): GatePlan {
  if (project === null) return plan;
  const isolation = stronger(plan.isolation, project.plan.isolation);
  return {
    ...plan,
    sources: [...plan.sources, { kind: 'profile', detail: project.file }],
    ...(isolation === undefined ? {} : { isolation }),
    steps: [...plan.steps, ...project.plan.steps.filter((step) => RULES.has(step.kind))],
  };
}

/** The rules in words, for whoever has to keep them; of required files those that the node's own files name. */
export function ruleLines(
  project: ProjectPlan | null,
  contract: Pick<ResolvedContract, 'files'>,
): readonly string[] {
  const rules = (project?.plan.steps ?? []).filter((step) => RULES.has(step.kind));
  const steps = rules.flatMap((step) =>
    step.kind === 'required_files' ? ofNode(step, contract, []) : [step],
  );
  return describePlan({ steps }, NAMES_SHOWN_MAX).map(({ what, detail }) => `- ${what}: ${detail}`);
}

function stronger(
  own: IsolationDemand | undefined,
  project: IsolationDemand | undefined,
): IsolationDemand | undefined {
  return own === 'hardened' || project === undefined ? own : project;
}

/** What the rules of a plan find in a node's files. @param files those that the judged party wrote */
export function projectFindings(
  plan: GatePlan,
  contract: Pick<ResolvedContract, 'files'>,
  files: readonly JudgedFile[],
  tools: DocumentTools,
): Finding[] {
  const steps = plan.steps.flatMap((step) => ofNode(step, contract, files));
  return contractFindings({ ...plan, steps }, files, tools).map(asFinding);
}

/** A rule as far as one node can break it: files of others are not there, and need not be. */
function ofNode(
  step: PlanStep,
  { files: own }: Pick<ResolvedContract, 'files'>,
  files: readonly JudgedFile[],
): PlanStep[] {
  switch (step.kind) {
    case 'required_files': {
      const globs = step.globs.filter((glob) => !glob.includes('*') && matchesAnyGlob(own, glob));
      return globs.length === 0 ? [] : [{ ...step, globs }];
    }
    case 'schema_files': {
      const hasText = step.schemaText !== null || files.some((file) => file.path === step.schemaPath);
      return hasText && files.some((file) => matchesAnyGlob(step.globs, file.path)) ? [step] : [];
    }
    default:
      return RULES.has(step.kind) ? [step] : [];
  }
}

function asFinding(found: RepositoryFinding): Finding {
  return finding('project_rule', 'L0', found.text, { place: found.place });
}
