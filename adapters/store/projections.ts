/** `master.json` and `manager.json`: the ledger's fold as files that people read (G7, design part 4). */
import { rm } from 'node:fs/promises';
import type { Projections } from '../../core/ports/projections.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import { writeDurably, writeWhole } from '../system/files.ts';

/** Events after which `master.json` is always written. */
const WRITTEN_AFTER: readonly LedgerEvent['type'][] = [
  'seeded',
  'contract_changed',
  'stage_reopened',
  'replaced',
  'committed',
  'sealed',
  'halted',
  'rested',
];
/** The run is over: `manager.json` goes. */
const RUN_ENDS: readonly LedgerEvent['type'][] = ['sealed', 'halted', 'rested'];
const EVENTS_BETWEEN_WRITES = 100;

export interface ProjectionSource {
  /** Sequence number of the ledger's head. */
  seq(): Promise<number>;
  /** Text of `master.json` at the ledger's head, and its sequence number. */
  master(): Promise<{ readonly text: string; readonly seq: number }>;
  /** Text of `manager.json`, or null when no run is open. */
  manager(): Promise<string | null>;
}

/** Projections of one session; the caller's process keeps the source's fold warm. */
export function createProjections(
  paths: { master: string; manager: string },
  source: ProjectionSource,
): Projections {
  let writtenSeq = -EVENTS_BETWEEN_WRITES;
  return {
    async update(events): Promise<void> {
      const due =
        events.some((event) => WRITTEN_AFTER.includes(event.type)) ||
        (await source.seq()) - writtenSeq >= EVENTS_BETWEEN_WRITES;
      if (due) {
        const { text, seq } = await source.master();
        await writeDurably(paths.master, text);
        writtenSeq = seq;
      }
      const manager = events.some((event) => RUN_ENDS.includes(event.type)) ? null : await source.manager();
      if (manager === null) await rm(paths.manager, { force: true });
      else writeWhole(paths.manager, manager);
    },
  };
}
