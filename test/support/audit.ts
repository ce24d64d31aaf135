/** Runs `scripts/audit-session` on a session folder, with the python of set-up's root file system where this host has no pytest. */
import { resolve } from 'node:path';
import { execa } from 'execa';
import { readToolchain } from '../../adapters/toolchain/index.ts';

export interface AuditFinding {
  readonly check: string;
  readonly subject: string;
  readonly message: string;
}

export interface AuditCommit {
  readonly commit: string;
  readonly node: string;
  readonly tests: number;
  readonly green: boolean;
  readonly red: { readonly empty?: number; readonly hollow?: number };
}

export interface AuditResult {
  readonly exitCode: number;
  readonly ok: boolean;
  readonly findings: readonly AuditFinding[];
  readonly notes: readonly AuditFinding[];
  readonly commits: readonly AuditCommit[];
  /** Node statuses by the audit's own fold. */
  readonly facts: {
    readonly lines: number;
    readonly head: string | null;
    readonly nodes: Readonly<Record<string, string>>;
    readonly sealed: readonly string[];
    readonly dispatches: number;
  };
}

/** The program, as a path that does not depend on PATH. */
export const AUDIT_PROGRAM = resolve('scripts', 'audit-session');

const TIMEOUT_MS = 300_000;

/** Audits the session in `dir`. @throws when the script could not audit at all (exit codes 2 and 4). */
export async function auditSession(dir: string, flags: readonly string[] = []): Promise<AuditResult> {
  const argv = [dir, '--json', ...flags, ...(await pythonFlags())];
  const { exitCode, stdout, stderr } = await execa(AUDIT_PROGRAM, argv, {
    reject: false,
    timeout: TIMEOUT_MS,
  });
  if (exitCode !== 0 && exitCode !== 1) throw new Error(`The audit could not be done: ${stderr}`);
  return { exitCode, ...(JSON.parse(stdout) as Omit<AuditResult, 'exitCode'>) };
}

let known: Promise<readonly string[]> | null = null;

/** Looked for once a process. */
function pythonFlags(): Promise<readonly string[]> {
  known ??= findPythonFlags();
  return known;
}

async function findPythonFlags(): Promise<readonly string[]> {
  const { exitCode } = await execa('python3', ['-c', 'import pytest'], { reject: false });
  if (exitCode === 0) return [];
  const { rootfs } = (await readToolchain()).image;
  if (rootfs === null)
    throw new Error('Cannot audit: neither this host nor set-up has pytest; run "npm run setup"');
  return ['--rootfs', rootfs];
}
