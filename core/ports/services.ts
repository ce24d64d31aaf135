/**
 * What the command line can ask for: everything behind it is wired by `workers`. Expected failure is a value with an
 * exit code, a message and the next step; a throw is a bug.
 */
import type { HumanInput, LedgerLine } from '../../schemas/ledger.ts';
import type { Envelope } from '../../schemas/signature.ts';
import type { RecordFinding } from '../record/finding.ts';
import type { ConfigReport } from '../config/describe.ts';
import type { DrawnGraph } from '../graph/draw.ts';
import type { Waiting } from '../stage/waiting.ts';
import type { StageState } from '../stage/types.ts';
import type {
  DraftAsk,
  DraftReport,
  InitFromAsk,
  InitFromReport,
  LintReport,
  PromotedReport,
  ReplaceReport,
  RestoredPart,
  SeedAsk,
  SeedReport,
  StageReset,
  StageView,
} from './change-services.ts';
import type {
  AttestCheck,
  BoardReport,
  Check,
  LedgerReport,
  ModelCheck,
  StoryLine,
  UsageSum,
  WhyReport,
} from './told.ts';
import type { Result } from './result.ts';
import type { GateServices } from './gate-services.ts';
import type { OrderServices, PromoteTo } from './order-services.ts';
import type { ChallengeAnswer, ChallengeAsk, ReportAnswer, SandboxAnswer, SandboxAsk } from './visitors.ts';

export type * from './change-services.ts';
export type * from './result.ts';
export type * from './told.ts';

/** Flags of `run`; null means: as in the last run, else as configured. */
export interface RunFlags {
  readonly stageId: string | null;
  readonly nodes: readonly string[];
  readonly manager: 'llm' | 'policy' | 'human' | null;
  readonly model: string | null;
  readonly subagentModel: string | null;
  readonly baseUrl: string | null;
  /** A coding agent takes the role in a room: its name, or `command:` and a shell command. */
  readonly builderAgent: string | null;
  readonly authorAgent: string | null;
  readonly maxCostUsd: number | null;
  readonly maxTokens: number | null;
  readonly maxTurns: number | null;
  readonly drainTurn: number | null;
  readonly maxInFlight: number | null;
  readonly strictTurns: boolean;
  /** No verdict from inside the process that runs the builder's code. */
  readonly requireWall: boolean;
  /** Where only a person can go on, the run ends with exit code 3 instead of waiting. */
  readonly noWait?: boolean;
  readonly backend: 'docker' | 'bubblewrap' | null;
  /** The settings of the last run are forgotten. */
  readonly fresh: boolean;
  readonly adopt: boolean;
}

/** What a watcher of a run is told, in order. */
export type RunNotice =
  | { readonly kind: 'line'; readonly line: LedgerLine }
  | { readonly kind: 'state'; readonly state: StageState }
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'page'; readonly url: string };

export interface RunReport {
  readonly stages: readonly { readonly id: string; readonly status: string; readonly message: string }[];
  readonly grounded: number;
  readonly nodes: number;
  readonly usage: UsageSum;
  readonly page: string | null;
}

export interface StatusReport {
  readonly project: string;
  readonly stages: readonly {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly status: string;
  }[];
  readonly nodes: readonly {
    readonly id: string;
    readonly stage: string;
    readonly status: string;
    readonly note: string;
    readonly dispatches: number;
  }[];
  readonly run: {
    readonly stage: string;
    readonly phase: string;
    readonly turn: number;
    readonly mode: string;
    /** Why it halted or rests; null otherwise. */
    readonly ending: string | null;
    /** Signals of this run that could not be understood, the last ones. */
    readonly refused: readonly string[];
  } | null;
  readonly moving: boolean;
  /** For whom and for what the open stage waits; empty: for nobody. Commands name the session as it was named. */
  readonly waiting: readonly Waiting[];
  readonly page: string | null;
  readonly usage: UsageSum;
  readonly head: string | null;
  /** Why the branch is not what the ledger knows; null: it is. */
  readonly branchProblem: { readonly message: string; readonly nextStep: string } | null;
}

export interface VerifyReport {
  /** Null: a snapshot, not a commit, was named. */
  readonly commit: string | null;
  readonly nodeId: string;
  readonly kind: string;
  /** The candidate tree of the record. */
  readonly tree: string;
  readonly verdict: string;
  readonly recordedDigest: string;
  readonly digest: string;
  /** True when the second verdict equals the recorded one in every field that must be equal. */
  readonly same: boolean;
  /** Names of the fields that were compared. */
  readonly compared: readonly string[];
  /** The verifier's version now. */
  readonly verifier: string;
  /** The version that recorded it, where that is another and all else is equal; then `same` is false, and the verdict holds. */
  readonly otherVerifier: string | null;
  /** One line a field that differs: its name and both values. */
  readonly differences: readonly string[];
  /** Whether a refuted refusal was withdrawn in the ledger; `stage_moves`: not while a stage is open. */
  readonly withdrawal: 'none' | 'withdrawn' | 'stage_moves';
  /** What the record of the session contradicts itself in; `same` says nothing of these. */
  readonly record: readonly RecordFinding[];
}

export interface InputReport {
  readonly id: string;
  /** recorded: in the ledger. sent: durable at the server, no worker is running. */
  readonly state: 'recorded' | 'sent';
  /** What became of it, where that was known within two seconds; null: nobody has taken it yet. */
  readonly answer: { readonly outcome: 'applied' | 'read' | 'rejected'; readonly message: string } | null;
  /** True: no stage moves, so that it waits for the next run. */
  readonly atRest: boolean;
}

export interface Services {
  init(
    dir: string,
    project: string | null,
  ): Promise<Result<{ readonly dir: string; readonly created: readonly string[] }>>;
  /** The same with a commit of a repository as scaffold; the repository is read only. */
  initFrom(dir: string, ask: InitFromAsk): Promise<Result<InitFromReport>>;
  /** What a session built, marked in the repository that it began as. */
  promote(dir: string, to: PromoteTo, repo: string | null): Promise<Result<PromotedReport>>;
  seed(dir: string, ask: SeedAsk): Promise<Result<SeedReport>>;
  draftContracts(dir: string, ask: DraftAsk): Promise<Result<DraftReport>>;
  /** A contracts file, or a session. */
  lintContracts(path: string): Promise<Result<LintReport>>;
  run(
    dir: string,
    flags: RunFlags,
    watch: (notice: RunNotice) => void,
    stop: AbortSignal,
  ): Promise<Result<RunReport>>;
  status(dir: string): Promise<Result<StatusReport>>;
  board(dir: string): Promise<Result<BoardReport>>;
  graph(dir: string): Promise<Result<DrawnGraph>>;
  /** `stageId` null: all of them. */
  stages(dir: string, stageId: string | null): Promise<Result<readonly StageView[]>>;
  /** Makes parts again that are gone or damaged. `cut`: the ledger may end before a line that cannot be read. Empty: all is there. */
  restore(dir: string, cut: boolean): Promise<Result<readonly RestoredPart[]>>;
  stageReset(dir: string, stageId: string, reason: string): Promise<Result<StageReset>>;
  /** A person's file, or folder laid out like the project, as the work of a node. */
  replace(dir: string, nodeId: string, file: string): Promise<Result<ReplaceReport>>;
  why(dir: string, nodeId: string): Promise<Result<WhyReport>>;
  narrative(dir: string, nodeId: string | null): Promise<Result<readonly StoryLine[]>>;
  input(dir: string, input: Omit<HumanInput, 'id' | 'by'>, id: string | null): Promise<Result<InputReport>>;
  /** `name`: commit, snapshot, dispatch or report digest. */
  verify(dir: string, name: string): Promise<Result<VerifyReport>>;
  /** `name` as for `verify`; null lists all. */
  report(dir: string, name: string | null): Promise<Result<ReportAnswer>>;
  challenge(dir: string, ask: ChallengeAsk): Promise<Result<ChallengeAnswer>>;
  sandbox(ask: SandboxAsk, stop: AbortSignal): Promise<Result<SandboxAnswer>>;
  /** `key`: the id of the only key that is believed, or a file that holds it; null: those that this home knows. */
  ledgerVerify(dir: string, key: string | null): Promise<Result<LedgerReport>>;
  /** A PASS as a signed statement. `key`: file of a private key of one's own; null: the home's. */
  attest(dir: string, name: string, key: string | null): Promise<Result<Envelope>>;
  /** `key`: the only public key to believe, as a file or an id; null: those that this home knows. */
  attestVerify(file: string, key: string | null): Promise<Result<AttestCheck>>;
  /** Serves a session's queues until stopped. */
  worker(
    dir: string,
    backend: 'docker' | 'bubblewrap' | null,
    watch: (text: string) => void,
    stop: AbortSignal,
  ): Promise<Result<null>>;
  up(): Promise<Result<{ readonly address: string; readonly ui: string }>>;
  down(): Promise<Result<{ readonly stopped: boolean }>>;
  modelServer(
    script: string,
    port: number,
    record: string | null,
    stop: AbortSignal,
    ready: (url: string) => void,
  ): Promise<Result<null>>;
  /** Null: what holds outside of any session. */
  config(dir: string | null): Promise<Result<ConfigReport>>;
  /** Makes `.a7` with its files in a folder, those that are missing; `key` goes into `.a7/key`. */
  configInit(
    dir: string,
    key: string | null,
  ): Promise<Result<{ readonly created: readonly string[]; readonly kept: readonly string[] }>>;
  /** Asks each model a few small questions; `name` null: the configured ones. */
  checkModels(dir: string | null, name: string | null): Promise<Result<readonly ModelCheck[]>>;
  doctor(dir: string | null): Promise<Result<readonly Check[]>>;
  /** `a7-rt submit`, `orders`, `order`, `promote`, `agents`. */
  readonly orders: OrderServices;
  /** `a7-rt gate`: repositories without a session. */
  readonly gate: GateServices;
}
