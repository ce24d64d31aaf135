/** Every attack. Names are unique: a result is found by them. */
import type { Attack } from '../attack.ts';
import { EXFILTRATION } from './exfiltration.ts';
import { EXHAUSTION } from './exhaustion.ts';
import { FILE_SYSTEM } from './file-system.ts';
import { FORGING } from './forging.ts';
import { GIT } from './git.ts';
import { JUDGE } from './judge.ts';
import { OTHER_RUNS } from './other-runs.ts';
import { RACES } from './races.ts';
import { SCRIPT_FORGING, SCRIPT_WALL, STAND_INS } from './script.ts';
import { WALL } from './wall.ts';

export const ATTACKS: readonly Attack[] = [
  ...FILE_SYSTEM,
  ...GIT,
  ...JUDGE,
  ...FORGING,
  ...SCRIPT_FORGING,
  ...STAND_INS,
  ...WALL,
  ...SCRIPT_WALL,
  ...EXHAUSTION,
  ...EXFILTRATION,
  ...RACES,
  ...OTHER_RUNS,
];
