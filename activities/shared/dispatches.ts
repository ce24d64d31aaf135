/** Facts about dispatches, read from the ledger. */
import { eventOf } from '../../core/ledger/lines.ts';
import type { Session } from '../../core/ports/session.ts';
import type { AgentCoordinates } from '../../schemas/agent-io.ts';
import type { LedgerEvent, LedgerEventOf } from '../../schemas/ledger.ts';
import type { DispatchRecord } from '../../schemas/stage.ts';

/** Records of all dispatches of this node and role, oldest first. */
export async function dispatchesOf(
  session: Session,
  at: AgentCoordinates,
): Promise<readonly DispatchRecord[]> {
  const events = await eventsOf(session, 'dispatched');
  return events
    .map((event) => event.data.record)
    .filter((record) => record.nodeId === at.nodeId && record.role === at.role);
}

/** Ordinal of a dispatch among those of its node and role, from 1: the same on every run that repeats the ledger's decisions. */
export async function ordinalOf(session: Session, at: AgentCoordinates): Promise<number> {
  const records = await dispatchesOf(session, at);
  return records.findIndex((record) => record.dispatchId === at.dispatchId) + 1;
}

/** How the node's dispatches ended, oldest first. */
export async function returnsOf(
  session: Session,
  nodeId: string,
): Promise<readonly LedgerEventOf<'returned'>['data'][]> {
  const events = await eventsOf(session, 'returned');
  return events.map((event) => event.data).filter((data) => data.nodeId === nodeId);
}

/** A dispatch as it was ordered, and the stage run that did it first: a later run that takes it over keeps its folder of artifacts. */
export async function orderOf(
  session: Session,
  dispatchId: string,
): Promise<{ readonly record: DispatchRecord; readonly run: number } | null> {
  const read = await session.ledger.read();
  for (const line of read.kind === 'read' ? read.lines : []) {
    const event = line.type === 'dispatched' ? eventOf(line) : null;
    if (event?.type === 'dispatched' && event.data.record.dispatchId === dispatchId)
      return { record: event.data.record, run: line.run };
  }
  return null;
}

async function eventsOf<T extends LedgerEvent['type']>(
  session: Session,
  type: T,
): Promise<readonly LedgerEventOf<T>[]> {
  const read = await session.ledger.read();
  if (read.kind === 'corrupt')
    throw new Error(`Cannot read the ledger: line ${String(read.fault.line)} ${read.fault.reason}`);
  const isOf = (event: LedgerEvent): event is LedgerEventOf<T> => event.type === type;
  return read.lines
    .filter((line) => line.type === type)
    .map(eventOf)
    .filter(isOf);
}
