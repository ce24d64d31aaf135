/** `challenge`: a person's own cheat through the real gate of a session. Ledger, branch, budget and cache are not touched. */
import { stat } from 'node:fs/promises';
import { readFault } from '../../core/text/error-text.ts';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import { builderText } from '../../core/gate/report/feedback-text.ts';
import { wallsOf } from '../../core/gate/code/walls.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import { visibleToBuilder } from '../../core/projection/paths.ts';
import type { TreeChange, TreeRefusal } from '../../core/ports/git.ts';
import type { Result } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import type { ChallengeAnswer, ChallengeAsk } from '../../core/ports/visitors.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { readNamedFile } from '../../adapters/system/named-file.ts';
import { type ReadFile, readFolder } from '../../adapters/system/read-folder.ts';
import { baseTree, contractIn, frozenBook, suiteOf } from '../../activities/shared/trees.ts';
import { projectionOf, verifyCode } from '../../activities/shared/verify.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { SuiteRecord } from '../../schemas/suite-record.ts';
import { type Machine, openMachine } from '../machine.ts';
import { readConfig } from '../models.ts';
import { gateOf } from '../ports.ts';
import { sessionImage } from '../session-image.ts';
import { type Surroundings, configFailed, failed, findSession, messageOf, placesOf } from './common.ts';
import { withSession } from './open-session.ts';
import { type ScratchSession, scratchSession } from './reports/scratch-session.ts';
import { typed } from '../../core/text/typed.ts';

/** Judges a person's files as if a builder of the node had submitted them. */
export async function challenge(
  around: Surroundings,
  dir: string,
  ask: ChallengeAsk,
): Promise<Result<ChallengeAnswer>> {
  const found = await findSession(dir);
  if (!found.ok) return found;
  const read = await readConfig(found.value.dir, placesOf(around));
  if (!read.ok) return configFailed(read.messages, dir);
  const result = await withSession(found.value.dir, async (real) => {
    const target = await targetOf(real, dir, ask);
    if ('ok' in target) return target;
    const machine = await openMachine(homeFolder(around.env), read.config.sandbox).catch(messageOf);
    if (typeof machine === 'string') return failed(4, machine, 'a7-rt setup');
    const scratch = await scratchSession(real);
    try {
      const suite = target.suite === null ? null : await adopted(target.suite, scratch);
      const answer = await judge(real, scratch.session, machine, { ...target, suite });
      return { ok: true as const, value: answer };
    } finally {
      await scratch.close();
      await machine.sandbox.close();
    }
  });
  return result.ok ? result.value : result;
}

export interface Target {
  readonly contract: ResolvedContract;
  readonly book: readonly ResolvedContract[];
  readonly suite: SuiteRecord | null;
  readonly files: readonly ReadFile[];
  /** Links and other entries that no tree of a builder can hold. */
  readonly refused: readonly string[];
}

/** The node with its locked suite, and the files as they would lie in the project. */
export async function targetOf(
  session: Session,
  dir: string,
  ask: ChallengeAsk,
): Promise<Target | ReturnType<typeof failed>> {
  const { state, contractsRef } = await session.doc();
  const node = contractsRef === null ? undefined : state.nodes[ask.nodeId];
  if (node === undefined)
    return failed(2, `Cannot challenge "${ask.nodeId}": there is no such node`, typed`a7-rt status ${dir}`);
  const book = await frozenBook(session);
  const contract = contractIn(book, ask.nodeId);
  const suite = await suiteOf(session, contract.id, node.suite ?? 0);
  if (suite === null && contract.tests !== 'none') {
    const message = `Cannot challenge "${contract.id}": it has no locked suite yet, so nothing would judge the code`;
    return failed(2, message, typed`a7-rt run ${dir} --node ${contract.id}`);
  }
  const read = await readWork(ask.with, contract).catch((error: unknown) => readFault(error));
  if (typeof read === 'string')
    return failed(
      2,
      `Cannot read "${ask.with}": ${read}`,
      'Name a file, or a folder laid out like the project',
    );
  return { contract, book, suite, ...read };
}

/** A file stands for the node's main file; a folder holds files by their paths in the project. */
async function readWork(
  path: string,
  contract: ResolvedContract,
): Promise<Pick<Target, 'files' | 'refused'> | string> {
  const info = await stat(path);
  if (info.isFile()) {
    const bytes = await readNamedFile(path);
    return { files: [{ path: contract.contentFile, bytes, executable: false }], refused: [] };
  }
  if (!info.isDirectory()) return 'it is neither a file nor a folder';
  const { files, leftOut } = await readFolder(path);
  if (files.length === 0 && leftOut.length === 0) return 'the folder is empty';
  return { files, refused: leftOut };
}

async function adopted(suite: SuiteRecord, scratch: ScratchSession): Promise<SuiteRecord> {
  await scratch.adopt(suite.tree);
  return suite;
}

async function judge(
  real: Session,
  session: Session,
  machine: Machine,
  target: Target,
): Promise<ChallengeAnswer> {
  const { contract, book, suite, files } = target;
  const isolation = { backend: machine.proof.backend, level: machine.proof.level };
  const common = { nodeId: contract.id, files: files.map((file) => file.path), isolation };
  const baseCommit = await session.content.head();
  const base = await baseTree(session, baseCommit, contract);
  const start = await session.trees.filterTree(base, visibleToBuilder(book, contract));
  const written = await session.trees.writeFiles(start, changesOf(await pathsOf(session, start), target));
  const refusals = [...target.refused.map(linkRefusal), ...(written.status === 'ok' ? [] : written.refusals)];
  if (written.status !== 'ok' || refusals.length > 0) return { ...common, ...refusedByTrees(refusals) };
  const changed = (await session.trees.diff(start, written.tree)).map((each) => each.path);
  const gate = gateOf(machine, session);
  const image = await sessionImage(machine, real);
  const context = { session, gate, image, book, contract, baseCommit };
  const stepKey = `challenge-${contract.id}-${String(process.pid)}`;
  const verified = await verifyCode({ ...context, stepKey, useCache: false }, written.tree, suite, changed);
  const { report } = verified.outcome;
  const committed = await projectionOf({ session, book, contract }, base);
  const isSame = report.subject.projection === committed;
  return {
    ...common,
    end: endOf(report.verdict, report.fault, isSame),
    verdict: report.verdict,
    fault: report.fault,
    walls: wallsOf(report),
    tier: report.tier,
    builderText: builderText(builderFeedback(report, contract, suite?.locked ?? null)),
    report,
  };
}

function endOf(
  verdict: ChallengeAnswer['verdict'],
  fault: ChallengeAnswer['fault'],
  isSame: boolean,
): ChallengeAnswer['end'] {
  if (verdict === 'PASS') return isSame ? 'same' : 'passed';
  return fault === 'platform' ? 'unproven' : 'held';
}

/** Paths of a tree. */
export async function pathsOf(session: Session, tree: string): Promise<readonly string[]> {
  return (await session.trees.listTree(tree)).map((entry) => entry.path);
}

/** What is sent is the whole of the builder's work: the node's own files that are not in it are gone. */
export function changesOf(there: readonly string[], { contract, files }: Target): TreeChange[] {
  const sent = new Set(files.map((file) => file.path));
  const gone = there.filter((path) => matchesAnyGlob(contract.files, path) && !sent.has(path));
  return [
    ...gone.map((path) => ({ kind: 'delete', path }) as const),
    ...files.map((file) => ({ kind: 'write', ...file }) as const),
  ];
}

function linkRefusal(entry: string): TreeRefusal {
  const path = entry.replace(/ \([^)]*\)$/, '');
  return { path, reason: 'link', rule: 'must be a regular file outside .git' };
}

/** A builder could not even have written it: its file tools refuse such paths. */
function refusedByTrees(
  refusals: readonly TreeRefusal[],
): Pick<ChallengeAnswer, 'end' | 'verdict' | 'fault' | 'walls' | 'tier' | 'builderText' | 'report'> {
  const words = refusals.map(({ path, rule }) => `"${path}" ${rule}`);
  return {
    end: 'held',
    verdict: null,
    fault: null,
    walls: words.map((each) => ({ name: 'rules for trees', words: each, code: 'tree_rules', count: 1 })),
    tier: null,
    builderText: words.map((each) => `Cannot write ${each}`).join('\n'),
    report: null,
  };
}
