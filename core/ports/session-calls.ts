/** The record of a door whose calls belong to a session: rows like those of any paid call (design part 4). */
import type { UnknownCall } from '../../schemas/agent-io.ts';
import type { CallCoordinates, CapReached } from '../../schemas/model.ts';
import type { DoorRecord } from './door-record.ts';
import type { ModelChoice } from './model-directory.ts';
import type { ObjectStore } from './objects.ts';

/** Calls of one turn among the paid calls of the session: held to the cap of their stage like any other (G9). */
export interface SessionCalls extends DoorRecord {
  /** Calls whose outcome a crash made unknowable (G6). */
  unknown(): readonly UnknownCall[];
  /** The cap that a call would pass; null where none was. */
  cap(): CapReached | null;
}

export interface SessionCallsRequest {
  readonly sessionDir: string;
  readonly objects: ObjectStore;
  /** Key of the turn; calls lie below it. */
  readonly key: string;
  readonly coordinates: CallCoordinates;
  readonly fence: number;
  readonly choice: ModelChoice;
  readonly callsMax: number;
}
