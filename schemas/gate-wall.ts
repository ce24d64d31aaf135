/** Which tier judges a node, fixed from contract and suite when the suite is locked (gate.md part 11). */
import { z } from 'zod';

/** Where the verdict was computed from. `in_process`: from a report written inside the process that ran the builder's code. */
export const GateTier = z.enum(['in_process', 'glass_wall']);
export type GateTier = z.infer<typeof GateTier>;

/** Something in a suite or in a declaration that works in one process only. */
export const WallUse = z.strictObject({
  kind: z.enum([
    'patching',
    'files',
    'records',
    'process',
    'introspection',
    'subclass',
    'module',
    'shape',
    'calls',
    'unread',
  ]),
  detail: z.string().max(200),
  /** Empty for a declaration. */
  file: z.string().max(500),
  line: z.int().min(0),
});
export type WallUse = z.infer<typeof WallUse>;

/** What `wall_scan.py` prints. */
export const WallScan = z.strictObject({ uses: z.array(WallUse).max(50) });
export type WallScan = z.infer<typeof WallScan>;

/** A tier and why it is not the wall; no reasons for the wall. */
export const WallChoice = z.strictObject({
  tier: GateTier,
  reasons: z.array(z.string().max(400)).max(20),
});
export type WallChoice = z.infer<typeof WallChoice>;

/** The last call of a failed test as the builder's own code saw it: bounded text of known values (gate.md part 6). */
export const Counterexample = z.strictObject({ call: z.string().max(400), result: z.string().max(400) });
export type Counterexample = z.infer<typeof Counterexample>;
