/**
 * Activity `commit`: the only place where work leaves the shadows (G1, gate.md part 8). A suite is locked under its ref,
 * provisional code is kept under its own, code moves the branch by compare-and-swap.
 */
import { heartbeat } from '@temporalio/activity';
import type { Session } from '../../core/ports/session.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import { testGlobs } from '../../core/projection/paths.ts';
import { lockRefusal } from '../../core/gate/code/commit-rule.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { CommitInput } from '../../schemas/stage-io.ts';
import type { CommitIntent, CommitResult } from '../../schemas/stage.ts';
import { AcceptedWork, SuiteFiles, SuiteRecord } from '../../schemas/suite-record.ts';
import { fatal } from '../shared/failures.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import {
  contractIn,
  frozenBook,
  keepTreeOfCommit,
  layOver,
  provisionalRef,
  suiteKey,
  suiteOf,
  treeOfCommit,
} from '../shared/trees.ts';
import { projectionOf } from '../shared/verify.ts';
import { commitFacts } from './commit-facts.ts';
import { commitMessage } from './commit-message.ts';
import { CommitPlan } from '../../schemas/commit-plan.ts';
import type { StagePorts } from './ports.ts';

/** Performs one intent; repeated, it finds what was done and answers the same. */
export async function commit(ports: StagePorts, input: CommitInput): Promise<CommitResult> {
  const session = await ports.sessions.open(input.at.sessionDir);
  return withHeartbeat(heartbeat, () =>
    session.exclusive(async () => {
      const { state } = await session.doc();
      if ((state.run?.run ?? 0) > input.run) {
        throw fatal(
          'FenceLost',
          `Cannot commit as run ${String(input.run)}: run ${String(state.run?.run)} owns the session`,
        );
      }
      return perform(ports, session, input);
    }),
  );
}

function perform(ports: StagePorts, session: Session, input: CommitInput): Promise<CommitResult> {
  switch (input.intent.kind) {
    case 'suite':
      return lockSuite(session, input);
    case 'provisional':
      return keepProvisional(session, input.intent);
    case 'code':
      return commitCode(ports, session, input);
  }
}

async function lockSuite(session: Session, { at, intent }: CommitInput): Promise<CommitResult> {
  const key = `${at.stageId}/${intent.nodeId}/${intent.dispatchId}`;
  const accepted = await session.results.get(key, 'accepted', AcceptedWork);
  const locked = accepted?.locked ?? null;
  if (accepted === null || locked === null)
    return notPass(`dispatch ${intent.dispatchId} left no accepted suite`);
  const record: SuiteRecord = {
    nodeId: intent.nodeId,
    version: intent.suite,
    dispatchId: intent.dispatchId,
    tree: intent.tree,
    reportDigest: intent.reportDigest,
    locked,
    exports: accepted.exports,
    testContract: accepted.testContract,
  };
  await session.trees.keep(`refs/a7/suite/${intent.nodeId}/${String(intent.suite)}`, intent.tree);
  await session.results.putFirst(suiteKey(intent.nodeId, intent.suite), 'suite', SuiteRecord, record);
  const { contract } = await frozen(session, intent.nodeId);
  await keepSpare(session, contract, record);
  return {
    status: 'committed',
    commit: intent.tree,
    head: await session.content.head(),
    facts: await commitFacts(session, contract, intent.tree, 'suite'),
  };
}

/** Record and files once more, for a session that lost its calls or its trees. */
async function keepSpare(session: Session, contract: ResolvedContract, record: SuiteRecord): Promise<void> {
  const globs = testGlobs(contract);
  const own = await session.trees.filterTree(record.tree, (path) => matchesAnyGlob(globs, path));
  const files = (await session.trees.files(own)).map(({ path, bytes, executable }) => ({
    path,
    base64: Buffer.from(bytes).toString('base64'),
    executable: executable === true,
  }));
  const key = suiteKey(record.nodeId, record.version);
  await session.spare.putFirst(key, 'files', SuiteFiles, files);
  await session.spare.putFirst(key, 'suite', SuiteRecord, record);
}

async function keepProvisional(session: Session, intent: CommitIntent): Promise<CommitResult> {
  await session.trees.keep(provisionalRef(intent.nodeId), intent.tree);
  const { contract } = await frozen(session, intent.nodeId);
  return {
    status: 'committed',
    commit: intent.tree,
    head: await session.content.head(),
    facts: await commitFacts(session, contract, intent.tree, 'code'),
  };
}

async function commitCode(ports: StagePorts, session: Session, input: CommitInput): Promise<CommitResult> {
  const { intent } = input;
  const { contract, book } = await frozen(session, intent.nodeId);
  const key = `${input.at.stageId}/${intent.nodeId}/${intent.intentId}`;
  const known = await session.results.get(key, 'commit-plan', CommitPlan);
  const plan = known ?? (await planCommit(ports, session, intent, contract, book));
  if ('status' in plan) return plan;
  if (known === null) await session.results.putFirst(key, 'commit-plan', CommitPlan, plan);
  const result = await session.content.commit({
    expectedHead: plan.expectedHead,
    tree: plan.tree,
    ...commitMessage(contract, intent, plan),
    dateSeconds: plan.dateSeconds,
  });
  switch (result.status) {
    case 'committed':
      await keepTreeOfCommit(session, result.commit, plan.tree);
      return {
        status: 'committed',
        commit: result.commit,
        head: result.commit,
        facts: await commitFacts(session, contract, plan.tree, 'code'),
      };
    case 'head_moved':
      return { status: 'head_moved', head: result.actual };
    case 'dirty':
    case 'conflict':
      return { status: result.status, paths: result.paths.map((each) => each.path).slice(0, PATHS_MAX) };
    case 'wrong_branch':
      return { status: 'dirty', paths: [`HEAD is at ${result.found}, not at ${result.expected}`] };
    case 'locked':
      throw new Error(`Cannot commit: ${result.lock} is held by a living git process`);
  }
}

const PATHS_MAX = 200;

/** The tree that will be committed, fixed before the branch moves; a refusal where the report does not cover it. */
async function planCommit(
  ports: StagePorts,
  session: Session,
  intent: CommitIntent,
  contract: ResolvedContract,
  book: readonly ResolvedContract[],
): Promise<CommitPlan | CommitResult> {
  const report = await ports.artifactsOf(session).reportByDigest(intent.reportDigest);
  const refusal = lockRefusal(report, intent);
  if (report === null || refusal !== null) return notPass(refusal ?? 'the report is missing');
  const expectedHead = await session.content.head();
  const head = await treeOfCommit(session, expectedHead);
  const tree = await candidateTree(session, head, contract, intent);
  const projection = await projectionOf({ session, book, contract }, tree);
  if (projection !== report.subject.projection) return { status: 'head_moved', head: expectedHead };
  await session.trees.keep(`refs/a7/commit/${intent.intentId}`, tree);
  const { tier, isolation } = report;
  const read = await session.ledger.read();
  const last = read.kind === 'read' ? read.lines.at(-1) : undefined;
  return {
    expectedHead,
    tree,
    dateSeconds: ports.nowSeconds(),
    tier,
    isolation: `${isolation.backend}/${isolation.level}`,
    ...(last === undefined ? {} : { ledger: { seq: last.seq, hash: last.hash } }),
  };
}

/** Code from the work, its suite from the locked record: work that a new suite judged still holds the old one. */
async function candidateTree(
  session: Session,
  head: string,
  contract: ResolvedContract,
  intent: CommitIntent,
): Promise<string> {
  const code = await layOver(session, head, contract.files, intent.tree);
  const suite = await suiteOf(session, contract.id, intent.suite);
  return suite === null ? code : layOver(session, code, testGlobs(contract), suite.tree);
}

async function frozen(
  session: Session,
  nodeId: string,
): Promise<{ readonly contract: ResolvedContract; readonly book: readonly ResolvedContract[] }> {
  const book = await frozenBook(session);
  return { contract: contractIn(book, nodeId), book };
}

function notPass(reason: string): CommitResult {
  return { status: 'not_pass', reason };
}
