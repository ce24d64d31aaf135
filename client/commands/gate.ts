/** `gate init`, `gate show`, `gate check`, `gate run`. */
import type { GateCheckReport, GatePlanReport } from '../../core/ports/gate-services.ts';
import type { ExitCode } from '../../core/ports/services.ts';
import { defaultText } from '../../core/repository/describe-plan.ts';
import { repositoryReportText } from '../../core/repository/report-text.ts';
import type { RepositoryReport } from '../../schemas/repository-report.ts';
import type { ProfileName } from '../../schemas/verify-profile.ts';
import type { CliParts } from '../cli-parts.ts';
import { colors } from '../render/colors.ts';
import { statusText, table } from '../render/text.ts';
import { type JsonOption, report, stopSignal } from './common.ts';
import { typed } from '../../core/text/typed.ts';

export interface GateOptions extends JsonOption {
  readonly repo: string;
}

export interface GateInitOptions extends GateOptions {
  readonly profile?: ProfileName;
  /** False by `--no-try`. */
  readonly try?: boolean;
}

export interface GateRunOptions extends GateOptions {
  readonly staged?: boolean;
  readonly commit?: string;
  readonly acceptPlan?: boolean;
  readonly installHook?: boolean;
  readonly backend?: 'docker' | 'bubblewrap';
}

/** Writes a plan. */
export async function gateInit(parts: CliParts, options: GateInitOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  const result = await services.gate.init(options.repo, options.profile ?? null, options.try !== false);
  return report(result, options, ({ created, notes, trial }) =>
    [
      ...created.map((path) => `Wrote ${path}`),
      ...notes.map((note) => `${colors.yellow('note')}  ${note}`),
      ...(trial === null ? [] : [`tried ${statusText(trial.verdict ?? 'not judged')}  ${trial.text}`]),
      `${colors.dim('next')}${typed`  a7-rt gate check --repo ${options.repo}, then a7-rt gate run --repo ${options.repo}`}`,
    ].join('\n'),
  );
}

/** Prints a plan. */
export async function gateShow(parts: CliParts, options: GateOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.gate.show(options.repo), options, planPage);
}

function planPage({ repo, file, profile, parts, account, plan }: GatePlanReport): string {
  const rows = parts.map((part) => [part.level, part.what, shortened(part.detail), part.from]);
  const from = file ?? `no verify.yaml: ${defaultText({ profile, account })}`;
  const steps = account.map((each) => [each.outcome, shortened(each.what), each.why, each.from]);
  const { variables, timeZone } = plan.environment;
  const names = Object.keys(variables);
  return [
    `${colors.bold(repo)}  ${from}${profile === null ? '' : `, ${profile} profile`}`,
    '',
    table(
      ['LEVEL', 'WHAT', 'HOW', 'FROM'],
      rows,
      'The plan is empty: nothing would be judged (a7-rt gate init)',
    ),
    '',
    ...(steps.length === 0 ? [] : [table(['STEP', 'WHAT', 'WHY', 'FROM'], steps, ''), '']),
    `Every command: a fresh checkout, no network, ${timeZone}${names.length === 0 ? '' : `, with ${names.join(', ')}`}`,
  ].join('\n');
}

const DETAIL_CHARS_MAX = 90;

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > DETAIL_CHARS_MAX ? `${line.slice(0, DETAIL_CHARS_MAX - 1)}…` : line;
}

/** Checks a plan and this machine. */
export async function gateCheck(parts: CliParts, options: GateRunOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  const result = await services.gate.check(options.repo, options.backend ?? null);
  const code = report(result, options, checkPage);
  return result.ok ? result.value.exitCode : code;
}

function checkPage({ checks }: GateCheckReport): string {
  return checks
    .flatMap(({ name, ok, detail, nextStep }) => [
      `${ok ? colors.green('ok  ') : colors.red('fail')}  ${name.padEnd(10)} ${detail}`,
      ...(nextStep === null ? [] : [`      ${colors.dim('next')}       ${nextStep}`]),
    ])
    .join('\n');
}

/** Judges, or installs the hook that does. */
export async function gateRun(parts: CliParts, options: GateRunOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  if (options.installHook === true) return installHook(parts, options);
  const stop = stopSignal(() => process.exit(3));
  try {
    const { commit } = options;
    const result = await services.gate.run(
      {
        repo: options.repo,
        kind: commit !== undefined ? 'commit' : options.staged === true ? 'staged' : 'work_tree',
        revision: commit ?? null,
        acceptPlan: options.acceptPlan === true || process.env['A7_ACCEPT_PLAN'] === '1',
        backend: options.backend ?? null,
      },
      stop.signal,
    );
    const code = report(result, options, (value) =>
      [
        repositoryReportText(value.report, { verdict: statusText, dim: colors.dim }),
        colors.dim(`kept  ${value.folder}`),
      ].join('\n'),
    );
    return result.ok ? exitCodeOf(result.value.report) : code;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.stderr.write(`${colors.yellow('Stopped')}: nothing was judged\n`);
    return 3;
  } finally {
    stop.dispose();
  }
}

function exitCodeOf({ verdict, fault }: RepositoryReport): ExitCode {
  if (verdict === 'PASS') return 0;
  if (verdict === 'FAIL') return 1;
  return fault === 'platform' ? 4 : 3;
}

async function installHook(parts: CliParts, options: GateRunOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  const program = process.argv[1] ?? 'a7-rt';
  return report(await services.gate.installHook(options.repo, program), options, ({ path, replaced }) =>
    [
      `${replaced ? 'Renewed' : 'Wrote'} ${path}: every commit is judged before it is made`,
      `${colors.dim('next')}  git commit; "git commit --no-verify" goes round it once`,
    ].join('\n'),
  );
}
