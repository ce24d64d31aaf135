/** What a visitor can ask for: look at a verdict, send a cheat through the gate, try to get out of the sandbox. */
import type { Verdict, Fault, GateReport, GateTier, IsolationLevel } from '../../schemas/report.ts';
import type { SandboxOutcome } from './sandbox.ts';
import type { Wall } from '../gate/code/walls.ts';

/** One verification in a list. */
export interface ReportRow {
  readonly step: string;
  readonly iteration: string;
  readonly run: number;
  readonly node: string;
  readonly kind: string;
  readonly purpose: string;
  readonly verdict: Verdict;
  readonly fault: Fault | null;
  readonly cached: boolean;
  readonly digest: string;
}

/** A completion attempt that no gate judged: what was handed in could not be judged as it was. */
export interface RefusalRow {
  readonly node: string;
  readonly dispatch: string;
  readonly turn: number;
  readonly at: string;
  readonly reasons: readonly string[];
}

/** One stored report and where it comes from. */
export interface ReportView {
  readonly report: GateReport;
  readonly commit: string | null;
  /** Folder of its artifacts, relative to the session; null when there is none. */
  readonly folder: string | null;
  readonly purpose: string | null;
  readonly step: string | null;
  /** True: a stored report of the same key answered there, nothing ran. */
  readonly cached: boolean;
  /** The name by which `verify` finds it. */
  readonly verifyName: string;
}

export type ReportAnswer =
  | { readonly kind: 'list'; readonly rows: readonly ReportRow[]; readonly refusals: readonly RefusalRow[] }
  | { readonly kind: 'one'; readonly view: ReportView };

export interface ChallengeAsk {
  readonly nodeId: string;
  /** A file that stands for the node's code, or a folder of files by their paths in the project. */
  readonly with: string;
}

/** What became of a challenge. Nothing of the hidden suite is in it but in `report`. */
export interface ChallengeAnswer {
  readonly nodeId: string;
  /** Paths that were sent, as they stand in the project. */
  readonly files: readonly string[];
  /** `held`: refused by a named wall. `passed`: not refused, and it is not the committed code. `same`: it is the committed code. `unproven`: the platform failed, nothing is shown. */
  readonly end: 'held' | 'passed' | 'same' | 'unproven';
  /** Null: refused before the gate, by the rules for trees. */
  readonly verdict: Verdict | null;
  readonly fault: Fault | null;
  readonly walls: readonly Wall[];
  readonly tier: GateTier | null;
  readonly isolation: IsolationLevel;
  /** Exactly what a builder's `submit_pr` would read. */
  readonly builderText: string;
  readonly report: GateReport | null;
}

export interface SandboxAsk {
  readonly argv: readonly string[];
  /** Folder whose regular files lie in /work; null: empty. */
  readonly dir: string | null;
  readonly backend: 'docker' | 'bubblewrap' | null;
  readonly wallMs: number | null;
}

export interface SandboxAnswer {
  readonly outcome: SandboxOutcome;
  /** Exit code for the shell: the command's own, 128 + signal, 124 at a limit, 125 when the sandbox was lost. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly cpuMs: number | null;
  readonly limits: Readonly<Record<string, number>>;
  /** Names of limits that were hit. */
  readonly limitsHit: readonly string[];
  readonly isolation: IsolationLevel & {
    readonly actsTried: number;
    readonly actsNotHeld: readonly string[];
  };
  /** Entries of the folder that were not laid in. */
  readonly leftOut: readonly string[];
}
