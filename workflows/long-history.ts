/** When a workflow continues as new: its history is replayed whole by whoever takes it up. */
import { workflowInfo } from '@temporalio/workflow';

const HISTORY_BYTES_MAX = 1_500_000;

/** @param eventsMax bound of this workflow */
export function historyIsLong(eventsMax: number): boolean {
  const info = workflowInfo();
  return (
    info.continueAsNewSuggested || info.historyLength >= eventsMax || info.historySize >= HISTORY_BYTES_MAX
  );
}
