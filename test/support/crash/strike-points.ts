/** Where a crash test strikes, and how: shared by the driver and the program that strikes itself. */
import { z } from 'zod';

/** A durable step of a model call, the store of a result, an append of an event, or a moment inside a port's call. */
export const StrikePoint = z.union([
  z.templateLiteral([
    'model:',
    z.enum(['reserved', 'sent', 'first_byte', 'answer_arrived', 'answer_stored', 'received']),
  ]),
  /** `results.putFirst` returned: `tools`, `judged`, `sealed`, ... */
  z.templateLiteral(['stored:', z.string()]),
  /** `ledger.append` returned with an event of this type. */
  z.templateLiteral(['appended:', z.string()]),
  z.enum([
    /** A room of the gate runs its program. */
    'gate:running',
    /** Half a line stands at the end of the ledger. */
    'ledger:torn',
    /** `master.json` itself is cut in half. */
    'master:half',
    /** The branch has moved, work tree and index have not. */
    'commit:swapped',
    /** The branch has moved, one file is there, and git's index lock is left behind. */
    'commit:half',
    /** A stage that continued as new is being opened. */
    'stage:continued',
  ]),
]);
export type StrikePoint = z.infer<typeof StrikePoint>;

export const Strike = z.strictObject({
  point: StrikePoint,
  /** The how-manieth time that the point is reached, from 1. */
  nth: z.int().min(1),
  signal: z.enum(['SIGKILL', 'SIGSTOP']),
  /** Written and synced before the signal: proof that the point was reached. */
  marker: z.string().min(1),
});
export type Strike = z.infer<typeof Strike>;
