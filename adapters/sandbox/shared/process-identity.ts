/** Who owns a room: boot id, pid and start time of a process, so that a reused pid is somebody else (gate.md part 9). */
import { errorCode } from '../../../core/text/error-text.ts';
import { pidNamespace, procBootId, procStartTime } from '../../system/processes.ts';

/** Identity of a living process as one string; null if there is none with this pid. */
export function processIdentity(pid: number): string | null {
  const startTicks = procStartTime(pid);
  return startTicks === null ? null : `${boot()}:${pid}:${startTicks}:${namespaceNumber()}`;
}

/** Identity of this process. Without /proc (macOS) the start time comes from the process itself. */
export function ownIdentity(): string {
  return processIdentity(process.pid) ?? `-:${process.pid}:${Math.round(performance.timeOrigin)}`;
}

/** True if the process of that identity still runs. An identity that cannot be judged here counts as alive. */
export function isAlive(identity: string): boolean {
  const [bootOfIt = '', pidText = '', , namespace = ''] = identity.split(':');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return true;
  if (bootOfIt === '-') return answersSignals(pid);
  if (bootOfIt === boot() && namespace !== namespaceNumber()) return true;
  return processIdentity(pid) === identity;
}

/** True if the identity was made since this machine started. */
export function isOfThisBoot(identity: string): boolean {
  return identity.split(':')[0] === boot();
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** A worker in a container counts pids in a namespace of its own. Digits only, as colons part an identity. */
function namespaceNumber(): string {
  return pidNamespace()?.replace(/\D/g, '') ?? '-';
}

function boot(): string {
  return procBootId() ?? '-';
}
