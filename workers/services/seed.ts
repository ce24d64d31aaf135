/** `seed`: contracts from the file into the ledger, after every one of them was parsed, checked and imported in a sandbox. */
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { loadContracts } from '../../adapters/contracts/load.ts';
import { LedgerCorrupt } from '../../adapters/store/ledger.ts';
import { sessionPaths } from '../../adapters/store/session.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { allRequires, scaffoldFiles } from '../../core/contract/scaffold.ts';
import { canonicalJson } from '../../core/text/canonical.ts';
import { type SeedSource, reseed, seededEvent } from '../../core/ledger/seeded.ts';
import type { Failed, Problem, Result, SeedReport } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import type { Contracts, ResolvedContract } from '../../schemas/contract.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import { openMachine } from '../machine.ts';
import { readConfig } from '../models.ts';
import { projectionsOf } from '../ports.ts';
import { createSessions } from '../sessions.ts';
import { type Surroundings, failed, failedWith, findSession, messageOf, placesOf } from './common.ts';
import { commitScaffold } from './scaffold.ts';
import { isolationLack } from './isolation-check.ts';
import { checkStubs } from './stub-check.ts';

interface Loaded {
  readonly contracts: Contracts;
  readonly resolved: readonly ResolvedContract[];
}

/** Seeds, or seeds again after an edit: unchanged nodes keep their work. */
export async function seed(around: Surroundings, dir: string, adopt: boolean): Promise<Result<SeedReport>> {
  const found = await findSession(dir, adopt);
  if (!found.ok) return found;
  const file = sessionPaths(found.value.dir).contracts;
  const loaded = await loadContracts(file);
  if (!loaded.ok)
    return failedWith(
      2,
      loaded.problems.map((problem) => located(file, problem)),
      `edit ${shown(file)}`,
    );
  const sessions = createSessions();
  try {
    const session = await sessions.open(found.value.dir);
    const plan = await planSeed(session, loaded);
    if ('ok' in plan) return plan;
    if (plan.event === null) return { ok: true, value: reportOf(loaded, false) };
    const problems = await stubProblems(around, found.value.dir, loaded, plan.touched, file);
    if (problems !== null) return problems;
    return await writeSeed(session, loaded, plan.event);
  } catch (error) {
    if (error instanceof LedgerCorrupt)
      return failed(2, `Cannot seed: ${error.message}`, 'Restore events.jsonl from a backup');
    throw error;
  } finally {
    await sessions.close();
  }
}

interface SeedPlan {
  readonly event: LedgerEvent | null;
  /** Nodes whose contracts are new or changed. */
  readonly touched: ReadonlySet<string>;
}

async function planSeed(session: Session, loaded: Loaded): Promise<SeedPlan | Failed> {
  const doc = await session.doc();
  const { run } = doc.state;
  if (run !== null && !['sealed', 'halted', 'rested'].includes(run.phase)) {
    return failed(
      2,
      `Cannot seed: stage "${run.stage}" is open (${run.phase})`,
      'Halt it first: a7-rt halt SESSION',
    );
  }
  const source = await sourceOf(session, loaded, doc.project?.projectId ?? session.id);
  if (doc.contractsRef === null)
    return { event: seededEvent(source), touched: new Set(loaded.resolved.map((each) => each.id)) };
  const again = reseed(doc.state, doc.digests, source);
  if (again.status === 'refused') {
    return failed(
      2,
      `Cannot change nodes of a sealed stage: ${again.nodeIds.join(', ')}`,
      'Sealed work is immutable: add a new node in a later stage',
    );
  }
  if (again.status === 'unchanged') return { event: null, touched: new Set() };
  const touched = loaded.resolved
    .filter((each) => source.digests[each.id] !== doc.digests[each.id])
    .map((each) => each.id);
  return { event: again.event, touched: new Set(touched) };
}

async function sourceOf(
  session: Session,
  { contracts, resolved }: Loaded,
  projectId: string,
): Promise<SeedSource> {
  const { name, description } = contracts.project;
  return {
    project: { projectId, name, description },
    stages: contracts.stages.map((stage) => ({
      id: stage.id,
      name: stage.name ?? stage.id,
      kind: stage.kind,
    })),
    contracts: resolved,
    contractsRef: await session.objects.put(canonicalJson({ contracts, resolved })),
    digests: Object.fromEntries(resolved.map((each) => [each.id, digestOf(each)])),
  };
}

async function stubProblems(
  around: Surroundings,
  dir: string,
  loaded: Loaded,
  touched: ReadonlySet<string>,
  file: string,
): Promise<Failed | null> {
  const declared = loaded.resolved.filter((each) => touched.has(each.id) && each.mode === 'A');
  if (declared.length === 0) return null;
  const read = await readConfig(dir, placesOf(around));
  const choice = read.ok ? read.config.sandbox : 'auto';
  const machine = await openMachine(homeFolder(around.env), choice).catch(messageOf);
  if (typeof machine === 'string') return failed(4, machine, 'npm run setup');
  try {
    const lack = isolationLack('seed', loaded.resolved, machine);
    if (lack !== null) return lack;
    const problems = await checkStubs(machine, loaded, declared).catch(messageOf);
    if (typeof problems === 'string')
      return failed(4, problems, 'Run the same command again; a7-rt doctor looks at the sandbox');
    return problems.length === 0
      ? null
      : failedWith(
          2,
          problems.map((problem) => located(file, problem)),
          `edit ${shown(file)}`,
        );
  } finally {
    await machine.sandbox.close();
  }
}

async function writeSeed(session: Session, loaded: Loaded, event: LedgerEvent): Promise<Result<SeedReport>> {
  const scaffold = await commitScaffold(session, scaffoldFiles(loaded.contracts.project, loaded.resolved));
  if (scaffold !== null) return scaffold;
  const { state } = await session.doc();
  const appended = await session.ledger.append({ run: 0, fromSeq: state.seq + 1, events: [event] });
  if (appended.kind !== 'appended')
    return failed(2, 'Cannot seed: the ledger changed meanwhile', 'Run the same command again');
  await projectionsOf(session).update([event]);
  return { ok: true, value: reportOf(loaded, true) };
}

function reportOf({ contracts, resolved }: Loaded, changed: boolean): SeedReport {
  const nodes = resolved.map(({ id, stage, mode, files, tests, importLine }) => ({
    id,
    stage,
    mode,
    files,
    tests,
    importLine,
  }));
  return { changed, nodes, warnings: notYetHonoured(contracts, resolved) };
}

/** What a contract may say and this version does not act on: said at seed, so that nobody relies on it. */
function notYetHonoured(contracts: Contracts, resolved: readonly ResolvedContract[]): string[] {
  const pins = allRequires(contracts.project, resolved);
  const notGated = resolved
    .filter((contract) => ['go', 'rust'].includes(contract.language))
    .map((contract) => contract.id);
  const note = (ids: readonly string[], text: string): string[] =>
    ids.length === 0 ? [] : [`${ids.join(', ')}: ${text}`];
  return [
    ...note(
      pins,
      'these packages are not in the sandbox image yet, so code that imports them fails in the gate',
    ),
    ...note(notGated, 'nodes in Go and Rust cannot be gated yet; a run would end without a commit for them'),
  ];
}

function digestOf(contract: ResolvedContract): string {
  return `sha256:${createHash('sha256').update(canonicalJson(contract)).digest('hex')}`;
}

function located(
  file: string,
  problem: { line: number; column: number; message: string; suggestion?: string | undefined },
): Problem {
  return {
    message: problem.message,
    place: `${shown(file)}:${String(problem.line)}:${String(problem.column)}`,
    ...(problem.suggestion === undefined ? {} : { suggestion: problem.suggestion }),
  };
}

function shown(file: string): string {
  return relative(process.cwd(), file) || file;
}
