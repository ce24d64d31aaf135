/** Who this process is, and whether another one still lives; a pid alone may be used again (design part 4). */
import type { ProcessOwner } from '../../schemas/model-call.ts';
import { bootId, pidNamespace, startTimeOf } from '../system/processes.ts';

/** `unseen`: of another pid namespace of the same boot, so nobody here can tell. */
export type OwnerLife = 'alive' | 'dead' | 'unseen';

let current: Promise<ProcessOwner> | null = null;

/** This process. Read once. */
export function currentOwner(): Promise<ProcessOwner> {
  current ??= describeSelf();
  return current;
}

/** Whether the process of a `sent` row still runs. A zombie is dead. */
export async function ownerLife(owner: ProcessOwner): Promise<OwnerLife> {
  const self = await currentOwner();
  if (owner.bootId !== self.bootId) return 'dead';
  if (owner.namespace !== self.namespace) return 'unseen';
  return (await startTimeOf(owner.pid)) === owner.startTime ? 'alive' : 'dead';
}

/** Whether a `sent` row is of this process. */
export async function isSelf(owner: ProcessOwner): Promise<boolean> {
  const self = await currentOwner();
  return (
    owner.pid === self.pid &&
    owner.startTime === self.startTime &&
    owner.bootId === self.bootId &&
    owner.namespace === self.namespace
  );
}

async function describeSelf(): Promise<ProcessOwner> {
  const startTime = await startTimeOf(process.pid);
  if (startTime === null) throw new Error('Cannot describe this process: its start time is not readable');
  return { bootId: await bootId(), namespace: pidNamespace(), pid: process.pid, startTime };
}
