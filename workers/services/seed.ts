/** `seed`: contracts from the file into the ledger, after every one of them was parsed, checked and imported in a sandbox. */
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { type LoadedContracts, loadContracts } from '../../adapters/contracts/load.ts';
import { createObjectFiles } from '../../adapters/store/objects.ts';
import { sessionPaths } from '../../adapters/store/session.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { dependencyClosure } from '../../core/projection/paths.ts';
import { type ScaffoldFile, scaffoldFiles } from '../../core/contract/scaffold.ts';
import type {
  Failed,
  Problem,
  Result,
  SeedAsk,
  SeedPlanReport,
  SeedReport,
} from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import { type Machine, openMachine } from '../machine.ts';
import { readConfig } from '../models.ts';
import { projectionsOf } from '../ports.ts';
import { imageOfLock } from '../session-image.ts';
import { scaffoldSources } from '../scaffold-files.ts';
import { createSessions } from '../sessions.ts';
import { type Surroundings, failed, failedWith, findSession, messageOf, placesOf } from './common.ts';
import { damageFailed } from './open-session.ts';
import { commitScaffold } from './scaffold.ts';
import { moduleProblem } from './module-problem.ts';
import { planSeed } from './seed-changes.ts';
import { finishCommit, settleBranch } from './settle-branch.ts';
import { type SeedLayer, seedLayer } from './seed-layer.ts';
import { seedPlan } from './seed-plan.ts';
import { reportOf } from './seed-report.ts';
import { isolationLack } from './isolation-check.ts';
import { checkStubs } from './stub-check.ts';
import { typed } from '../../core/text/typed.ts';

type Loaded = Extract<LoadedContracts, { ok: true }>;

/** Seeds, or seeds again after an edit: what the edit does not void stays, and a person agrees before work is voided. */
export async function seed(around: Surroundings, dir: string, ask: SeedAsk): Promise<Result<SeedReport>> {
  const found = await findSession(dir, ask.adopt);
  if (!found.ok) return found;
  const file = sessionPaths(found.value.dir).contracts;
  const loaded = await loadContracts(file);
  if (!loaded.ok) {
    const isGone = !existsSync(file) && existsSync(sessionPaths(found.value.dir).master);
    const nextStep = isGone
      ? typed`a7-rt restore ${dir} makes it as it was seeded last`
      : `edit ${shown(file)}`;
    const problems = loaded.problems.map((problem) => located(file, problem));
    return failedWith(2, problems, nextStep);
  }
  const sessions = createSessions(around.env);
  const machine = machineOnce(around, found.value.dir);
  try {
    const session = await sessions.open(found.value.dir);
    return await seedLoaded({ session, dir, file, loaded, ask, machine: machine.open });
  } catch (error) {
    const damaged = damageFailed(error, 'seed', dir);
    if (damaged !== null) return damaged;
    throw error;
  } finally {
    await machine.close();
    await sessions.close();
  }
}

interface Seeding {
  readonly session: Session;
  /** The session as the person named it. */
  readonly dir: string;
  readonly file: string;
  readonly loaded: Loaded;
  readonly ask: SeedAsk;
  readonly machine: () => Promise<Machine | Failed>;
}

async function seedLoaded(seeding: Seeding): Promise<Result<SeedReport>> {
  const { session, dir, file, loaded, ask, machine } = seeding;
  const open =
    (await openStageProblem(session, dir)) ??
    (await finishCommit(session, dir)) ??
    (await settleBranch(session));
  if (open !== null) return open;
  const place = (line: number, column: number): string => placeText(file, line, column);
  const kind = await moduleProblem(session, loaded.contracts, loaded.resolved);
  if (kind !== null) return kind;
  const own = await seedPlan(session, loaded.contracts.project);
  if ('ok' in own) return own;
  const layer = await seedLayer(session, loaded, machine, place, own.spec);
  if ('ok' in layer) return layer;
  const plan = await planSeed(session, dir, loaded, { layer: layer.lock, plan: own.project });
  if ('ok' in plan) return plan;
  const { event, report } = plan;
  const shown: Result<SeedReport> = { ok: true, value: reportOf(loaded, layer, false, report) };
  if (event === null) return shown;
  const problems = await stubProblems(seeding, layer, plan.touched);
  // A plan that could not be carried out is none; a machine that cannot judge yet may show one.
  if (problems !== null && !(ask.planOnly && problems.exitCode === 4)) return problems;
  if (ask.planOnly) return shown;
  const refused = report?.needsConsent === true ? await consentTo(report, ask, dir) : null;
  if (refused !== null) return refused;
  const written = await writeSeed(session, loaded, event);
  return written ?? { ok: true, value: reportOf(loaded, layer, true, report) };
}

/** Null: a person agreed. */
async function consentTo(report: SeedPlanReport, ask: SeedAsk, dir: string): Promise<Failed | null> {
  const answer = await ask.consent(report);
  if (answer === true) return null;
  const voided = report.nodes.filter(({ voids, restores }) => voids !== 'nothing' && !restores);
  const names = voided.map(({ id }) => id).join(', ');
  const text =
    answer === false
      ? 'Nothing is seeded: you did not agree'
      : `Cannot seed without your consent: work of ${names} would be void`;
  return failed(
    3,
    text,
    typed`a7-rt seed ${dir} --plan shows what each change voids; a7-rt seed ${dir} --yes agrees`,
  );
}

async function openStageProblem(session: Session, dir: string): Promise<Failed | null> {
  const { run } = (await session.doc()).state;
  if (run === null || ['sealed', 'halted', 'rested'].includes(run.phase)) return null;
  return failed(
    2,
    `Cannot seed: stage "${run.stage}" is open (${run.phase})`,
    typed`Halt it first: a7-rt halt ${dir}`,
  );
}

async function stubProblems(
  { session, machine: open, loaded, file }: Seeding,
  layer: SeedLayer,
  touched: ReadonlySet<string>,
): Promise<Failed | null> {
  const declared = withDependencies(loaded.resolved, touched).filter((each) => each.mode === 'A');
  if (declared.length === 0) return null;
  const machine = await open();
  if ('ok' in machine) return machine;
  const lack = isolationLack('seed', loaded.resolved, machine);
  if (lack !== null) return lack;
  const problems = await imageOfLock(machine, layer.lock)
    .then(async (image) => {
      const scaffold = await scaffoldSources(session, loaded.contracts, loaded.resolved);
      return checkStubs({ ...machine, image }, loaded, declared, scaffold);
    })
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
    return typeof machine === 'string' ? failed(4, machine, 'a7-rt setup') : machine;
  };
  return {
    open: () => (opening ??= openNow()),
    close: async () => {
      const opened = await opening;
      if (opened !== null && !('ok' in opened)) await opened.sandbox.close();
    },
  };
}

/** Null: scaffold, ledger and branch are as the contracts want them. A kill in between is made good by the next seed or run. */
async function writeSeed(session: Session, loaded: Loaded, event: LedgerEvent): Promise<Failed | null> {
  const { contractsRef } = await session.doc();
  const former = contractsRef === null ? [] : await formerScaffold(session);
  const files = scaffoldFiles(loaded.contracts.project, loaded.resolved);
  const isRepository = loaded.contracts.project.scaffold !== undefined;
  const scaffold = await commitScaffold(session, files, former, isRepository);
  if (scaffold !== null) return scaffold;
  const { state } = await session.doc();
  const appended = await session.ledger.append({ run: 0, fromSeq: state.seq + 1, events: [event] });
  if (appended.kind !== 'appended')
    return failed(2, 'Cannot seed: the ledger changed meanwhile', 'Run the same command again');
  await keepBook(session);
  await projectionsOf(session).update([event]);
  return settleBranch(session);
}

/** The contracts once more, for a session that lost its objects. */
async function keepBook(session: Session): Promise<void> {
  const { contractsRef } = await session.doc();
  if (contractsRef === null) return;
  const spare = createObjectFiles({ dir: sessionPaths(session.dir).spareObjects });
  await spare.put(await session.objects.get(contractsRef));
}

/** The touched nodes and what they stand on: a declaration may name a type of a dependency that nobody touched. */
function withDependencies(
  all: readonly ResolvedContract[],
  touched: ReadonlySet<string>,
): readonly ResolvedContract[] {
  const needed = new Set(
    [...touched].flatMap((id) => [id, ...dependencyClosure(all, id).map((dep) => dep.id)]),
  );
  return all.filter(({ id }) => needed.has(id));
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
