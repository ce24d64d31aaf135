/** Activity `checkSealProject`: the project's own gate plan (`verify.yaml`) on a fresh checkout of the branch (design part 6, SEAL). */
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { matchesAnyGlob } from '../../core/globs.ts';
import { projectOutcome } from '../../core/repository/project-outcome.ts';
import { repositoryReportText } from '../../core/repository/report-text.ts';
import type { RepositoryOutcome } from '../../core/ports/repository-gate.ts';
import type { Session } from '../../core/ports/session.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import { ProjectOutcome } from '../../schemas/stage.ts';
import type { ProjectCheckInput } from '../../schemas/stage-io.ts';
import { judgeRepository } from '../repository/judge-repository.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { treeOfCommit } from '../shared/trees.ts';
import type { JudgePorts } from './ports.ts';

/** Step of the run under whose name report and logs are kept. No dispatch, gate or seal check of a node has it. */
export const PROJECT_STEP = 'project-seal';

/** Verdict on the whole tree; a retry finds the stored one. */
export async function checkSealProject(ports: JudgePorts, input: ProjectCheckInput): Promise<ProjectOutcome> {
  const session = await ports.sessions.open(input.at.sessionDir);
  const key = `${input.at.stageId}/${PROJECT_STEP}.r${String(input.run)}.${String(input.seq)}`;
  const known = await session.results.get(key, 'project', ProjectOutcome);
  if (known !== null) return known;
  const { report, artifacts } = await withHeartbeat(heartbeat, () => judge(ports, session, input));
  const text = (name: string, content: string) => ({ name, bytes: new TextEncoder().encode(content) });
  await ports
    .artifactsOf(session)
    .saveFolder(input.run, PROJECT_STEP, `iteration-${String(input.seq)}`, [
      ...artifacts,
      text('plan.json', prettyJson((await session.book()).plan)),
      text('report.json', prettyJson(report)),
      text('report.txt', `${repositoryReportText(report)}\n`),
    ]);
  return session.results.putFirst(key, 'project', ProjectOutcome, projectOutcome(report));
}

async function judge(
  ports: JudgePorts,
  session: Session,
  { run, seq, head }: ProjectCheckInput,
): Promise<RepositoryOutcome> {
  const { plan: project } = await session.book();
  if (project === null) throw new Error('Cannot judge the project: its seed has no gate plan');
  const tree = await treeOfCommit(session, head);
  const files = (await session.trees.files(tree)).filter(
    (file) => !matchesAnyGlob(project.leaveOut, file.path),
  );
  return judgeRepository(
    ports.projectPartsOf(session),
    {
      subject: { kind: 'commit', tree, commit: head, planFrom: `${project.file}, as seeded` },
      files,
      refused: [],
      plan: project.plan,
      image: await ports.imageOf(session),
      stepKey: `${session.id}-${PROJECT_STEP}-${String(run)}-${String(seq)}`,
      owner: session.id,
      notes: [],
    },
    cancellationSignal(),
  );
}
