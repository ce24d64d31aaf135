/** Activity `checkSealNode`: one node's suite on the whole tree, and its signatures from the sources (design part 6, SEAL). */
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Session } from '../../core/ports/session.ts';
import type { SymbolsPort } from '../../core/ports/symbols.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import { testGlobs } from '../../core/projection/paths.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { ExportedInterface } from '../../schemas/stage.ts';
import { type SealCheckInput, SealCheckResult } from '../../schemas/stage-io.ts';
import { raiseName } from '../../core/gate/clauses.ts';
import type { SuiteRecord } from '../../schemas/suite-record.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { baseTree, contractOf, frozenBook, layOver, provisionalRef, suiteOf } from '../shared/trees.ts';
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
  const contract = book.find((each) => each.id === input.nodeId) ?? (await contractOf(session, input.nodeId));
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

/** Full signatures from the sources; raises, guarantees and assumptions from the contract. */
async function interfaceOf(
  symbols: SymbolsPort,
  session: Session,
  contract: ResolvedContract,
  tree: string,
): Promise<ExportedInterface> {
  const entries = (await session.trees.listTree(tree)).filter((entry) =>
    matchesAnyGlob(contract.files, entry.path),
  );
  const exports: string[] = [];
  for (const entry of entries) {
    if (!symbols.languages.includes(contract.language)) break;
    const text = (await session.trees.readBlob(entry.oid)).toString('utf8');
    exports.push(
      ...symbols.module(contract.language, entry.path, text).exported.map((each) => each.signature),
    );
  }
  const { raises, guarantees, assumptions } = contract.interface;
  return {
    exports,
    raises: raises.map(raiseName),
    guarantees: [...guarantees],
    assumptions: [...assumptions],
  };
}
