/** Commands of work orders: parse, ask, render. */
import type {
  AgentRow,
  OrderNotice,
  ReplayReport,
  RetryChange,
  SubmitReport,
} from '../../core/ports/order-services.ts';
import type { ExitCode, Result } from '../../core/ports/services.ts';
import { repositoryReportText } from '../../core/repository/report-text.ts';
import type { AgentName } from '../../schemas/order.ts';
import type { CliParts } from '../cli-parts.ts';
import { colors } from '../render/colors.ts';
import { noticeText, ordersTable, shownPage, statePage } from '../render/orders.ts';
import { statusText, table } from '../render/text.ts';
import { type JsonOption, report, stopSignal } from './common.ts';
import { askedOf, type SubmitOptions } from './order-asked.ts';
import { typed } from '../../core/text/typed.ts';

export interface IterationOptions extends JsonOption {
  readonly iteration?: number;
}
export interface CancelOptions extends JsonOption {
  readonly reason: string;
}
export interface WatchOptions extends JsonOption {
  readonly backend?: 'docker' | 'bubblewrap';
}
export interface ReplayOptions extends JsonOption {
  readonly bundle?: boolean;
}
export interface AgentsOptions extends JsonOption {
  readonly install?: string;
}

/** Submits an order. */
export async function submit(parts: CliParts, options: SubmitOptions): Promise<ExitCode> {
  const asked = askedOf(options);
  if (!asked.ok) return report(asked, options, () => '');
  const services = await parts.loadServices();
  return follow(options, (watch, stop) => services.orders.submit(asked.value, watch, stop));
}

/** The same again. */
export async function retry(parts: CliParts, id: string, options: SubmitOptions): Promise<ExitCode> {
  const read = askedOf({ ...options, task: options.task ?? 'as before', agent: options.agent ?? 'command' });
  if (!read.ok) return report(read, options, () => '');
  const { value } = read;
  const { paths, forbid, gateEdits, networkHosts } = value.policy;
  const change: RetryChange = {
    ...(options.task === undefined ? {} : { task: value.task }),
    ...(options.base === undefined ? {} : { base: value.base }),
    ...(options.agent === undefined ? {} : { agent: value.agent }),
    ...(options.agentCommand === undefined ? {} : { command: value.command }),
    ...(options.agentFiles === undefined ? {} : { files: value.files }),
    ...(options.model === undefined ? {} : { model: value.model }),
    ...(options.baseUrl === undefined ? {} : { baseUrl: value.baseUrl }),
    ...(options.gate === undefined ? {} : { gate: value.gate }),
    limits: value.limits,
    policy: {
      ...(options.paths === undefined ? {} : { paths }),
      ...(options.forbid === undefined ? {} : { forbid }),
      ...(options.allowGateEdit === undefined ? {} : { gateEdits }),
      ...(options.allowNetwork === undefined ? {} : { networkHosts }),
    },
    backend: value.backend,
    watch: value.watch,
  };
  const services = await parts.loadServices();
  return follow(options, (watch, stop) => services.orders.retry(id, change, watch, stop));
}

/** Serves and follows one. */
export async function watch(parts: CliParts, id: string, options: WatchOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  return follow(options, (tell, stop) => services.orders.watch(id, options.backend ?? null, tell, stop));
}

async function follow(
  options: JsonOption,
  work: (watch: (notice: OrderNotice) => void, stop: AbortSignal) => Promise<Result<SubmitReport>>,
): Promise<ExitCode> {
  const stop = stopSignal(() => process.exit(3));
  const result = await work((notice) => {
    const text = noticeText(notice);
    if (text !== null) process.stderr.write(`${text}\n`);
  }, stop.signal);
  stop.dispose();
  const code = report(result, options, submitted);
  if (!result.ok) return code;
  switch (result.value.state?.end?.status) {
    case 'FAILED':
      return 1;
    case 'CANCELED':
      return 3;
    case 'SUCCEEDED':
    case undefined:
      return 0;
  }
}

function submitted({ id, folder, page, served, state }: SubmitReport): string {
  const next =
    state === null
      ? served
        ? typed`a7-rt order show ${id}`
        : typed`a7-rt worker serves it (no worker of this data folder is running); or a7-rt order watch ${id}`
      : state.end?.status === 'SUCCEEDED'
        ? typed`a7-rt order diff ${id}; a7-rt promote ${id} --branch NAME`
        : state.end?.code === 'plan'
          ? typed`a7-rt gate init in the repository writes a plan; commit it, then a7-rt order retry ${id}`
          : typed`a7-rt order report ${id}; a7-rt order retry ${id}`;
  return [
    state === null ? `Submitted ${id}` : statePage(state),
    colors.dim(`kept  ${folder}`),
    ...(page === null ? [] : [colors.dim(`page  ${page}`)]),
    `${colors.dim('next')}  ${next}`,
  ].join('\n');
}

/** The table. */
export async function listOrders(parts: CliParts, options: JsonOption): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.orders.list(), options, (rows) =>
    ordersTable(rows, Date.now(), process.stdout.isTTY ? process.stdout.columns : Infinity),
  );
}

/** One order. */
export async function show(parts: CliParts, id: string, options: JsonOption): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.orders.show(id), options, shownPage);
}

/** Its logs. */
export async function logs(parts: CliParts, id: string, options: IterationOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.orders.logs(id, options.iteration ?? null), options, ({ text }) => text);
}

/** Its patch. */
export async function diff(parts: CliParts, id: string, options: IterationOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.orders.diff(id, options.iteration ?? null), options, ({ text }) =>
    text.trimEnd(),
  );
}

/** Its report. */
export async function orderReport(parts: CliParts, id: string, options: IterationOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.orders.report(id, options.iteration ?? null), options, (value) =>
    repositoryReportText(value, { verdict: statusText, dim: colors.dim }),
  );
}

/** Ends it. */
export async function cancel(parts: CliParts, id: string, options: CancelOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.orders.cancel(id, options.reason), options, ({ id: order, status }) =>
    status === 'CANCELED' ? `Cancelled ${order}` : `Asked ${order} to end; it is ${status}`,
  );
}

/** Advises it. */
export async function advise(
  parts: CliParts,
  id: string,
  words: readonly string[],
  options: JsonOption,
): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(
    await services.orders.advise(id, words.join(' ')),
    options,
    ({ id: order }) => `Told ${order}: its next iteration reads it`,
  );
}

/** Judges it again. */
export async function replay(parts: CliParts, id: string, options: ReplayOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(
    await services.orders.replay(id, options.bundle === true),
    options,
    ({ iterations }: ReplayReport) =>
      table(
        ['ITERATION', 'RECORDED', 'NOW', 'SAME'],
        iterations.map((each) => [
          String(each.iteration),
          each.recorded,
          each.verdict,
          each.same ? 'yes' : 'NO',
        ]),
        'Nothing was judged in this order.',
      ),
  );
}

/** Lists agents, or installs one. */
export async function agents(parts: CliParts, options: AgentsOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  if (options.install !== undefined) {
    const installed = await services.orders.install(options.install as AgentName);
    return report(installed, options, ({ name, version }) => `${name} ${version ?? ''} is installed`);
  }
  return report(await services.orders.agents(), options, agentsTable);
}

function agentsTable(rows: readonly AgentRow[]): string {
  return table(
    ['AGENT', 'VERSION', 'HERE', 'LICENCE', 'SIZE'],
    rows.map((row) => [
      row.name,
      row.version ?? '',
      row.installed ? 'yes' : 'no',
      row.license,
      row.megabytes === 0 ? '' : `${String(row.megabytes)} MB`,
    ]),
    'No agents.',
  );
}
