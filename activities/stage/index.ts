/** Activities of a stage: open, append, ask the manager, commit, close. Each is idempotent by the ledger or by its key. */
import type {
  AppendLedgerInput,
  AskManagerInput,
  CommitInput,
  ConsultAnswer,
  ConsultInput,
  ManagerAnswer,
  OpenStageResult,
  ReviewAnswer,
  ReviewInput,
  StageCoordinates,
} from '../../schemas/stage-io.ts';
import type { CommitResult } from '../../schemas/stage.ts';
import { appendAndCommit } from './append-and-commit.ts';
import { appendLedger } from './append-ledger.ts';
import { askManager } from './ask-manager.ts';
import { commit } from './commit.ts';
import { consult } from './consult.ts';
import { loadPiece, openStage } from './open-stage.ts';
import { review } from './review.ts';
import type { StagePorts } from './ports.ts';

export interface StageActivities {
  openStage(at: StageCoordinates): Promise<OpenStageResult>;
  loadPiece(at: StageCoordinates, ref: string, piece: number): Promise<string>;
  appendLedger(input: AppendLedgerInput): Promise<void>;
  appendAndCommit(input: AppendLedgerInput): Promise<CommitResult | null>;
  askManager(input: AskManagerInput): Promise<ManagerAnswer>;
  consult(input: ConsultInput): Promise<ConsultAnswer>;
  review(input: ReviewInput): Promise<ReviewAnswer>;
  commit(input: CommitInput): Promise<CommitResult>;
}

/** The stage's activities over their ports. */
export function createStageActivities(ports: StagePorts): StageActivities {
  return {
    openStage: (at) => openStage(ports, at),
    loadPiece: (at, ref, piece) => loadPiece(ports, at, ref, piece),
    appendLedger: (input) => appendLedger(ports, input),
    appendAndCommit: (input) => appendAndCommit(ports, input),
    askManager: (input) => askManager(ports, input),
    consult: (input) => consult(ports, input),
    review: (input) => review(ports, input),
    commit: (input) => commit(ports, input),
  };
}
