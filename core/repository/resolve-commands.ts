/** Commands of a profile as steps of the plan: test commands, fixtures, execution checks, and their limits. */
import type { GateLimits, PlanSource } from '../../schemas/gate-limits.ts';
import type { RepositoryStepOf } from '../../schemas/repository-steps.ts';
import type { BlackBoxCheck, CommandLine } from '../../schemas/black-box.ts';
import type { TestCommand, VerifyProfile } from '../../schemas/verify-profile.ts';
import { canonicalJson } from '../text/canonical.ts';
import { type KnownTest, knownTest } from './known-tests.ts';
import { isPackageRunner, packageRunner, shownCommand } from './node-runners.ts';

const MIB = 1024 * 1024;

/** Limits of a command, with its own wall time in seconds, the policy's, or the last resort (120). */
export type Limits = (timeoutSeconds: number | undefined, otherwiseSeconds?: number) => GateLimits;

/** A policy's limits; null: those of the schema's defaults. */
export function limitsOf(policy: VerifyProfile['policy'] | null): Limits {
  return (timeoutSeconds, otherwiseSeconds = 120) => {
    const wallMs = Math.ceil((timeoutSeconds ?? policy?.timeout_s ?? otherwiseSeconds) * 1000);
    return {
      wallMs,
      testTimeoutMs: wallMs,
      memoryBytes: (policy?.memory_mb ?? 1024) * MIB,
      diskBytes: (policy?.disk_mb ?? 256) * MIB,
      filesMax: 120_000,
      processesMax: policy?.max_processes ?? 128,
      outputBytes: 8 * MIB,
      reportBytes: 16 * MIB,
      cpus: 1,
    };
  };
}

/** One test command; what says nothing about tests is kept, and refused when it is judged. */
export function testStep(
  test: TestCommand,
  source: PlanSource,
  limits: Limits,
): RepositoryStepOf<'test_command'> {
  return {
    kind: 'test_command',
    level: 'L1',
    source,
    name: test.name,
    ...commandOf(test),
    ...(test.before.length === 0 ? {} : { before: test.before.map(argvOf) }),
    minTests: test.min_tests,
    maxSkipped: test.max_skipped,
    exitCode: test.exit_code,
    limits: limits(test.timeout_s),
  };
}

/** A command that says nothing of its tests is taken for what it is where we know it. */
function commandOf({ kind, runner, paths, args, proof, run }: TestCommand): KnownTest & { argv: string[] } {
  if (runner !== undefined && isPackageRunner(runner)) return packageRunner(runner, paths, args);
  if (runner !== undefined || run === undefined)
    return {
      argv: [],
      count: { by: 'reporter', runner: runner ?? 'pytest', paths, ...(args.length === 0 ? {} : { args }) },
    };
  const argv = argvOf(run);
  if (kind === 'check') return { argv, count: { by: 'none' } };
  if (proof === undefined) {
    const known = knownTest(commandText(argv));
    return known === null
      ? { argv, count: { by: 'nothing_said' } }
      : { argv: [...known.argv], count: known.count };
  }
  const isFormat = proof === 'go_json' || proof === 'libtest' || proof === 'tap';
  return { argv, count: isFormat ? { by: 'format', format: proof } : { by: 'line', line: proof } };
}

/** Fixtures (L2) or execution checks (L3). */
export function blackBoxSteps<K extends 'fixture' | 'execution'>(
  kind: K,
  checks: readonly BlackBoxCheck[],
  limits: Limits,
  source: (index: number) => PlanSource,
): RepositoryStepOf<K>[] {
  return checks.map((check, index) => {
    const step = {
      kind,
      level: kind === 'fixture' ? 'L2' : 'L3',
      source: source(index),
      name: check.name,
      argv: argvOf(check.command),
      stdin: check.stdin ?? '',
      files: check.files,
      expect: expectationOf(check),
      limits: limits(check.timeout_s),
    };
    return step as RepositoryStepOf<K>;
  });
}

function expectationOf({ expect }: BlackBoxCheck): RepositoryStepOf<'fixture'>['expect'] {
  return {
    exitCode: expect.exit_code,
    stdout: expect.stdout ?? null,
    stdoutContains: expect.stdout_contains,
    stderrContains: expect.stderr_contains,
    json: expect.json === undefined ? null : canonicalJson(expect.json),
    files: expect.files,
    filesAbsent: expect.files_absent,
  };
}

/** A text runs in a shell of the room. */
export function argvOf(command: CommandLine): string[] {
  return typeof command === 'string' ? ['sh', '-c', command] : command;
}

/** How a person would have written it. */
export function commandText(started: readonly string[]): string {
  const argv = shownCommand(started);
  const [program = ''] = argv;
  // Options and their values lie between a shell and its script.
  const isShell = /^(?:ba)?sh$/u.test(program) && /^-[a-z]*c$/u.test(argv.at(-2) ?? '');
  if (isShell && argv.slice(1, -2).every((word) => /^(?:-[\w-]+|pipefail)$/u.test(word)))
    return argv.at(-1) ?? '';
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}
