/** `gate run`: one state of a repository, judged in the clean room. The repository, its index, hooks and settings stay untouched. */
import { readSnapshot, type SnapshotFiles } from '../../../adapters/git/read-snapshot.ts';
import { homeFolder } from '../../../adapters/temporal/home.ts';
import { judgeRepository } from '../../../activities/repository/judge-repository.ts';
import { refusal } from '../../../core/repository/snapshot-rules.ts';
import { defaultText } from '../../../core/repository/describe-plan.ts';
import { repositoryReportText } from '../../../core/repository/report-text.ts';
import type { ResolvedPlan } from '../../../core/repository/resolve-plan.ts';
import type { GateRunAsked, GateRunReport } from '../../../core/ports/gate-services.ts';
import type { RepositoryOutcome } from '../../../core/ports/repository-gate.ts';
import type { Result } from '../../../core/ports/services.ts';
import type { Listing, UserRepository } from '../../../core/ports/user-repository.ts';
import { prettyJson } from '../../../core/text/canonical.ts';
import type { Machine } from '../../machine.ts';
import type { Surroundings } from '../common.ts';
import { openHomeMachine } from '../home-machine.ts';
import { keepSnapshot, openRunFolder, type RunFolder } from './artifacts.ts';
import { planOf, planText, withRepository } from './plan-of.ts';
import { basePlan, type JudgedPlan } from './base-plan.ts';
import { repositoryParts } from './parts.ts';

/** Judges and stores all that was seen. The verdict is in the report; failures are of the machine or of the use. */
export async function gateRun(
  around: Surroundings,
  asked: GateRunAsked,
  stop: AbortSignal,
): Promise<Result<GateRunReport>> {
  return withRepository(asked.repo, around.env, async (repository) => {
    const listing = await repository.list({ kind: asked.kind, revision: asked.revision });
    const found = await planText(listing);
    const own = await planOf(repository.root, found, listing);
    if (!own.ok) return own;
    const planFrom = found === null ? defaultText(own.value) : `${found.file} of ${stateText(listing)}`;
    const before = await basePlan(repository, listing, found, asked.acceptPlan);
    const machine = await openHomeMachine(around, asked.backend);
    if ('ok' in machine) return machine;
    const folder = await openRunFolder(homeFolder(around.env), repository.root, new Date());
    try {
      const plans: JudgedPlan[] = [...before.plans, { resolved: own.value, planFrom }];
      const subject = { repository, listing, notes: before.notes };
      const { report, artifacts } = await judge({ machine, folder, stop }, subject, plans);
      await folder.writeAll(artifacts);
      await folder.write('report.json', prettyJson(report));
      await folder.write('report.txt', `${repositoryReportText(report)}\n`);
      return { ok: true, value: { report, folder: folder.path } };
    } finally {
      await folder.close();
      await machine.sandbox.close();
    }
  });
}

interface Bench {
  readonly machine: Machine;
  readonly folder: RunFolder;
  readonly stop: AbortSignal;
}

interface Judged {
  readonly repository: UserRepository;
  readonly listing: Listing;
  readonly notes: readonly string[];
}

/** By each plan in turn, on what it does not leave out; the first that does not pass decides. */
async function judge(
  bench: Bench,
  { repository, listing, notes }: Judged,
  plans: readonly JudgedPlan[],
): Promise<RepositoryOutcome> {
  let outcome: RepositoryOutcome | null = null;
  for (const { resolved, planFrom } of plans) {
    const { tree, files, refused, notes: read } = await takeSnapshot(bench.folder, listing, resolved);
    await keepSnapshot(bench.folder, repository, { tree, kind: listing.kind, base: listing.base });
    await bench.folder.write('plan.json', prettyJson(resolved.plan));
    outcome = await judgeRepository(
      repositoryParts(bench.machine),
      {
        subject: { kind: listing.kind, tree, commit: listing.commit, planFrom },
        files,
        refused,
        plan: resolved.plan,
        image: bench.machine.image,
        stepKey: `${bench.folder.run}-${planFrom}`,
        owner: `gate-${bench.folder.run}`,
        notes: [...read, ...notes],
      },
      bench.stop,
    );
    if (outcome.report.verdict !== 'PASS') break;
  }
  if (outcome === null) throw new RangeError('Cannot judge a repository without a plan');
  return outcome;
}

/** The files in memory and as a tree of our own store; the empty tree where some cannot be in one. */
async function takeSnapshot(
  folder: RunFolder,
  listing: Listing,
  { leaveOut }: ResolvedPlan,
): Promise<SnapshotFiles & { readonly tree: string }> {
  const snapshot = await readSnapshot(listing, leaveOut);
  const imported = await folder.store.importFiles(snapshot.files);
  if (imported.status === 'ok') return { ...snapshot, tree: imported.tree };
  const refused = imported.refusals.map(({ path, rule }) => refusal(path, 'path', rule));
  return { ...snapshot, refused: [...snapshot.refused, ...refused], tree: folder.store.emptyTree };
}

function stateText({ kind, commit }: Listing): string {
  switch (kind) {
    case 'work_tree':
      return 'the work tree';
    case 'staged':
      return 'the index';
    case 'commit':
      return `commit ${commit?.slice(0, 12) ?? ''}`;
  }
}
