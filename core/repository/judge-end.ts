/** How a command of the plan ended: limits and lost rooms first, by the rules that hold for nodes (gate.md part 5). */
import { readExecution } from '../gate/execution.ts';
import type { SandboxResult } from '../ports/sandbox.ts';
import type { GateLevel, GateLimits } from '../../schemas/gate-limits.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import { fromFinding, repositoryFinding } from './finding.ts';

/** Where the room's script notes that the steps before the command were done. */
export const SETUP_DONE = 'setup-done';

const LINES_SHOWN = 20;
const CHARS_SHOWN = 3000;

/** Findings after which exit code and output mean nothing; empty for a command that ended by itself. */
export function endFindings(
  result: SandboxResult,
  limits: GateLimits,
  level: GateLevel,
  step: string,
): RepositoryFinding[] {
  const { kind } = result.outcome;
  const isEnd = kind === 'exited' || kind === 'signaled';
  // The reading is not looked at before the outcome and the limits: an empty run stands in for it.
  const run = { collected: [], collectErrors: [], tests: [], lateErrors: [] };
  const execution = readExecution(result, { kind: 'complete', run }, limits, null);
  if (execution.kind === 'unusable' && (!isEnd || execution.finding.limit !== null)) {
    const found = fromFinding(execution.finding, level, step);
    return [{ ...found, excerpt: lastLines(result) }];
  }
  return [];
}

/** What compilers and their kin say of a file that does not fit. */
const NO_SPACE = /no space left on device|\bENOSPC\b/iu;

/**
 * A red command, or tests of it (`said`), that tell that nothing more could be written. Its disk need not be full when somebody looks: a linker takes away
 * what it could not finish, and a test its file. Words decide here only which of two kinds of FAIL it is.
 */
export function diskFinding(
  result: SandboxResult,
  limits: GateLimits,
  level: GateLevel,
  step: string,
  said: readonly string[] = [result.stdout.text, result.stderr.text],
): RepositoryFinding | null {
  if (!said.some((text) => NO_SPACE.test(text))) return null;
  const text = `Command "${step}" ${exitText(result)} for want of space: all that it may write in holds ${String(limits.diskBytes)} bytes together`;
  const limit = { name: 'disk', value: limits.diskBytes, unit: 'bytes', used: null } as const;
  return repositoryFinding('disk_limit', level, text, { step, limit, excerpt: lastLines(result) });
}

/** A step of set-up that failed; null where all were done. @param outFiles names of the files left in the out folder. */
export function setupFinding(
  result: SandboxResult,
  outFiles: readonly string[],
  hasSetup: boolean,
  level: GateLevel,
  step: string,
): RepositoryFinding | null {
  if (!hasSetup || outFiles.includes(SETUP_DONE)) return null;
  const text = `The set-up before "${step}" ${exitText(result)}`;
  return repositoryFinding('setup_failed', level, text, { step, excerpt: lastLines(result) });
}

/** `ended with exit code 1`. */
export function exitText({ outcome }: SandboxResult): string {
  if (outcome.kind === 'exited') {
    return outcome.exitCode === 127
      ? 'could not be started (exit code 127)'
      : `ended with exit code ${String(outcome.exitCode)}`;
  }
  return outcome.kind === 'signaled' ? `was ended by ${outcome.signal}` : outcome.kind.replaceAll('_', ' ');
}

/** The end of what a command printed: errors first, since that is where they are. */
export function lastLines({ stdout, stderr }: SandboxResult): string | null {
  const own = stderr.text.trim() === '' ? stdout.text : stderr.text;
  const lines = own.trimEnd().split('\n').slice(-LINES_SHOWN).join('\n').slice(-CHARS_SHOWN);
  return lines.trim() === '' ? null : lines;
}
