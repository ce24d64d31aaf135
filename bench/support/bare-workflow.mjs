// The baseline of turns: a workflow that does nothing but run activities that do nothing.
import { proxyActivities } from '@temporalio/workflow';

const { noop } = proxyActivities({ startToCloseTimeout: '60s' });

/** Runs `count` activities, one after the other. */
export async function bareActivities(count) {
  for (let index = 0; index < count; index += 1) await noop(index);
}
