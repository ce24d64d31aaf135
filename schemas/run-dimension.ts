/** What the second run of a suite does otherwise than the first (gate.md parts 2 and 5). */
import { z } from 'zod';

/** `date` moves the clock of the judged process; `order` reverses the tests, of `node:test` their files; `folder` lays the tree elsewhere. */
export const RunDimension = z.enum(['hash_seed', 'order', 'folder', 'time_zone', 'locale', 'date']);
export type RunDimension = z.infer<typeof RunDimension>;

/** What two runs were found to differ by. `repetition`: nothing was varied; `together`: no dimension did it alone. */
export const FlakyCause = z.enum([...RunDimension.options, 'repetition', 'together']);
export type FlakyCause = z.infer<typeof FlakyCause>;
