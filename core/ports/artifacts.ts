/** Artifacts of runs, `<session>/runs/r<run>/<step>/iteration-<n>/…` (design part 8): complete also when a run fails. */
import type { IterationRecord } from '../../schemas/artifacts.ts';
import type { GateReport } from '../../schemas/report.ts';
import type { GateArtifact, VerifyOutcome } from './gate.ts';

/** One verification and all that belongs to it. */
export interface SavedVerification extends Pick<
  IterationRecord,
  'run' | 'step' | 'purpose' | 'role' | 'turn'
> {
  /** Folder of the step, for example `iteration-1`. */
  readonly folder: string;
  readonly outcome: VerifyOutcome;
  /** Besides what the gate left: patch, snapshot, agent log, notes. */
  readonly files: readonly GateArtifact[];
}

export interface ArtifactStore {
  /**
   * Stores report (JSON and page), logs and files, whole or not at all. The same report again changes nothing; another one
   * takes the folder's place, and the former is kept beside it.
   */
  saveVerification(saved: SavedVerification): Promise<void>;
  /** Number of the completion attempt made at this turn: the known one, else the next. From 1. */
  iterationAt(run: number, step: string, turn: number): Promise<number>;
  /** Writes files of the step's own folder; each replaces a former one. */
  saveStepFiles(run: number, step: string, files: readonly GateArtifact[]): Promise<void>;
  /** Stores files under the step's folder, whole or not at all; a folder that is there stays. */
  saveFolder(run: number, step: string, folder: string, files: readonly GateArtifact[]): Promise<void>;
  /** Report by its digest; null when this session never made it, or when the stored one is not what the digest says. */
  reportByDigest(digest: string): Promise<GateReport | null>;
}
