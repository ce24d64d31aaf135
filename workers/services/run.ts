/** `run`: a worker in this process, and one stage after the other until all are sealed (design part 11). */
import { sumUsage } from '../../adapters/model/usage-report.ts';
import { workflowNameOf } from '../../adapters/store/session.ts';
import { removeDeadTemps } from '../../adapters/system/files.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { exitCodeOf } from '../../core/errors.ts';
import type { Failed, Result, RunFlags, RunNotice, RunReport } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { counted } from '../../core/text/plural.ts';
import type { StageOutcome } from '../../schemas/stage-io.ts';
import { type Machine, MachineLacks, openMachine } from '../machine.ts';
import { sessionImage } from '../session-image.ts';
import { stageWorkflowId } from '../queues.ts';
import { readConfig, writeRunSettings } from '../models.ts';
import {
  type Surroundings,
  configFailed,
  failed,
  findSession,
  messageOf,
  placesOf,
  spaceStep,
} from './common.ts';
import { type Hosting, hostWorkers } from './host-workers.ts';
import { checkBeforeRun } from './run-checks.ts';
import { tellAway } from './endpoint-away.ts';
import { isolationLack } from './isolation-check.ts';
import { closeFormer, driveStage } from './drive-stage.ts';
import { nextStepAfter, runCommand } from './next-step.ts';
import { settingsFor } from './run-settings.ts';
import { othersServe } from './serve-slots.ts';
import { withSession } from './open-session.ts';
import { type ServerPlace, openServer, pageOf } from './server.ts';
import { typed } from '../../core/text/typed.ts';
import type { RunContext } from './run-context.ts';

/** Builds what is left of a session, or attaches to what moves. */
export async function run(
  around: Surroundings,
  dir: string,
  flags: RunFlags,
  watch: (notice: RunNotice) => void,
  stop: AbortSignal,
): Promise<Result<RunReport>> {
  const found = await findSession(dir, flags.adopt);
  if (!found.ok) return found;
  const settings = await settingsFor(found.value.dir, flags);
  const read = await readConfig(found.value.dir, placesOf(around), settings ?? undefined);
  if (!read.ok) return configFailed(read.messages, dir);
  const refused = await checkBeforeRun({
    dir: found.value.dir,
    shown: dir,
    config: read.config,
    flags,
    around,
    say: (text) => watch({ kind: 'said', text }),
  });
  if (refused !== null) return refused;
  const opening = openMachine(homeFolder(around.env), read.config.sandbox).catch(lacks);
  const place = await openServer(around).catch((error: unknown) =>
    failed(4, messageOf(error), spaceStep(error) ?? 'a7-rt doctor'),
  );
  // The sandbox proves itself for seconds: who joins a moving stage is shown it meanwhile.
  if (!('ok' in place)) await tellMoving(place, found.value, watch);
  const machine = await opening;
  if ('ok' in machine) return machine;
  if ('ok' in place) {
    await machine.sandbox.close();
    return place;
  }
  void tellAway(read.config, watch);
  watch({ kind: 'said', text: sandboxLine(machine) });
  const demand = await demandOf(found.value.dir, machine, dir);
  if (demand !== null) {
    await machine.sandbox.close();
    return demand;
  }
  // Nothing refuses this run any more: only now others may see what it was told.
  await writeRunSettings(found.value.dir, settings ?? {});
  const isAlone = !(await othersServe(found.value.id));
  const hosting = await hostWorkers({ around, machine, place, session: found.value, watch }).catch(messageOf);
  if (typeof hosting === 'string') {
    await machine.sandbox.close();
    return failed(4, `Cannot start the workers: ${hosting}`, 'a7-rt doctor');
  }
  let result: Result<RunReport>;
  try {
    const session = await hosting.ports.sessions.open(found.value.dir);
    const asked = { around, shown: dir, config: read.config, flags, watch, stop };
    result = await driveAll({ ...asked, session, hosting, isAlone });
  } finally {
    if (stop.aborted)
      watch({
        kind: 'said',
        text: 'Stopping: waiting for calls that were sent (Ctrl-C again abandons them)',
      });
    await hosting.close();
  }
  return !stop.aborted || result.ok ? result : await paused(found.value.id, hosting, runCommand(dir, flags));
}

async function paused(sessionId: string, hosting: Hosting, again: string): Promise<Failed> {
  const text = (await othersServe(sessionId)) ? 'Detached; still running' : 'Paused; nothing runs now';
  return failed(3, `${text}. ${inFlightText(await hosting.abandoned)}`.trim(), again);
}

/** What the seeded contracts demand of the sandbox and it did not prove; null where all is met. */
async function demandOf(dir: string, machine: Machine, shown: string): Promise<Failed | null> {
  const read = await withSession(dir, async (session) => {
    const { resolved, plan } = await session.book();
    const lack = isolationLack('run', resolved, machine, plan);
    return lack ?? (await layerLack(session, machine, shown));
  });
  return read.ok ? read.value : read;
}

/** The packages that the contracts require cannot be had now; null where all is there. */
async function layerLack(session: Session, machine: Machine, shown: string): Promise<Failed | null> {
  try {
    await sessionImage(machine, session);
    return null;
  } catch (error) {
    if (!(error instanceof MachineLacks)) throw error;
    return failed(
      4,
      messageOf(error),
      typed`a7-rt seed ${shown} resolves them anew after an edit of "requires"`,
    );
  }
}

/** Where a stage that another process moves can be watched. */
async function tellMoving(
  place: ServerPlace,
  { dir, id }: { readonly dir: string; readonly id: string },
  watch: (notice: RunNotice) => void,
): Promise<void> {
  if (!(await othersServe(id))) return;
  const state = await withSession(dir, async (session) => (await session.doc()).state);
  const run = state.ok ? state.value.run : null;
  if (run === null || ['sealed', 'halted', 'rested'].includes(run.phase)) return;
  watch({ kind: 'said', text: `Joining stage ${run.stage}, which moves already (turn ${String(run.turn)})` });
  const url = pageOf(place, stageWorkflowId(await workflowNameOf(dir, id), run.stage));
  if (url !== null) watch({ kind: 'page', url });
}

function inFlightText(abandoned: number): string {
  return abandoned === 0
    ? ''
    : `${counted(abandoned, 'call')} sent and not waited for: what was sent may be billed without an answer.`;
}

async function driveAll(context: RunContext): Promise<Result<RunReport>> {
  const stages: { id: string; status: string; message: string }[] = [];
  // A crash may have left half a file, `master.json` behind its ledger, and a workflow open whose end the ledger tells.
  removeDeadTemps(context.session.dir);
  await context.hosting.ports.stage.projectionsOf(context.session).update([]);
  await closeFormer(context);
  for (;;) {
    const { state } = await context.session.doc();
    const wanted = context.flags.stageId;
    const next = wanted ?? openStageOf(state.stageOrder, (id) => state.stages[id]?.status ?? 'active');
    if (next === null || (wanted !== null && stages.length > 0)) return reportOf(context, stages);
    const outcome = await driveStage(context, next);
    if ('ok' in outcome) return outcome;
    stages.push({
      id: next,
      status: outcome.status,
      message: outcome.status === 'sealed' ? '' : outcome.message,
    });
    if (outcome.status !== 'sealed') return endedEarly(context, next, outcome, stages);
  }
}

function openStageOf(order: readonly string[], statusOf: (id: string) => string): string | null {
  return order.find((id) => statusOf(id) !== 'sealed') ?? null;
}

/** A stage that rests because the asked-for nodes are done has succeeded; anything else needs a person. */
async function endedEarly(
  context: RunContext,
  stageId: string,
  outcome: StageOutcome,
  stages: readonly { id: string; status: string; message: string }[],
): Promise<Result<RunReport>> {
  const exitCode = exitCodeOf(outcome.code);
  if (exitCode === 0) return reportOf(context, stages);
  const { state } = await context.session.doc();
  return failed(
    exitCode,
    `Stage "${stageId}" is ${outcome.status === 'rested' ? 'at rest' : outcome.status}: ${outcome.message}`,
    nextStepAfter({ shown: context.shown, flags: context.flags, stageId, outcome, state }),
  );
}

async function reportOf(
  context: RunContext,
  stages: readonly { id: string; status: string; message: string }[],
): Promise<Result<RunReport>> {
  const { state } = await context.session.doc();
  const nodes = Object.values(state.nodes);
  const { total } = await sumUsage(context.session.dir);
  return {
    ok: true,
    value: {
      stages,
      grounded: nodes.filter((node) => node.status === 'grounded').length,
      nodes: nodes.length,
      usage: total,
      page: context.hosting.place.ui,
    },
  };
}

function sandboxLine({ proof }: Machine): string {
  const open = proof.acts.filter((act) => !act.held).map((act) => act.act);
  const detail =
    open.length === 0
      ? `${counted(proof.acts.length, 'forbidden act')} tried, all held`
      : `not held: ${open.join(', ')}`;
  return `Sandbox: ${proof.backend}, ${proof.level} (${detail})`;
}

function lacks(error: unknown): Failed {
  return failed(
    4,
    messageOf(error),
    spaceStep(error) ?? (error instanceof MachineLacks ? 'a7-rt doctor' : 'a7-rt setup'),
  );
}
