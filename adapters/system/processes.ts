/**
 * What the system tells of processes. A pid alone may be used again: pid, start time, boot and pid namespace together
 * name one process for ever. Who that process is to whom, the callers decide.
 */
import { readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { execa } from 'execa';

/** When a living process began, in the system's own words; null when it is gone or a zombie. */
export async function startTimeOf(pid: number): Promise<string | null> {
  return process.platform === 'linux' ? procStartTime(pid) : psStartTime(pid);
}

/** The same at once, from /proc alone: null also where there is no /proc. */
export function procStartTime(pid: number): string | null {
  const stat = readOrNull(() => readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  if (stat === null) return null;
  // The command's name may hold spaces and brackets: the fields begin after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isGone = fields[0] === 'Z' || fields[0] === 'X';
  return isGone ? null : (fields[19] ?? null);
}

/** Another value after each start of the machine. */
export async function bootId(): Promise<string> {
  const known = procBootId();
  if (known !== null) return known;
  const { stdout } = await execa('sysctl', ['-n', 'kern.boottime']);
  return stdout.trim();
}

/** The same at once, from /proc alone: null where there is none. */
export function procBootId(): string | null {
  return readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

/** Name of the namespace that this process counts pids in (a container has its own); null where there is no /proc. */
export function pidNamespace(): string | null {
  return readOrNull(() => readlinkSync('/proc/self/ns/pid'));
}

export interface ListedProcess {
  readonly pid: number;
  /** Program and arguments. Where there is no /proc they are split at spaces, also those within. */
  readonly args: readonly string[];
}

/** Processes of this user. */
export async function listOwnProcesses(): Promise<readonly ListedProcess[]> {
  if (process.platform !== 'linux') return psProcesses();
  const pids = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
  return pids.flatMap((name) => {
    const text = readOrNull(() =>
      statSync(`/proc/${name}`).uid === process.getuid?.()
        ? readFileSync(`/proc/${name}/cmdline`, 'utf8')
        : '',
    );
    return text === null || text === '' ? [] : [{ pid: Number(name), args: text.split('\0') }];
  });
}

async function psProcesses(): Promise<readonly ListedProcess[]> {
  const { stdout } = await execa('ps', ['-xww', '-o', 'pid=,args='], { reject: false });
  return stdout.split('\n').flatMap((line) => {
    const [pid = '', ...args] = line.trim().split(' ');
    return pid === '' ? [] : [{ pid: Number(pid), args }];
  });
}

async function psStartTime(pid: number): Promise<string | null> {
  const { stdout, exitCode } = await execa('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    reject: false,
  });
  const line = stdout.trim();
  if (exitCode !== 0 || line === '' || line.startsWith('Z')) return null;
  return line.replace(/^\S+\s+/, '');
}

function readOrNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
