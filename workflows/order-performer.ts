/** Performs the commands of one order: one step at a time, which a cancel stops. */
import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { OrderActivities, OrderRoomActivities } from '../activities/order/index.ts';
import type { OrderCommand, OrderInput } from '../core/order/types.ts';
import type { OrderEnd } from '../schemas/order-ledger.ts';
import type { IterationStep, WorkOrderInput } from '../schemas/order-io.ts';
import {
  BOUNDED_REPOSITORY_OPTIONS,
  LEDGER_OPTIONS,
  leaseOptions,
  orderStepOptions,
  REPOSITORY_OPTIONS,
} from './activity-options.ts';
import { reasonOf } from './failures.ts';

/** Bookkeeping: unlimited, because nothing may go on without it. */
export const orderLedger = proxyActivities<OrderActivities>(LEDGER_OPTIONS);
const steps = proxyActivities<OrderActivities>(BOUNDED_REPOSITORY_OPTIONS);
const closing = proxyActivities<OrderActivities>(REPOSITORY_OPTIONS);
const lease = proxyActivities<OrderActivities>(leaseOptions());

type Step = Extract<OrderCommand, { iteration: number }>;

export class OrderPerformer {
  readonly #input: WorkOrderInput;
  readonly #run: number;
  readonly #feed: (input: OrderInput) => void;
  #scope: CancellationScope | null = null;
  #ends = 0;

  constructor(input: WorkOrderInput, run: number, feed: (input: OrderInput) => void) {
    this.#input = input;
    this.#run = run;
    this.#feed = feed;
  }

  /** Nothing is under way, and more was done than to take the lease again: a run that continues has got somewhere. */
  get isBetweenSteps(): boolean {
    return this.#scope === null && this.#ends > 1;
  }

  /** Starts a command; its end comes back as an input. */
  perform(command: OrderCommand): void {
    if (command.kind === 'close') return;
    if (command.kind === 'stop_work') {
      if (this.#scope === null) this.#feed({ kind: 'stopped' });
      else this.#scope.cancel();
      return;
    }
    const scope = new CancellationScope({ cancellable: true });
    this.#scope = scope;
    void scope
      .run(() => this.#work(command))
      .then(
        (input) => this.#ended(scope, input),
        (error: unknown) =>
          this.#ended(
            scope,
            isCancellation(error)
              ? { kind: 'stopped' }
              : { kind: 'broke', step: command.kind, message: reasonOf(error) },
          ),
      );
  }

  /** Artifacts and lease, whatever happened before. */
  async close(end: OrderEnd): Promise<void> {
    await closing.closeOrder.executeWithOptions({ summary: `Close: ${end.status} (${end.code})` }, [
      this.#input.at,
    ]);
  }

  #ended(scope: CancellationScope, input: OrderInput): void {
    if (this.#scope === scope) this.#scope = null;
    this.#ends += 1;
    this.#feed(input);
  }

  async #work(command: Exclude<OrderCommand, { kind: 'close' | 'stop_work' }>): Promise<OrderInput> {
    const { at } = this.#input;
    switch (command.kind) {
      case 'take_lease':
        return {
          kind: 'lease_taken',
          ...(await lease.takeLease.executeWithOptions({ summary: 'Wait for the workspace' }, [at])),
        };
      case 'prepare':
        return {
          kind: 'prepared',
          result: await steps.prepareOrder.executeWithOptions({ summary: 'Resolve base and gate plan' }, [
            at,
          ]),
        };
      case 'build':
      case 'verify':
        return this.#inRooms(command);
      case 'snapshot':
        return {
          kind: 'snapshotted',
          iteration: command.iteration,
          result: await steps.snapshotIteration.executeWithOptions({ summary: summaryOf(command) }, [
            this.#stepOf(command),
          ]),
        };
      case 'feedback': {
        const { digest } = await steps.writeFeedback.executeWithOptions({ summary: summaryOf(command) }, [
          this.#stepOf(command),
        ]);
        return { kind: 'fed_back', iteration: command.iteration, digest };
      }
    }
  }

  async #inRooms(command: Step): Promise<OrderInput> {
    const { roomQueue, agentQueue = roomQueue } = this.#input;
    const rooms = proxyActivities<OrderRoomActivities>({
      ...orderStepOptions(command.wallMs),
      taskQueue: command.kind === 'build' ? agentQueue : roomQueue,
    });
    const { iteration } = command;
    if (command.kind === 'build') {
      const result = await rooms.buildIteration.executeWithOptions({ summary: summaryOf(command) }, [
        this.#stepOf(command),
      ]);
      return { kind: 'built', iteration, result };
    }
    const result = await rooms.verifyIteration.executeWithOptions({ summary: summaryOf(command) }, [
      this.#stepOf(command),
    ]);
    return { kind: 'verified', iteration, result };
  }

  #stepOf({ iteration, wallMs, advice, repeats }: Step): IterationStep {
    return { at: this.#input.at, run: this.#run, iteration, wallMs, advice: [...advice], repeats };
  }
}

function summaryOf({ kind, iteration }: Step): string {
  return `Iteration ${String(iteration)}: ${kind}`;
}
