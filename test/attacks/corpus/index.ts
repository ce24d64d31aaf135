/** Every attack. Names are unique: a result is found by them. */
import type { Attack } from '../attack.ts';
import { ASSERTIONS } from './assertions.ts';
import { DOOR } from './door.ts';
import { EXFILTRATION } from './exfiltration.ts';
import { EXHAUSTION } from './exhaustion.ts';
import { FILE_SYSTEM } from './file-system.ts';
import { FOLLOW } from './follow.ts';
import { FORGING } from './forging.ts';
import { GIT } from './git.ts';
import { HALF_WORK } from './half-work.ts';
import { JUDGE } from './judge.ts';
import { KERNEL_ESCAPES, KERNEL_READS } from './kernel.ts';
import { OTHER_RUNS } from './other-runs.ts';
import { RACES } from './races.ts';
import { REPORTS } from './reports.ts';
import { SCRIPT_FORGING, SCRIPT_WALL, STAND_INS } from './script.ts';
import { SCRIPT_INSIDE } from './script-inside.ts';
import { SHARED } from './shared.ts';
import { WALL } from './wall.ts';

export const ATTACKS: readonly Attack[] = [
  ...FILE_SYSTEM,
  ...KERNEL_ESCAPES,
  ...GIT,
  ...JUDGE,
  ...FORGING,
  ...FOLLOW,
  ...HALF_WORK,
  ...SCRIPT_INSIDE,
  ...ASSERTIONS,
  ...REPORTS,
  ...SCRIPT_FORGING,
  ...STAND_INS,
  ...WALL,
  ...SHARED,
  ...SCRIPT_WALL,
  ...EXHAUSTION,
  ...EXFILTRATION,
  ...DOOR,
  ...KERNEL_READS,
  ...RACES,
  ...OTHER_RUNS,
];
