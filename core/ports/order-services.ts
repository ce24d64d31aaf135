/** What `a7-rt submit`, `orders`, `order …`, `promote` and `agents` can ask for. */
import type { OrderState } from '../order/types.ts';
import type { AgentName, OrderGate, OrderLimits, OrderPolicy, OrderStatus } from '../../schemas/order.ts';
import type { Envelope } from '../../schemas/signature.ts';
import type { LedgerLine } from '../../schemas/ledger.ts';
import type { RepositoryReport } from '../../schemas/repository-report.ts';
import type { Result } from './result.ts';

export interface SubmitAsked {
  readonly repo: string;
  /** Branch, tag or commit; null: the branch that is checked out. */
  readonly base: string | null;
  readonly withChanges: boolean;
  readonly task: string;
  readonly agent: AgentName;
  readonly model: string | null;
  readonly baseUrl: string | null;
  readonly command: string | null;
  readonly files: string | null;
  readonly gate: OrderGate;
  readonly limits: Partial<OrderLimits>;
  readonly policy: OrderPolicy;
  readonly backend: 'docker' | 'bubblewrap' | null;
  readonly watch: boolean;
  readonly retryOf: string | null;
}

/** What is different in an order that is asked for again: of limits and policy each field by itself. */
export interface RetryChange extends Partial<Omit<SubmitAsked, 'limits' | 'policy'>> {
  readonly limits?: Partial<OrderLimits>;
  readonly policy?: Partial<OrderPolicy>;
}

export type OrderNotice =
  { readonly kind: 'line'; readonly line: LedgerLine } | { readonly kind: 'said'; readonly text: string };

export interface SubmitReport {
  readonly id: string;
  readonly folder: string;
  readonly page: string | null;
  /** True: a worker of this data folder is there. */
  readonly served: boolean;
  /** Null: not waited for. */
  readonly state: OrderState | null;
  readonly notes: readonly string[];
}

export interface OrderRow {
  readonly id: string;
  readonly status: OrderStatus;
  readonly agent: string;
  readonly iteration: number;
  readonly iterationsMax: number;
  readonly verdict: string | null;
  readonly costMicroUsd: number | null;
  readonly createdAt: string;
  readonly task: string;
}

export interface OrderShown {
  readonly state: OrderState;
  readonly folder: string;
  readonly page: string | null;
  /** Names of the artifacts. */
  readonly artifacts: readonly string[];
  /** False: nobody moves it; `a7-rt worker` does. */
  readonly moving: boolean;
}

export interface OrderText {
  readonly id: string;
  readonly text: string;
}

export type PromoteTo =
  | { readonly kind: 'branch'; readonly name: string }
  | { readonly kind: 'tag'; readonly name: string }
  | { readonly kind: 'bundle'; readonly name: string }
  | { readonly kind: 'patch'; readonly name: string };

export interface PromoteReport {
  readonly id: string;
  readonly kind: PromoteTo['kind'];
  readonly name: string;
  readonly commit: string;
  readonly tree: string;
}

export interface ReplayReport {
  readonly id: string;
  readonly iterations: readonly {
    readonly iteration: number;
    readonly recorded: RepositoryReport['verdict'];
    readonly verdict: RepositoryReport['verdict'];
    readonly recordedDigest: string;
    readonly digest: string;
    readonly same: boolean;
  }[];
}

export interface AgentRow {
  readonly name: AgentName;
  readonly version: string | null;
  readonly installed: boolean;
  readonly license: string;
  readonly megabytes: number;
}

export interface OrderServices {
  submit(
    asked: SubmitAsked,
    watch: (notice: OrderNotice) => void,
    stop: AbortSignal,
  ): Promise<Result<SubmitReport>>;
  retry(
    id: string,
    change: RetryChange,
    watch: (notice: OrderNotice) => void,
    stop: AbortSignal,
  ): Promise<Result<SubmitReport>>;
  watch(
    id: string,
    backend: SubmitAsked['backend'],
    watch: (notice: OrderNotice) => void,
    stop: AbortSignal,
  ): Promise<Result<SubmitReport>>;
  list(): Promise<Result<readonly OrderRow[]>>;
  show(id: string): Promise<Result<OrderShown>>;
  /** Agent's log and the clean room's, of one iteration or all. */
  logs(id: string, iteration: number | null): Promise<Result<OrderText>>;
  diff(id: string, iteration: number | null): Promise<Result<OrderText>>;
  report(id: string, iteration: number | null): Promise<Result<RepositoryReport>>;
  cancel(id: string, reason: string): Promise<Result<{ readonly id: string; readonly status: OrderStatus }>>;
  advise(id: string, text: string): Promise<Result<{ readonly id: string }>>;
  /** @param repo where its repository lies now, if it was moved */
  promote(id: string, to: PromoteTo, repo?: string | null): Promise<Result<PromoteReport>>;
  /** @param bundle a file that an order left, instead of an order of this data folder. */
  replay(name: string, bundle: boolean): Promise<Result<ReplayReport>>;
  /** @param key file of a private key; null: the home's. */
  attest(id: string, key: string | null): Promise<Result<Envelope>>;
  agents(): Promise<Result<readonly AgentRow[]>>;
  install(name: AgentName): Promise<Result<AgentRow>>;
  /** Serves the orders of the data folder, and the sessions in its folder `sessions` that move, until stopped. */
  serve(
    backend: SubmitAsked['backend'],
    watch: (text: string) => void,
    stop: AbortSignal,
  ): Promise<Result<null>>;
}
