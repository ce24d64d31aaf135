/** `verify`: a recorded verdict, computed again without the cache, and compared field by field (G11). */
import { z } from 'zod';
import { compareReports } from '../../core/gate/report/compare-reports.ts';
import { inProjection } from '../../core/projection/paths.ts';
import type { VerifyRequest } from '../../core/ports/gate.ts';
import type { Result, VerifyReport } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { readInputs } from '../../adapters/store/artifacts.ts';
import { sessionPaths } from '../../adapters/store/session.ts';
import { dependenciesOf } from '../../activities/shared/verify.ts';
import { frozenBook, suiteOf, treeOfCommit } from '../../activities/shared/trees.ts';
import { resolvePlan } from '../../core/gate/plan.ts';
import { withProjectRules } from '../../core/gate/code/project-rules.ts';
import { NodeId } from '../../schemas/ids.ts';
import type { LayerLock } from '../../schemas/layer.ts';
import { type GateReport, LockedSuite } from '../../schemas/report.ts';
import { type Machine, openMachine } from '../machine.ts';
import { gateOf } from '../ports.ts';
import { imageOfLock } from '../session-image.ts';
import { type Surroundings, failed, findToRead, messageOf } from './common.ts';
import { withSession } from './open-session.ts';
import { withdrawRefuted } from './withdraw.ts';
import { type FoundReport, type NodeCommit, findReport, readCommit } from './reports/find-report.ts';
import { checkRecord } from './record/check-record.ts';
import { lockOfReport, sessionWhen } from './reports/session-at.ts';
import { typed } from '../../core/text/typed.ts';

/** Judges what a commit, a snapshot, a dispatch or a digest names, on the backend that judged it first. */
export async function verifyAgain(
  around: Surroundings,
  dir: string,
  name: string,
): Promise<Result<VerifyReport>> {
  const found = await findToRead(dir);
  if (!found.ok) return found;
  const result = await withSession(
    found.value.dir,
    (session) => verifyIn(around, session, dir, name),
    around.env,
  );
  return result.ok ? result.value : result;
}

async function verifyIn(
  around: Surroundings,
  session: Session,
  dir: string,
  name: string,
): Promise<Result<VerifyReport>> {
  const target = await findReport(session, name);
  if (target === null) return await unknownReport(session, dir, name);
  const recorded = target.report;
  const asked = await requestOf(session, target);
  if (typeof asked === 'string')
    return failed(2, `Cannot verify "${name}": ${asked}`, typed`a7-rt report ${dir}`);
  const lock = await lockOfReport(session, recorded);
  if (lock === undefined)
    return failed(2, `Cannot verify "${name}": the packages that it was judged with are not in the session`);
  const backend = recorded.isolation.backend === 'docker' ? 'docker' : 'bubblewrap';
  const machine = await openMachine(homeFolder(around.env), backend).catch(messageOf);
  if (typeof machine === 'string') return failed(4, machine, 'a7-rt setup');
  try {
    const report = await judgeAgain(session, machine, asked, recorded, lock);
    const { compared, differences, otherVerifier } = compareReports(recorded, report);
    const withdrawal = session.isCopy ? 'none' : await withdrawRefuted(session, recorded, report);
    return {
      ok: true,
      value: {
        commit: target.commit?.id ?? null,
        nodeId: recorded.subject.node,
        kind: recorded.subject.kind,
        tree: recorded.subject.tree,
        verdict: report.verdict,
        recordedDigest: recorded.digest,
        digest: report.digest,
        same: differences.length === 0,
        compared,
        verifier: report.subject.verifierVersion,
        otherVerifier,
        differences,
        withdrawal,
        record: (await checkRecord(session, null)).findings,
      },
    };
  } finally {
    await machine.sandbox.close();
  }
}

async function unknownReport(session: Session, dir: string, name: string): Promise<Result<VerifyReport>> {
  const commit = await readCommit(session, name);
  const why =
    commit === null
      ? 'it is no commit of a node, no snapshot, dispatch or report digest of this session'
      : `its report ${commit.digest} is not in the session, or is not what this digest says`;
  return failed(2, `Cannot verify "${name}": ${why}`, typed`a7-rt report ${dir}`);
}

type Asked = Omit<VerifyRequest, 'stepKey' | 'owner' | 'image' | 'useCache'>;

async function judgeAgain(
  session: Session,
  machine: Machine,
  asked: Asked,
  recorded: GateReport,
  lock: LayerLock | null,
): Promise<GateReport> {
  const request = {
    ...asked,
    stepKey: `verify-${recorded.digest.slice(7, 19)}-${String(process.pid)}`,
    owner: session.id,
    image: await imageOfLock(machine, lock),
    useCache: false,
  } as VerifyRequest;
  return (await gateOf(machine, session).verifySnapshot(request)).report;
}

/** What the verdict was asked: of a commit from git and ledger, else as recorded beside the report. */
function requestOf(session: Session, target: FoundReport): Promise<Asked | string> {
  return target.commit === null
    ? recordedRequest(session, target.report)
    : commitRequest(session, target.commit, target.report);
}

/** From the commit's own bytes, with the contracts of its time. */
async function commitRequest(
  session: Session,
  commit: NodeCommit,
  recorded: GateReport,
): Promise<Asked | string> {
  const then = await sessionWhen(session, commit.digest);
  const book = await frozenBook(then);
  const contract = book.find((each) => each.id === commit.nodeId);
  if (contract === undefined) return `node "${commit.nodeId}" is not in the seed that it was built from`;
  const suite = await suiteOf(session, commit.nodeId, commit.suite);
  const tree = await treeOfCommit(session, commit.id);
  const projection = await session.trees.filterTree(tree, inProjection(book, contract));
  const asked = {
    kind: 'code' as const,
    contract,
    plan: withProjectRules(resolvePlan(contract), (await then.book()).plan),
    tree: recorded.subject.tree,
    projection,
    dependencies: dependenciesOf(book, contract),
    // Bounded by time, so that no second one need give the same: a verdict is replayed without it.
    mutationMs: 0,
    changedPaths: null,
    locked: suite?.locked ?? null,
  };
  return asked;
}

/** What a verdict depends on is checked; what a later version adds is handed on as it is. */
const Inputs = z.looseObject({
  version: z.literal(1),
  kind: z.enum(['suite', 'code', 'examples']),
  contract: z.looseObject({ id: NodeId }),
  plan: z.looseObject({ version: z.literal(1), steps: z.array(z.unknown()) }),
  locked: LockedSuite.nullable().optional(),
  covers: z.record(z.string(), z.array(z.string())).optional(),
  changedPaths: z.array(z.string()).nullable().optional(),
});
const RecordedAsk = z.custom<Asked>((value) => Inputs.safeParse(value).success);

async function recordedRequest(session: Session, recorded: GateReport): Promise<Asked | string> {
  const { reports, runs } = sessionPaths(session.dir);
  const parsed = RecordedAsk.safeParse(
    await readInputs({ reportsDir: reports, runsDir: runs }, recorded.digest),
  );
  if (!parsed.success) return `what report ${recorded.digest} was asked is not recorded in this session`;
  // The report itself names the trees: equal projections share one report, whatever candidate asked for it first.
  const { tree, projection } = recorded.subject;
  return { ...parsed.data, tree, projection, mutationMs: 0 };
}
