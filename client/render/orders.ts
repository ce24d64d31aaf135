/** Work orders for a terminal. */
import { formatMicroUsd } from '../../core/model/cost.ts';
import { orderPage } from '../../core/order/describe.ts';
import type { OrderState } from '../../core/order/types.ts';
import type { OrderNotice, OrderRow, OrderShown } from '../../core/ports/order-services.ts';
import { OrderEvent } from '../../schemas/order-ledger.ts';
import { counted } from '../../core/text/plural.ts';
import { plainOf, plainText } from './plain.ts';
import { colors } from './colors.ts';
import { statusText, table } from './text.ts';
import { typed } from '../../core/text/typed.ts';

const TASK_CHARS_MAX = 48;
const TASK_CHARS_MIN = 8;
/** Below it an order's whole name leaves no room for its task. */
const WIDE_COLUMNS = 110;
const SHORT_ID = 6;

/** The table of all orders. @param columns of the terminal: there no row is broken, an order is named by its end, which every command takes */
export function ordersTable(rows: readonly OrderRow[], nowMs: number, columns = Infinity): string {
  const header = ['ORDER', 'STATE', 'AGENT', 'ITERATION', 'VERDICT', 'COST', 'AGE'];
  const cells = rows.map((row) => [
    columns < WIDE_COLUMNS ? row.id.slice(-SHORT_ID) : row.id,
    row.status,
    row.agent,
    `${String(row.iteration)}/${String(row.iterationsMax)}`,
    row.verdict ?? '-',
    formatMicroUsd(row.costMicroUsd),
    ageText(nowMs - Date.parse(row.createdAt)),
  ]);
  const widths = header.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const taken = widths.reduce((sum, width) => sum + width + 2, 0);
  const taskMax = Math.max(TASK_CHARS_MIN, Math.min(TASK_CHARS_MAX, columns - taken));
  return table(
    [...header, 'TASK'],
    cells.map((row, at) => [...row, rows[at]?.task.slice(0, taskMax) ?? '']),
    'No orders. a7-rt submit --help',
  );
}

function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${String(minutes)} min`;
  return minutes < 60 * 48
    ? `${String(Math.floor(minutes / 60))} h`
    : `${String(Math.floor(minutes / 1440))} d`;
}

/** The end of an order. */
export function statePage(state: OrderState): string {
  return orderPage(state)
    .trimEnd()
    .replace(/^# (Order \S+: )(\w+)/, (_all, head: string, status: string) => `${head}${statusText(status)}`);
}

/** One order with its artifacts. */
export function shownPage({ state, folder, page, artifacts, moving }: OrderShown): string {
  const isOpen = state.end === null;
  return [
    statePage(state),
    '',
    colors.dim(`artifacts in ${folder}`),
    ...artifacts.filter((name) => !/\/(?:calls|logs)\//.test(name)).map((name) => `  ${name}`),
    ...(page === null ? [] : [colors.dim(`page  ${page}`)]),
    ...(isOpen && !moving
      ? [
          `${colors.dim('next')}${typed`  nothing moves it: a7-rt worker, or a7-rt order watch ${state.order.id}`}`,
        ]
      : []),
  ].join('\n');
}

/** One line of progress; null for what says nothing to a person. */
export function noticeText(notice: OrderNotice): string | null {
  if (notice.kind === 'said') return plainText(notice.text);
  const event = OrderEvent.safeParse({ type: notice.line.type, data: notice.line.data });
  if (!event.success) return null;
  const at = colors.dim(notice.line.at.slice(11, 19));
  // What others wrote is made plain before our own colours are laid on.
  const text = eventText(plainOf(event.data));
  return text === null ? null : `${at}  ${text}`;
}

function eventText(event: OrderEvent): string | null {
  switch (event.type) {
    case 'order_submitted':
      return `QUEUED  ${event.data.order.agent.name} on ${event.data.order.source.at}`;
    case 'lease_taken':
      return `LEASED${event.data.tookOverFrom === null ? '' : `  taken over from ${event.data.tookOverFrom}`}`;
    case 'prepared':
      return `        base ${event.data.base.commit.slice(0, 12)}, gate: ${event.data.base.planFrom}`;
    case 'build_started':
      return `BUILDING  iteration ${String(event.data.iteration)}`;
    case 'built':
      return `SNAPSHOTTING  the agent ended: ${event.data.end.kind}${event.data.end.detail === '' ? '' : `, ${event.data.end.detail.split('\n')[0] ?? ''}`}`;
    case 'snapshot_taken':
      return `VERIFYING  ${counted(event.data.changed, 'file')} changed, tree ${event.data.tree.slice(0, 12)}`;
    case 'verified':
      return `${statusText(event.data.verdict)}  ${event.data.headline}`;
    case 'feedback_given':
      return `FEEDBACK${event.data.repeats === 0 ? '' : '  the same failure again'}`;
    case 'order_ended':
      return `${statusText(event.data.end.status)}  ${event.data.end.message}`;
    case 'cancel_requested':
      return `cancel requested: ${event.data.reason}`;
    case 'advice_given':
      return `advice: ${event.data.text.slice(0, 100)}`;
    case 'input_refused':
      return `not understood: ${event.data.shown.slice(0, 100)}. ${event.data.reason}`;
    case 'step_broke':
      return `${event.data.step} broke: ${event.data.message}`;
    case 'run_opened':
    case 'promoted':
      return null;
  }
}
