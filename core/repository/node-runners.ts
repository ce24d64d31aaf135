/** Test runners of Node that are packages of the plan: how each is started so that what it prints can be counted. */
import { RUNNER_MOUNT } from '../stubs/runner-command.ts';
import type { TestCount } from '../../schemas/repository-steps.ts';
import type { TestRunner } from '../../schemas/verify-profile.ts';

type PackageRunner = Exclude<TestRunner, 'pytest' | 'node_test'>;
type Format = Extract<TestCount, { by: 'format' }>['format'];

interface Start {
  readonly words: readonly string[];
  readonly format: Format;
}

const STARTS: Readonly<Record<PackageRunner, Start>> = {
  mocha: { words: ['--reporter', 'tap'], format: 'tap' },
  jest: {
    words: ['--json', '--runInBand', '--ci', '--coverage=false', '--cacheDirectory=/tmp/jest'],
    format: 'jest_json',
  },
  vitest: { words: ['run', '--reporter=tap-flat', '--coverage.enabled=false', '--no-cache'], format: 'tap' },
  tape: { words: [], format: 'tap' },
  ava: { words: ['--tap'], format: 'tap' },
  tap: { words: [], format: 'tap' },
};

export function isPackageRunner(runner: TestRunner): runner is PackageRunner {
  return runner in STARTS;
}

/** Command and way of counting. `tap` starts scripts that print TAP by themselves, without any package. */
export function packageRunner(
  runner: PackageRunner,
  paths: readonly string[],
  args: readonly string[],
): { readonly argv: string[]; readonly count: TestCount } {
  const { words, format } = STARTS[runner];
  const program = `${RUNNER_MOUNT}/javascript/repository/tool.mjs`;
  return { argv: ['node', program, runner, ...words, ...args, ...paths], count: { by: 'format', format } };
}

/** What a person reads for such a command: the runner and its words. */
export function shownCommand(argv: readonly string[]): readonly string[] {
  return argv[1]?.startsWith(`${RUNNER_MOUNT}/`) === true ? argv.slice(2) : argv;
}
