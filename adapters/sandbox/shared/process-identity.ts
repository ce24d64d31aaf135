/** Who owns a room: boot id, pid and start time of a process, so that a reused pid is somebody else (gate.md part 9). */
import { readFileSync, readlinkSync } from 'node:fs';

/** Identity of a living process as one string; null if there is none with this pid. */
export function processIdentity(pid: number): string | null {
  const startTicks = readStartTicks(pid);
  return startTicks === null ? null : `${bootId()}:${pid}:${startTicks}:${pidNamespace()}`;
}

/** Identity of this process. Without /proc (macOS) the start time comes from the process itself. */
export function ownIdentity(): string {
  return processIdentity(process.pid) ?? `-:${process.pid}:${Math.round(performance.timeOrigin)}`;
}

/** True if the process of that identity still runs. An identity that cannot be judged here counts as alive. */
export function isAlive(identity: string): boolean {
  const [boot = '', pidText = '', , namespace = ''] = identity.split(':');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return true;
  if (boot === '-') return answersSignals(pid);
  if (boot === bootId() && namespace !== pidNamespace()) return true;
  return processIdentity(pid) === identity;
}

/** True if the identity was made since this machine started. */
export function isOfThisBoot(identity: string): boolean {
  return identity.split(':')[0] === bootId();
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Field 22 of /proc/<pid>/stat, counted behind the name, which may contain anything. A zombie is dead. */
function readStartTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/** Number of the namespace that pids are counted in: a worker in a container has its own. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '-';
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '-';
  }
}
