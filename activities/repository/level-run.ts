/** One level of a repository's plan, once it ran. */
import type { GateArtifact } from '../../core/ports/gate.ts';
import type { RanTests } from '../../core/ports/repository-gate.ts';
import type { RepositoryCommand, RepositoryFinding } from '../../schemas/repository-report.ts';

/** What a level gave. */
export interface LevelRun {
  readonly findings: readonly RepositoryFinding[];
  readonly commands: readonly RepositoryCommand[];
  readonly artifacts: readonly GateArtifact[];
  readonly ran?: readonly RanTests[];
}
