/** `seed`: contracts from the file into the ledger, after every one of them was parsed, checked and imported in a sandbox. */
import { relative } from 'node:path';
import { type LoadedContracts, loadContracts } from '../../adapters/contracts/load.ts';
import { LedgerCorrupt } from '../../adapters/store/ledger.ts';
import { sessionPaths } from '../../adapters/store/session.ts';
import { sha256 } from '../../adapters/system/sha256.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { type ScaffoldFile, scaffoldFiles } from '../../core/contract/scaffold.ts';
import { canonicalJson } from '../../core/text/canonical.ts';
import { type SeedSource, packagesEvent, reseed, seededEvent } from '../../core/ledger/seeded.ts';
import type { Failed, Problem, Result, SeedReport } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { LayerLock } from '../../schemas/layer.ts';
import type { ProjectPlan } from '../../schemas/stored-book.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import { type Machine, openMachine } from '../machine.ts';
import { readConfig } from '../models.ts';
import { projectionsOf } from '../ports.ts';
import { imageOfLock } from '../session-image.ts';
import { createSessions } from '../sessions.ts';
import { type Surroundings, failed, failedWith, findSession, messageOf, placesOf } from './common.ts';
import { commitScaffold } from './scaffold.ts';
import { type SeedLayer, seedLayer } from './seed-layer.ts';
import { seedPlan } from './seed-plan.ts';
import { reportOf } from './seed-report.ts';
import { isolationLack } from './isolation-check.ts';
import { checkStubs } from './stub-check.ts';

type Loaded = Extract<LoadedContracts, { ok: true }>;

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
  const sessions = createSessions(around.env);
  const machine = machineOnce(around, found.value.dir);
  try {
    const session = await sessions.open(found.value.dir);
    const open = await openStageProblem(session);
    if (open !== null) return open;
    const place = (line: number, column: number): string => placeText(file, line, column);
    const own = await seedPlan(found.value.dir, loaded.contracts.project.language);
    if ('ok' in own) return own;
    const layer = await seedLayer(session, loaded, machine.open, place, own.spec);
    if ('ok' in layer) return layer;
    const frozen: Frozen = { layer: layer.lock, plan: own.project };
    const plan = await planSeed(session, loaded, frozen);
    if ('ok' in plan) return plan;
    if (plan.event === null) return { ok: true, value: reportOf(loaded, layer, false) };
    const problems = await stubProblems(machine.open, loaded, layer, plan.touched, file);
    if (problems !== null) return problems;
    return await writeSeed(session, loaded, layer, plan.event);
  } catch (error) {
    if (error instanceof LedgerCorrupt)
      return failed(2, `Cannot seed: ${error.message}`, 'Restore events.jsonl from a backup');
    throw error;
  } finally {
    await machine.close();
    await sessions.close();
  }
}

/** What a seed freezes beside the contracts. */
interface Frozen {
  readonly layer: LayerLock | null;
  readonly plan: ProjectPlan | null;
}

interface SeedPlan {
  readonly event: LedgerEvent | null;
  /** Nodes whose contracts are new or changed. */
  readonly touched: ReadonlySet<string>;
}

async function openStageProblem(session: Session): Promise<Failed | null> {
  const { run } = (await session.doc()).state;
  if (run === null || ['sealed', 'halted', 'rested'].includes(run.phase)) return null;
  return failed(
    2,
    `Cannot seed: stage "${run.stage}" is open (${run.phase})`,
    'Halt it first: a7-rt halt SESSION',
  );
}

async function planSeed(session: Session, loaded: Loaded, frozen: Frozen): Promise<SeedPlan | Failed> {
  const doc = await session.doc();
  const source = await sourceOf(session, loaded, frozen, doc.project?.projectId ?? session.id);
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
  const book = await session.book();
  const isOtherLayer = book.layer?.hash !== frozen.layer?.hash;
  const isOtherPlan = canonicalJson(book.plan) !== canonicalJson(frozen.plan);
  if (again.status === 'unchanged' && isOtherPlan && !isOtherLayer)
    return { event: packagesEvent(source), touched: new Set() };
  if (again.status === 'unchanged' && !isOtherLayer) return { event: null, touched: new Set() };
  if (isOtherLayer) {
    const event = again.status === 'changed' ? again.event : packagesEvent(source);
    return { event, touched: new Set(loaded.resolved.map((each) => each.id)) };
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
  { layer, plan }: Frozen,
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
    contractsRef: await session.objects.put(
      canonicalJson({ contracts, resolved, layer, ...(plan !== null && { plan }) }),
    ),
    projectPlan: plan === null ? null : sha256(canonicalJson(plan)),
    digests: Object.fromEntries(resolved.map((each) => [each.id, digestOf(each)])),
  };
}

async function stubProblems(
  open: () => Promise<Machine | Failed>,
  loaded: Loaded,
  layer: SeedLayer,
  touched: ReadonlySet<string>,
  file: string,
): Promise<Failed | null> {
  const declared = loaded.resolved.filter((each) => touched.has(each.id) && each.mode === 'A');
  if (declared.length === 0) return null;
  const machine = await open();
  if ('ok' in machine) return machine;
  const lack = isolationLack('seed', loaded.resolved, machine);
  if (lack !== null) return lack;
  const problems = await imageOfLock(machine, layer.lock)
    .then((image) => checkStubs({ ...machine, image }, loaded, declared))
    .catch(messageOf);
  if (typeof problems === 'string')
    return failed(4, problems, 'Run the same command again; a7-rt doctor looks at the sandbox');
  if (problems.length === 0) return null;
  return failedWith(
    2,
    problems.map((problem) => located(file, problem)),
    `edit ${shown(file)}`,
  );
}

/** The machine, opened when it is first needed. */
function machineOnce(
  around: Surroundings,
  dir: string,
): { readonly open: () => Promise<Machine | Failed>; readonly close: () => Promise<void> } {
  let opening: Promise<Machine | Failed> | null = null;
  const openNow = async (): Promise<Machine | Failed> => {
    const read = await readConfig(dir, placesOf(around));
    const choice = read.ok ? read.config.sandbox : 'auto';
    const machine = await openMachine(homeFolder(around.env), choice).catch(messageOf);
    return typeof machine === 'string' ? failed(4, machine, 'npm run setup') : machine;
  };
  return {
    open: () => (opening ??= openNow()),
    close: async () => {
      const opened = await opening;
      if (opened !== null && !('ok' in opened)) await opened.sandbox.close();
    },
  };
}

async function writeSeed(
  session: Session,
  loaded: Loaded,
  layer: SeedLayer,
  event: LedgerEvent,
): Promise<Result<SeedReport>> {
  const { contractsRef } = await session.doc();
  const former = contractsRef === null ? [] : await formerScaffold(session);
  const files = scaffoldFiles(loaded.contracts.project, loaded.resolved);
  const scaffold = await commitScaffold(session, files, former);
  if (scaffold !== null) return scaffold;
  const { state } = await session.doc();
  const appended = await session.ledger.append({ run: 0, fromSeq: state.seq + 1, events: [event] });
  if (appended.kind !== 'appended')
    return failed(2, 'Cannot seed: the ledger changed meanwhile', 'Run the same command again');
  await projectionsOf(session).update([event]);
  return { ok: true, value: reportOf(loaded, layer, true) };
}

function digestOf(contract: ResolvedContract): string {
  return sha256(canonicalJson(contract));
}

async function formerScaffold(session: Session): Promise<readonly ScaffoldFile[]> {
  const { contracts, resolved } = await session.book();
  return scaffoldFiles(contracts.project, resolved);
}

function located(
  file: string,
  problem: { line: number; column: number; message: string; suggestion?: string | undefined },
): Problem {
  return {
    message: problem.message,
    place: placeText(file, problem.line, problem.column),
    ...(problem.suggestion === undefined ? {} : { suggestion: problem.suggestion }),
  };
}

function placeText(file: string, line: number, column: number): string {
  return `${shown(file)}:${String(line)}:${String(column)}`;
}

function shown(file: string): string {
  return relative(process.cwd(), file) || file;
}
