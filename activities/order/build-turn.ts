/** What the steps of one turn of an order's agent share. */
import type { IterationStep } from '../../schemas/order-io.ts';
import type { FrozenPlan } from '../../schemas/order-files.ts';
import type { OrderBase } from '../../schemas/order.ts';
import type { AgentLog } from './agent-log.ts';
import type { OpenOrder, OrderPorts } from './ports.ts';

/** One turn that is being prepared or run. */
export interface Build extends OpenOrder {
  readonly ports: OrderPorts;
  readonly step: IterationStep;
  readonly frozen: FrozenPlan;
  readonly base: OrderBase;
  /** Tree that the iteration begins with. */
  readonly tree: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
  /** Of the frozen plan's own files: neither agent nor its tools see them. */
  readonly isHidden: (path: string) => boolean;
  readonly log: AgentLog;
}
