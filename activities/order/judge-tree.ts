/** One tree of an order by its frozen plan, in fresh rooms. */
import { repositoryFinding } from '../../core/repository/finding.ts';
import type { RepositoryOutcome } from '../../core/ports/repository-gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import type { RepositoryStepOf } from '../../schemas/repository-steps.ts';
import { judgeRepository } from '../repository/judge-repository.ts';
import type { OpenOrder, OrderPorts } from './ports.ts';
import { frozenPlan } from './prepare.ts';
import { treeListing } from './tree-listing.ts';

/** What a verdict reads: `order replay` has no more than this. */
export interface Judging extends Pick<OpenOrder, 'workspace' | 'order'> {
  readonly ports: Pick<OrderPorts, 'parts' | 'readSnapshot' | 'image'>;
  readonly folder: Parameters<typeof frozenPlan>[0] & {
    putFirst?(name: string, content: string): Promise<unknown>;
  };
}

export interface JudgedTree {
  readonly tree: string;
  readonly commit: string;
  /** Names its rooms. */
  readonly name: string;
  readonly found?: readonly RepositoryFinding[];
  /** Only the test commands run, and on what this makes of the files. */
  readonly alter?: (files: readonly SandboxFile[]) => readonly SandboxFile[];
}

/** The verdict on a tree, from the workspace's store and the frozen plan alone. */
export async function judgeTree(
  { ports, folder, workspace, order }: Judging,
  { tree, commit, name, found = [], alter }: JudgedTree,
  signal: AbortSignal | undefined,
): Promise<RepositoryOutcome> {
  const frozen = await frozenPlan(folder);
  const listing = await treeListing(workspace.trees, tree, commit);
  const { files, refused, notes } = await ports.readSnapshot(listing, frozen.leaveOut);
  const entries = refused.map(({ path, text }) =>
    repositoryFinding('entry_refused', 'L0', text, { place: { file: path.slice(0, 500), line: 0 } }),
  );
  return judgeRepository(
    ports.parts,
    {
      subject: { kind: 'commit', tree, commit, planFrom: frozen.planFrom },
      files: alter === undefined ? files : alter(files),
      refused: [],
      plan: alter === undefined ? frozen.plan : testsAlone(frozen.plan),
      image: ports.image,
      stepKey: `order-${order.id}-${name}`,
      owner: `order-${order.id}`,
      notes,
      found: [...found, ...entries],
    },
    signal,
  );
}

/** Steps whose tests are seen to run. */
export function countedSteps({ steps }: GatePlan): readonly RepositoryStepOf<'test_command'>[] {
  return steps.flatMap((step) => (step.kind === 'test_command' && step.count.by !== 'none' ? [step] : []));
}

function testsAlone(plan: GatePlan): GatePlan {
  const isAsked = (step: GatePlan['steps'][number]): boolean =>
    step.kind === 'dependencies' ||
    step.kind === 'setup' ||
    (step.kind === 'test_command' && step.count.by !== 'none');
  return { ...plan, steps: plan.steps.filter(isAsked) };
}
