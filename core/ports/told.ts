/** Answers of the commands that look: the board, a node's reasons, the story, a check of the machine. */
import type { ToolCalls } from '../../schemas/config.ts';
import type { Board } from '../../schemas/board.ts';
import type { RecordFinding } from '../record/finding.ts';
import type { SignedBy } from '../record/signatures.ts';
import type { Waiting } from '../stage/waiting.ts';

/** Cost is null where a model has no price. */
export interface UsageSum {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicroUsd: number | null;
  readonly unknownAttempts: number;
}

/** What the manager of the open or last stage sees, and what it may do now. */
export interface BoardReport {
  readonly board: Board;
  /** As `a7-rt act SESSION` takes them. */
  readonly moves: readonly string[];
  readonly waiting: readonly Waiting[];
  readonly phase: string;
  readonly manager: string;
  readonly usage: UsageSum;
}

export interface WhyReport {
  readonly nodeId: string;
  readonly status: string;
  readonly reasons: readonly string[];
  readonly nextStep: string | null;
}

/** One line of a story: when, which node, what happened. */
export interface StoryLine {
  readonly at: string;
  readonly seq: number;
  readonly nodeId: string | null;
  readonly text: string;
}

/** One way to call tools, tried at an endpoint. */
export interface ModelTry {
  readonly form: ToolCalls;
  /** Null: it works. */
  readonly fault: string | null;
  readonly nextStep: string | null;
  readonly elapsedMs: number | null;
  /** True: the endpoint does not answer at all, and nothing else was tried. */
  readonly isFinal: boolean;
}

export interface ModelCheck {
  readonly alias: string;
  readonly modelId: string;
  readonly baseUrl: string;
  readonly tries: readonly ModelTry[];
  /** Null: none works. */
  readonly chosen: ToolCalls | null;
  /** The file that the choice was written into; null where it held already. */
  readonly wrote: string | null;
}

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly nextStep: string | null;
}

export interface LedgerReport {
  readonly lines: number;
  readonly headHash: string;
  readonly chain: 'valid' | 'broken';
  readonly fold: 'equal' | 'behind' | 'different';
  readonly detail: string;
  /** Whose keys signed it; null where the chain is broken. */
  readonly signedBy: SignedBy | null;
  readonly keys: readonly { readonly keyId: string; readonly origin: string; readonly lines: number }[];
  /** Copies of a fact that differ, and signatures that do not hold. */
  readonly findings: readonly RecordFinding[];
  readonly notes: readonly string[];
}

/** What a signed statement says, after its signature held. */
export interface AttestCheck {
  /** Keys that are believed here and signed it. */
  readonly signedBy: readonly string[];
  readonly result: 'PASSED';
  readonly subjects: readonly { readonly name: string; readonly digest: Readonly<Record<string, string>> }[];
  /** Gate plan, report, suite and image, by digest. */
  readonly configuration: readonly {
    readonly name: string;
    readonly value: string;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
  readonly tests: number;
}
