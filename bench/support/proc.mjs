// What /proc and the home tell of processes. Linux only, as the memory figure is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Resident memory in MB; 0 when the process is gone. */
export function residentMb(pid) {
  try {
    const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kb ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** The embedded server of a home. */
export function serverPid(home) {
  return JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')).pid;
}
