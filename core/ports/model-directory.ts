/** Which model serves a role in a session, and under which cap (design part 10). */
import type { ModelRole } from '../../schemas/model.ts';
import type { ModelCap, ModelTarget } from './model.ts';

export interface ModelChoice {
  readonly target: ModelTarget;
  readonly cap: ModelCap;
  /** The limit of one answer after one was cut; null where it is as high as it may be. */
  readonly raisedOutputTokens: number | null;
  readonly onUnknown: 'repay_once' | 'halt';
  /** Characters of a transcript beyond which the oldest turns are compacted. */
  readonly transcriptMaxChars: number;
}

export interface ModelDirectory {
  /** Null when no model is configured for the role. */
  choose(sessionDir: string, stageId: string, role: ModelRole): Promise<ModelChoice | null>;
}
