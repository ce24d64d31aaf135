/** What the sandboxed activities are wired with. */
import type { ArtifactStore } from '../../core/ports/artifacts.ts';
import type { GatePort } from '../../core/ports/gate.ts';
import type { RepositoryParts } from '../../core/ports/repository-gate.ts';
import type { Session, Sessions } from '../../core/ports/session.ts';
import type { SymbolsPort } from '../../core/ports/symbols.ts';

export interface JudgePorts {
  readonly sessions: Sessions;
  /** The gate of a session: its trees and reports are the session's. */
  readonly gateOf: (session: Session) => GatePort;
  /** What judges the project's own gate plan on the whole tree. */
  readonly projectPartsOf: (session: Session) => RepositoryParts;
  readonly artifactsOf: (session: Session) => ArtifactStore;
  readonly symbols: SymbolsPort;
  /** Time of the mutation check of code that passes; 0 for none. */
  readonly mutationMs: number;
  /** Image tag of a session's rooms: with the packages that its contracts require. */
  readonly imageOf: (session: Session) => Promise<string>;
}
