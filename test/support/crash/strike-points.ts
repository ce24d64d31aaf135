/** Where a crash test strikes, and how: shared by the driver and the program that strikes itself. */
import type { CallStep } from '../../../adapters/model/call-step.ts';
import type { LedgerEventType } from '../../../schemas/ledger.ts';

/** A durable step of a model call, the store of a result, an append of an event, or a moment inside a port's call. */
export type StrikePoint =
  | `model:${CallStep}`
  /** `results.putFirst` returned. */
  | `stored:${'opened' | 'tools' | 'judged' | 'accepted' | 'suite' | 'commit-plan' | 'sealed'}`
  /** `ledger.append` returned with an event of this type. */
  | `appended:${LedgerEventType}`
  /** A room of the gate runs its program. */
  | 'gate:running'
  /** Half a line stands at the end of the ledger. */
  | 'ledger:torn'
  /** `master.json` itself is cut in half. */
  | 'master:half'
  /** The branch has moved, work tree and index have not. */
  | 'commit:swapped'
  /** The branch has moved, one file is there, and git's index lock is left behind. */
  | 'commit:half'
  /** A stage that continued as new is being opened. */
  | 'stage:continued';

export interface Strike {
  readonly point: StrikePoint;
  /** The how-manieth time that the point is reached, from 1. */
  readonly nth: number;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  /** Written and synced before the signal: proof that the point was reached. */
  readonly marker: string;
}
