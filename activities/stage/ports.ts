/** What the stage's activities are wired with. */
import type { ArtifactStore } from '../../core/ports/artifacts.ts';
import type { ModelDirectory } from '../../core/ports/model-directory.ts';
import type { ModelPort } from '../../core/ports/model.ts';
import type { Projections } from '../../core/ports/projections.ts';
import type { AgentSettings } from '../../core/ports/settings.ts';
import type { Session, Sessions } from '../../core/ports/session.ts';

export interface StagePorts {
  readonly sessions: Sessions;
  readonly model: ModelPort;
  readonly models: ModelDirectory;
  readonly projectionsOf: (session: Session) => Projections;
  readonly artifactsOf: (session: Session) => ArtifactStore;
  /** Seconds since 1970, for commit dates. */
  readonly nowSeconds: () => number;
  /** Bounds of every agent, as `dispatch.json` records them. */
  readonly agentLimits: AgentSettings['limits'];
  /** Estimated tokens that the board may take. */
  readonly boardTokensMax: number;
}
