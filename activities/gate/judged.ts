/** What judging a request gives, and small readers of a projection's files. */
import { judgement, type Judgement } from '../../core/gate/judgement.ts';
import type { OwnFiles } from '../../core/gate/code/outcome-class.ts';
import type { GateArtifact, VerifyRequest } from '../../core/ports/gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { WallChoice } from '../../schemas/gate-wall.ts';
import type { CommandRecord, Finding, GateTier } from '../../schemas/report.ts';
import type { RoomContext, RoomEnd } from './room.ts';

export interface Judged {
  readonly judgement: Judgement;
  readonly commands: readonly CommandRecord[];
  readonly artifacts: readonly GateArtifact[];
  /** The tier that is fixed for the node, with its reasons; absent where none was fixed. */
  readonly wall?: WallChoice | undefined;
}

export interface JudgeInput {
  readonly context: RoomContext;
  readonly plan: GatePlan;
  /** The projection's files. */
  readonly files: readonly SandboxFile[];
  /** Hash of the suite's files in the projection; null without suite. */
  readonly suiteHash: string | null;
  /** What judges code. */
  readonly tier: GateTier;
  /** The same bytes have failed behind the wall alone before. */
  readonly isDoubted: boolean;
}

/** A judgement made without running anything of the judged party. */
export function decided(
  kind: VerifyRequest['kind'],
  findings: readonly Finding[],
  ends: readonly RoomEnd[] = [],
): Judged {
  const ran = { L0: true, L1: false };
  return {
    judgement: judgement(kind === 'suite' ? 'suite' : 'code', findings, [], ran),
    commands: ends.map((end) => end.record),
    artifacts: ends.flatMap((end) => end.artifacts),
  };
}

/** Lines of each file: a place outside them is never repeated. */
export function lineCounts(files: readonly SandboxFile[]): OwnFiles {
  return new Map(files.map((file) => [file.path, textOf(file).split('\n').length]));
}

/** A file as text; invalid UTF-8 is replaced. */
export function textOf(file: SandboxFile): string {
  return new TextDecoder().decode(file.bytes);
}
