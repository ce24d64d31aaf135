/** Activities of work orders: bookkeeping on the control queue, agents and gates on the queue of rooms. */
import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type {
  AppendOrder,
  BuiltResult,
  IterationStep,
  OpenedOrder,
  PreparedOrder,
  SnapshotResult,
  VerifiedResult,
} from '../../schemas/order-io.ts';
import type { OrderAt } from '../../schemas/order.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { buildIteration } from './build.ts';
import { closeOrder } from './close.ts';
import { appendOrder, openWorkOrder, takeLease } from './ledger-steps.ts';
import type { OrderPorts } from './ports.ts';
import { prepareOrder } from './prepare.ts';
import { snapshotIteration } from './snapshot.ts';
import { verifyIteration, writeFeedback } from './verify.ts';

export interface OrderActivities {
  openWorkOrder(at: OrderAt): Promise<OpenedOrder>;
  appendOrder(input: AppendOrder): Promise<void>;
  takeLease(at: OrderAt): Promise<{ readonly tookOverFrom: string | null }>;
  prepareOrder(at: OrderAt): Promise<PreparedOrder>;
  snapshotIteration(step: IterationStep): Promise<SnapshotResult>;
  writeFeedback(step: IterationStep): Promise<{ readonly digest: string }>;
  closeOrder(at: OrderAt): Promise<void>;
}

export interface OrderRoomActivities {
  buildIteration(step: IterationStep): Promise<BuiltResult>;
  verifyIteration(step: IterationStep): Promise<VerifiedResult>;
}

/** What needs files and git. On a large repository each takes longer than a worker may be silent; `takeLease` beats by itself. */
export function createOrderActivities(ports: OrderPorts): OrderActivities {
  const beating =
    <I, R>(step: (ports: OrderPorts, input: I) => Promise<R>) =>
    (input: I): Promise<R> =>
      withHeartbeat(heartbeat, () => step(ports, input));
  /** A full disk is waited for, and said: it is no failure of a step. */
  const roomy = <I, R>(step: (ports: OrderPorts, input: I) => Promise<R>): ((input: I) => Promise<R>) =>
    beating(async (own, input: I) => {
      await own.awaitSpace(cancellationSignal());
      return step(own, input);
    });
  return {
    openWorkOrder: beating(openWorkOrder),
    appendOrder: beating(appendOrder),
    takeLease: (at) => takeLease(ports, at),
    prepareOrder: roomy(prepareOrder),
    snapshotIteration: roomy(snapshotIteration),
    writeFeedback: roomy(writeFeedback),
    closeOrder: roomy((own, at) => closeOrder(own, at, activityInfo().attempt)),
  };
}

/** What needs rooms. */
export function createOrderRoomActivities(ports: OrderPorts): OrderRoomActivities {
  return {
    buildIteration: (step) => buildIteration(ports, step),
    verifyIteration: (step) => verifyIteration(ports, step),
  };
}
