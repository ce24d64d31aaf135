/**
 * Workflow `workOrder`: feeds what happens to `core/order/decide`, has its events written to the ledger, then performs its
 * commands, one at a time. No rule about orders lives here.
 */
import {
  CancellationScope,
  ApplicationFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  log,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import { decideOrder } from '../core/order/decide.ts';
import { orderLine, orderPage } from '../core/order/describe.ts';
import { foldOrder } from '../core/order/fold.ts';
import { readMessage, unknownMessage } from '../core/order/read-message.ts';
import type { OrderCommand, OrderInput, OrderState } from '../core/order/types.ts';
import type { SignalRefusal } from '../schemas/ledger-parts.ts';
import { SEARCH_ATTRIBUTES } from '../schemas/search-attributes.ts';
import type { OrderEvent } from '../schemas/order-ledger.ts';
import type { OrderOutcome, WorkOrderInput } from '../schemas/order-io.ts';
import { historyIsLong } from './long-history.ts';
import { OrderPerformer, orderLedger } from './order-performer.ts';

/** A person's cancel or advice. Durable at once. */
export const orderSignal = defineSignal<[unknown]>('order');
/** The order as Markdown. */
export const orderQuery = defineQuery<string>('page');

const OUTCOME = defineSearchAttributeKey(SEARCH_ATTRIBUTES.outcome, SearchAttributeType.KEYWORD);
const VERDICT = defineSearchAttributeKey(SEARCH_ATTRIBUTES.verdict, SearchAttributeType.KEYWORD);

interface Order {
  readonly input: WorkOrderInput;
  readonly inbox: OrderInput[];
  readonly run: number;
  state: OrderState;
}

/** Runs one order to its end. Cancelling the workflow cancels the order. */
export async function workOrder(input: WorkOrderInput): Promise<OrderOutcome> {
  const inbox: OrderInput[] = [];
  let order: Order | null = null;
  let typed = 0;
  const nextId = (): string => `${workflowInfo().runId}-${String((typed += 1))}`;
  const refuse = (refusal: SignalRefusal): void => {
    // An order of an older program goes on as it began.
    if (input.notesRefusals === true) inbox.push({ kind: 'refused', refusal });
    else log.warn('A signal that is neither text, advice nor cancel was left out');
  };
  setHandler(orderSignal, (sent) => {
    const read = readMessage(sent, nextId());
    if ('message' in read) inbox.push({ kind: 'message', message: read.message });
    else refuse(read.refusal);
  });
  setDefaultSignalHandler((name, ...sent) => refuse(unknownMessage(name, sent[0], nextId())));
  setHandler(orderQuery, () => (order === null ? 'opening' : orderPage(order.state)));
  void CancellationScope.current().cancelRequested.catch(() => {
    const message = { kind: 'cancel', by: 'temporal', reason: 'The workflow was cancelled' } as const;
    inbox.push({ kind: 'message', message });
  });
  return CancellationScope.nonCancellable(async () => {
    const { events, run } = await orderLedger.openWorkOrder.executeWithOptions(
      { summary: `Open order ${input.at.orderId}` },
      [input.at],
    );
    inbox.unshift({ kind: 'opened', run, owner: workflowInfo().firstExecutionRunId });
    order = { input, inbox, run, state: foldOrder(events) };
    return drive(order);
  });
}

async function drive(order: Order): Promise<OrderOutcome> {
  const performer = new OrderPerformer(order.input, order.run, (input) => order.inbox.push(input));
  for (;;) {
    await condition(() => order.inbox.length > 0);
    const commands = await decideAll(order);
    const close = commands.find((command) => command.kind === 'close');
    if (close !== undefined) {
      await performer.close(close.end);
      tellOutcome(order.input, close.end);
      return close.end;
    }
    if (isBetweenSteps(order, performer, commands)) await continueAsNew<typeof workOrder>(order.input);
    for (const command of commands) performer.perform(command);
  }
}

/** Nothing is under way, and what is next is a step: the next run finds it in the ledger, as after a crash. */
function isBetweenSteps(
  { input, inbox }: Order,
  performer: OrderPerformer,
  commands: readonly OrderCommand[],
): boolean {
  if (input.historyEventsMax === undefined || !performer.isBetweenSteps || inbox.length > 0) return false;
  const isStep = commands.length > 0 && commands.every(({ kind }) => kind !== 'stop_work');
  return isStep && historyIsLong(input.historyEventsMax);
}

/** Temporal says "Completed" of every end: these say which one, and why, for as long as the page stays. */
function tellOutcome({ tellsOutcome, searchable }: WorkOrderInput, end: OrderOutcome): void {
  if (tellsOutcome !== true) return;
  upsertMemo({ outcome: `${end.status} (${end.code}): ${end.message}` });
  if (searchable) upsertSearchAttributes([{ key: OUTCOME, value: end.status }]);
}

/** Decides about everything in the inbox, then has all of it in the ledger before anything is performed. */
async function decideAll(order: Order): Promise<readonly OrderCommand[]> {
  const events: OrderEvent[] = [];
  const commands: OrderCommand[] = [];
  const fromSeq = order.state.seq + 1;
  const before = order.state.status;
  for (let input = order.inbox.shift(); input !== undefined; input = order.inbox.shift()) {
    const decision = decideOrFail(order.state, input);
    events.push(...decision.events);
    commands.push(...decision.commands);
    order.state = decision.state;
  }
  setCurrentDetails(orderPage(order.state));
  if (events.length === 0) return commands;
  const types = [...new Set(events.map((event) => event.type))].join(', ');
  const summary = `Ledger ${String(fromSeq)}: ${types}; ${orderLine(order.state)}`.slice(0, 190);
  await orderLedger.appendOrder.executeWithOptions({ summary }, [
    { at: order.input.at, run: order.run, fromSeq, events },
  ]);
  if (order.input.searchable && order.state.status !== before)
    upsertSearchAttributes([{ key: VERDICT, value: order.state.status }]);
  return commands;
}

/** A broken invariant must end the workflow, not fail its task for ever. */
function decideOrFail(state: OrderState, input: OrderInput): ReturnType<typeof decideOrder> {
  try {
    return decideOrder(state, input);
  } catch (error) {
    if (isCancellation(error)) throw error;
    throw ApplicationFailure.nonRetryable(
      error instanceof Error ? error.message : String(error),
      'DecisionFailed',
    );
  }
}
