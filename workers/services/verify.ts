/** `verify COMMIT`: the recorded verdict of a commit, computed again without the cache (G11). */
import { compareReports } from '../../core/gate/compare-reports.ts';
import { inProjection } from '../../core/projection/paths.ts';
import type { Result, VerifyReport } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { git } from '../../adapters/git/git-process.ts';
import { createArtifactStore } from '../../adapters/store/artifacts.ts';
import { sessionPaths } from '../../adapters/store/session.ts';
import { dependenciesOf } from '../../activities/shared/verify.ts';
import { frozenBook, suiteOf, treeOfCommit } from '../../activities/shared/trees.ts';
import type { GateReport } from '../../schemas/report.ts';
import { type Machine, openMachine } from '../machine.ts';
import { gateOf } from '../ports.ts';
import { sessionImage } from '../session-image.ts';
import { createSessions } from '../sessions.ts';
import { type Surroundings, failed, findSession, messageOf } from './common.ts';

/** Runs the gate of the commit's node on the commit's tree, on the backend that judged it first. */
export async function verifyCommit(
  around: Surroundings,
  dir: string,
  revision: string,
): Promise<Result<VerifyReport>> {
  const found = await findSession(dir);
  if (!found.ok) return found;
  const sessions = createSessions();
  try {
    const session = await sessions.open(found.value.dir);
    const commit = await readCommit(session, revision);
    if (commit === null) {
      return failed(
        2,
        `Cannot verify "${revision}": it is no commit of this session that a node made`,
        `git -C ${dir}/content log`,
      );
    }
    const { reports, runs } = sessionPaths(session.dir);
    const recorded = await createArtifactStore({ reportsDir: reports, runsDir: runs }).reportByDigest(
      commit.digest,
    );
    if (recorded === null)
      return failed(2, `Cannot verify "${revision}": its report ${commit.digest} is not in the session`);
    const backend = recorded.isolation.backend === 'docker' ? 'docker' : 'bubblewrap';
    const machine = await openMachine(homeFolder(around.env), backend).catch(messageOf);
    if (typeof machine === 'string') return failed(4, machine, 'npm run setup');
    try {
      const report = await judgeAgain(session, machine, commit, recorded);
      if (typeof report === 'string') return failed(2, report);
      const differences = compareReports(recorded, report);
      return {
        ok: true,
        value: {
          commit: commit.id,
          nodeId: commit.nodeId,
          verdict: report.verdict,
          recordedDigest: recorded.digest,
          digest: report.digest,
          same: differences.length === 0,
          differences,
        },
      };
    } finally {
      await machine.sandbox.close();
    }
  } finally {
    await sessions.close();
  }
}

interface NodeCommit {
  readonly id: string;
  readonly nodeId: string;
  readonly digest: string;
  readonly suite: number;
}

/** Reads without any configuration or hook of the user. */
async function readCommit(session: Session, revision: string): Promise<NodeCommit | null> {
  if (!/^\w[\w./~^-]{0,99}$/.test(revision)) return null;
  const place = { gitDir: `${session.contentDir}/.git` };
  const text = await git(place, ['log', '-1', '--format=%H%n%(trailers:unfold)', revision, '--']).catch(
    () => '',
  );
  const [id, ...trailers] = text.trim().split('\n');
  const value = (name: string): string | undefined =>
    trailers.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const nodeId = value('A7-Node');
  const digest = value('A7-Report');
  if (id === undefined || nodeId === undefined || digest === undefined) return null;
  return { id, nodeId, digest, suite: Number(value('A7-Suite') ?? 0) };
}

async function judgeAgain(
  session: Session,
  machine: Machine,
  commit: NodeCommit,
  recorded: GateReport,
): Promise<GateReport | string> {
  const book = await frozenBook(session);
  const contract = book.find((each) => each.id === commit.nodeId);
  if (contract === undefined) return `Cannot verify: node "${commit.nodeId}" is not in the last seed`;
  const suite = await suiteOf(session, commit.nodeId, commit.suite);
  const tree = await treeOfCommit(session, commit.id);
  const projection = await session.trees.filterTree(tree, inProjection(book, contract));
  const request = {
    contract,
    stepKey: `verify-${commit.id.slice(0, 12)}`,
    owner: session.id,
    tree: recorded.subject.tree,
    projection,
    image: await sessionImage(machine, session),
    dependencies: dependenciesOf(book, contract),
    useCache: false,
    // Bounded by time, so that no second one need give the same: a verdict is replayed without it.
    mutationMs: 0,
    changedPaths: null,
  };
  const gate = gateOf(machine, session);
  const outcome = await gate.verifySnapshot({ ...request, kind: 'code', locked: suite?.locked ?? null });
  return outcome.report;
}
