/** Commands that look and change nothing: status, why, narrative, ledger verify, doctor. */
import { setTimeout as delay } from 'node:timers/promises';
import { colors } from '../render/colors.ts';
import type { ExitCode, StatusReport } from '../../core/ports/services.ts';
import type { CliParts } from '../cli-parts.ts';
import { ledgerText } from '../render/ledger.ts';
import { statusText, table, usageText } from '../render/text.ts';
import { waitingLines } from './board.ts';
import { type JsonOption, report, stopSignal } from './common.ts';
import { typed } from '../../core/text/typed.ts';

export interface LedgerOptions extends JsonOption {
  readonly key?: string;
}

export interface NarrativeOptions extends JsonOption {
  readonly node?: string;
}

/** Stages, nodes, cost and the page to watch. */
export async function status(parts: CliParts, dir: string, options: StatusOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  if (options.watch !== true)
    return report(await services.status(dir), options, (value) => statusPage(value, dir));
  const stop = stopSignal(() => process.exit(0));
  let last = '';
  let code: ExitCode = 0;
  while (!stop.signal.aborted) {
    const result = await services.status(dir);
    const now = JSON.stringify(result);
    if (now !== last) {
      if (process.stdout.isTTY && options.json !== true) process.stdout.write(CLEAR_SCREEN);
      code = report(result, options, (value) => statusPage(value, dir));
    }
    last = now;
    if (!result.ok) break;
    await delay(WATCH_MS, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  stop.dispose();
  return code;
}

const WATCH_MS = 1_000;
const CLEAR_SCREEN = '\u001b[H\u001b[2J\u001b[3J';

export interface StatusOptions extends JsonOption {
  readonly watch?: boolean;
}

function statusPage(value: StatusReport, dir: string): string {
  const stages = value.stages.map((stage) => [stage.id, stage.kind, stage.status]);
  const nodes = value.nodes.map((node) => [
    node.id,
    node.stage,
    node.status,
    String(node.dispatches),
    node.note,
  ]);
  const { run } = value;
  return [
    `${colors.bold(value.project)}  ${run === null ? 'never run' : runLine(run, value)}`,
    ...(run === null || run.ending === null ? [] : [run.ending]),
    ...value.waiting.flatMap(waitingLines),
    ...(run?.refused ?? []).map(
      (reason) => `${colors.yellow('note')} a signal was not understood: ${reason}`,
    ),
    '',
    table(['STAGE', 'KIND', 'STATUS'], stages, typed`No stages: a7-rt seed ${dir} reads the contracts`),
    '',
    table(
      ['NODE', 'STAGE', 'STATUS', 'DISPATCHES', 'NOTE'],
      nodes,
      typed`No nodes: a7-rt seed ${dir} reads the contracts`,
    ),
    '',
    `Cost: ${usageText(value.usage)}`,
    `Branch: ${value.head ?? 'empty'}`,
    ...(value.branchProblem === null
      ? []
      : [
          `${colors.red('branch')} ${value.branchProblem.message}`,
          `${colors.dim('next')}  ${value.branchProblem.nextStep}`,
        ]),
    ...(value.page === null ? [] : [`Watch: ${value.page}`]),
  ].join('\n');
}

const ENDED = ['sealed', 'halted', 'rested'];

/** An open stage that nobody serves is an orphan: `run` takes it over. */
function runLine(run: NonNullable<StatusReport['run']>, { stages, moving }: StatusReport): string {
  const isReopened =
    run.phase === 'sealed' && stages.some(({ id, status }) => id === run.stage && status === 'active');
  if (isReopened) return `stage ${run.stage}: opened again, nothing moves it: run goes on`;
  const where = `stage ${run.stage}: ${statusText(run.phase)}, turn ${String(run.turn)}, ${run.mode}`;
  if (ENDED.includes(run.phase)) return where;
  return moving ? `${where}, moving` : `${where}, nothing moves it: run goes on`;
}

/** Why a node is where it is. */
export async function why(
  parts: CliParts,
  dir: string,
  nodeId: string,
  options: JsonOption,
): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.why(dir, nodeId), options, (value) =>
    [
      `${colors.bold(value.nodeId)}: ${statusText(value.status)}`,
      // A reason of several lines stays one: its lines are no reasons and no next step.
      ...value.reasons.map((reason) => `- ${reason.replaceAll('\n', '\n  ')}`),
      ...(value.nextStep === null ? [] : [`${colors.dim('next')}  ${value.nextStep}`]),
    ].join('\n'),
  );
}

/** The ledger as a story. */
export async function narrative(parts: CliParts, dir: string, options: NarrativeOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.narrative(dir, options.node ?? null), options, (lines) =>
    lines.length === 0
      ? typed`Nothing has happened yet: a7-rt run ${dir} begins`
      : lines.map((line) => `${colors.dim(line.at.slice(0, 19).replace('T', ' '))}  ${line.text}`).join('\n'),
  );
}

/** Chain, fold, signatures and every other copy of what the ledger tells. Exit code 1 when one is wrong. */
export async function ledger(
  parts: CliParts,
  action: string,
  dir: string,
  options: LedgerOptions,
): Promise<ExitCode> {
  if (action !== 'verify') {
    const message = `Cannot do "ledger ${action}": the only action is "verify"`;
    const nextStep = typed`a7-rt ledger verify ${dir}`;
    return report({ ok: false, exitCode: 2, problems: [{ message }], nextStep }, options, () => '');
  }
  const services = await parts.loadServices();
  const result = await services.ledgerVerify(dir, options.key ?? null);
  const code = report(result, options, (value) => ledgerText(value, dir));
  if (!result.ok) return code;
  const { chain, fold, findings } = result.value;
  return chain === 'broken' || fold === 'different' || findings.length > 0 ? 1 : code;
}

/** Checks of this machine. Exit code 4 when one fails. */
export async function doctor(parts: CliParts, dir: string | null, options: JsonOption): Promise<ExitCode> {
  const services = await parts.loadServices();
  const result = await services.doctor(dir);
  const code = report(result, options, (checks) =>
    checks
      .flatMap((check) => [
        `${check.ok ? colors.green('ok  ') : colors.red('fail')} ${check.name}: ${check.detail}`,
        ...(check.ok || check.nextStep === null ? [] : [`     ${colors.dim('next')} ${check.nextStep}`]),
      ])
      .join('\n'),
  );
  return result.ok && result.value.some((check) => !check.ok) ? 4 : code;
}
