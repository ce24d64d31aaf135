/** What the steps of one `run` share. */
import type { RunFlags, RunNotice } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import type { ResolvedConfig } from '../../schemas/config.ts';
import type { Surroundings } from './common.ts';
import type { Hosting } from './host-workers.ts';

/** Everything that one `run` holds. */
export interface RunContext {
  readonly around: Surroundings;
  readonly session: Session;
  /** The session as the person named it. */
  readonly shown: string;
  readonly config: ResolvedConfig;
  readonly flags: RunFlags;
  readonly hosting: Hosting;
  /** No other process served the session when this one began. */
  readonly isAlone: boolean;
  readonly watch: (notice: RunNotice) => void;
  readonly stop: AbortSignal;
}
