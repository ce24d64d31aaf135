/** What the second judge adds to what the wall saw: findings that decide, and what people are shown. */
import type { Finding, LockedSuite, PlainJudge } from '../../../schemas/report.ts';
import type { Execution } from '../execution.ts';
import {
  isGreen,
  isPlatform,
  plainFindings,
  sideBySide,
  wallOnlyFinding,
  wallTwiceWarning,
  type PlainVerdict,
} from './two-judges.ts';
import type { Flakiness } from './two-runs.ts';

interface JudgedBoth {
  readonly plain?: PlainVerdict | null | undefined;
  readonly locked: LockedSuite | null;
  /** The wall's run first. */
  readonly runs: readonly Execution[];
  readonly flakiness?: Flakiness | null | undefined;
}

export interface BothJudges {
  readonly findings: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly isWallOnly: boolean;
  readonly plain: PlainJudge | null;
}

/** What the second judge adds to what the wall saw (two-judges.ts). */
export function bothJudges(
  { plain, locked, runs, flakiness }: JudgedBoth,
  wall: readonly Finding[],
): BothJudges {
  const [first] = runs;
  const none = { findings: [], warnings: [], isWallOnly: false, plain: null };
  if (plain === null || plain === undefined || locked === null || first === undefined) return none;
  const told = { ...none, plain: sideBySide(first, plain, locked) };
  if (flakiness !== null && flakiness !== undefined) return told;
  const passes = isGreen(plain.execution, locked);
  if (wall.length === 0) return passes ? told : { ...told, findings: plainFindings(plain, locked) };
  if (!passes || isPlatform(first)) return told;
  return plain.isSecond
    ? { ...told, isWallOnly: true, warnings: [wallTwiceWarning(plain)] }
    : { ...told, isWallOnly: true, findings: [wallOnlyFinding(plain)] };
}
