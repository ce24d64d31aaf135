/** Who this process is, and whether another one still lives; a pid alone may be used again (design part 4). */
import { readFile, readlink } from 'node:fs/promises';
import { execa } from 'execa';
import type { ProcessOwner } from '../../schemas/model-call.ts';

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
  return { bootId: await readBootId(), namespace: await readNamespace(), pid: process.pid, startTime };
}

async function readBootId(): Promise<string> {
  if (process.platform === 'linux') return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const { stdout } = await execa('sysctl', ['-n', 'kern.boottime']);
  return stdout.trim();
}

async function readNamespace(): Promise<string | null> {
  return process.platform === 'linux' ? readlink('/proc/self/ns/pid').catch(() => null) : null;
}

/** Start time as the system tells it; null when the process is gone or a zombie. */
async function startTimeOf(pid: number): Promise<string | null> {
  return process.platform === 'linux' ? linuxStartTime(pid) : psStartTime(pid);
}

async function linuxStartTime(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // The command name may hold spaces and brackets: the fields begin after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isGone = fields[0] === 'Z' || fields[0] === 'X';
  return isGone ? null : (fields[19] ?? null);
}

async function psStartTime(pid: number): Promise<string | null> {
  const { stdout, exitCode } = await execa('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    reject: false,
  });
  const line = stdout.trim();
  if (exitCode !== 0 || line === '' || line.startsWith('Z')) return null;
  return line.replace(/^\S+\s+/, '');
}
