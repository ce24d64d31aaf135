/** Artifacts of runs, `<session>/runs/<run>/<dispatch>/iteration-<n>/…` (design part 8): complete also when a run fails. */
import type { GateReport } from '../../schemas/report.ts';
import type { GateArtifact } from './gate.ts';

export interface ArtifactStore {
  /** Stores a verification's report (JSON and page) and its logs. Repeating it changes nothing. */
  saveVerification(
    run: number,
    step: string,
    iteration: string,
    report: GateReport,
    files: readonly GateArtifact[],
  ): Promise<void>;
  /** Report by its digest; null when this session never made it. */
  reportByDigest(digest: string): Promise<GateReport | null>;
}
