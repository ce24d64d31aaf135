/** Activity `checkSealNode`: one node's suite on the whole tree, and its signatures from the sources (design part 6, SEAL). */
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Session } from '../../core/ports/session.ts';
import type { ModuleSymbols, SymbolsPort } from '../../core/ports/symbols.ts';
import { testGlobs } from '../../core/projection/paths.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { ExportedInterface } from '../../schemas/stage.ts';
import { type SealCheckInput, SealCheckResult } from '../../schemas/stage-io.ts';
import { isNodeFile, isSource } from '../../core/gate/gate-files.ts';
import { sealedInterface } from '../../core/gate/exports/sealed-interface.ts';
import type { SuiteRecord } from '../../schemas/suite-record.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { baseTree, contractIn, frozenBook, layOver, provisionalRef, suiteOf } from '../shared/trees.ts';
import { dependenciesOf, gateOutcome } from '../shared/verify.ts';
import type { JudgePorts } from './ports.ts';

/** Verdict on the whole tree; a retry finds the stored one. */
export async function checkSealNode(ports: JudgePorts, input: SealCheckInput): Promise<SealCheckResult> {
  const session = await ports.sessions.open(input.at.sessionDir);
  const key = `${input.at.stageId}/${input.nodeId}/seal.r${String(input.run)}.${String(input.seq)}`;
  const known = await session.results.get(key, 'sealed', SealCheckResult);
  if (known !== null) return known;
  const result = await withHeartbeat(heartbeat, () => check(ports, session, input));
  return session.results.putFirst(key, 'sealed', SealCheckResult, result);
}

async function check(ports: JudgePorts, session: Session, input: SealCheckInput): Promise<SealCheckResult> {
  const book = await frozenBook(session);
  const contract = contractIn(book, input.nodeId);
  const { state } = await session.doc();
  const suite = await suiteOf(session, input.nodeId, state.nodes[input.nodeId]?.suite ?? 0);
  const isProvisional = state.nodes[input.nodeId]?.status === 'provisional';
  const branch = await baseTree(session, input.head, contract);
  const tree = isProvisional ? await withProvisional(session, branch, contract, suite) : branch;
  const request = {
    contract,
    stepKey: `seal-${input.nodeId}-${String(input.run)}-${String(input.seq)}`,
    owner: session.id,
    tree,
    projection: tree,
    image: await ports.imageOf(session),
    dependencies: dependenciesOf(book, contract),
    changedPaths: null,
    // Asked when the code was accepted; sealing judges the whole tree, not the suites again.
    mutationMs: 0,
  };
  const options = { signal: cancellationSignal() };
  const gate = ports.gateOf(session);
  const outcome = await gate.verifySnapshot(
    { ...request, kind: 'code', locked: suite?.locked ?? null },
    options,
  );
  await ports.artifactsOf(session).saveVerification({
    run: input.run,
    step: `seal-${input.nodeId}`,
    folder: `iteration-${String(input.seq)}`,
    purpose: 'seal',
    role: null,
    turn: null,
    outcome,
    files: [],
  });
  const exportedInterface = await interfaceOf(ports.symbols, session, contract, tree);
  return { outcome: gateOutcome(outcome, tree), exportedInterface };
}

/** A provisional node counts as resolved, but neither its code nor its suite is on the branch. */
async function withProvisional(
  session: Session,
  branch: string,
  contract: ResolvedContract,
  suite: SuiteRecord | null,
): Promise<string> {
  const kept = await session.trees.readRef(provisionalRef(contract.id));
  const code = kept === null ? branch : await layOver(session, branch, contract.files, kept);
  return suite === null ? code : layOver(session, code, testGlobs(contract), suite.tree);
}

/** Read from the node's sources as the tree has them. */
async function interfaceOf(
  symbols: SymbolsPort,
  session: Session,
  contract: ResolvedContract,
  tree: string,
): Promise<ExportedInterface> {
  const { language } = contract;
  if (!symbols.languages.includes(language)) return sealedInterface(contract, []);
  const sources = (await session.trees.listTree(tree)).filter(
    ({ path }) => isNodeFile(path, contract) && isSource(path, language),
  );
  const modules: ModuleSymbols[] = [];
  for (const { path, oid } of sources)
    modules.push(symbols.module(language, path, (await session.trees.readBlob(oid)).toString('utf8')));
  return sealedInterface(contract, modules);
}
