/** What to do about a finding that has no advice of its own: no refusal ends without a next step. */
import type { RepositoryFinding, RepositoryFindingCode } from '../../schemas/repository-report.ts';

const MEND =
  'Mend the code, or the test where the test is wrong; "log" of the command in the run folder is whole';
const PLAN = 'Correct verify.yaml, then a7-rt gate check; without one, a7-rt gate init writes it';
const FILES = 'Mend the file, or change the rule under contract of verify.yaml';
const ORDER = 'Have the order allow it by name, or take the change back';
const RAISE = 'Make the command need less, or raise it';
const RUNNER =
  'Look for what ends the process or its output early (os._exit, process.exit, a plugin, a signal); the log of the command has its last lines';

/** For every code there is. */
const STEPS: Readonly<Record<RepositoryFindingCode, string>> = {
  snapshot_refused: 'Mend it, or list it under policy.leave_out of verify.yaml',
  plan_empty: 'a7-rt gate init writes a plan to start from',
  plan_refused: PLAN,
  isolation_refused:
    'a7-rt doctor says what this machine lacks; policy.isolation of verify.yaml says what is asked for',
  schema_unusable: PLAN,
  proof_missing: 'Say "runner" or "proof" for it, or "kind: check" if it is no test',
  dependencies_unresolved:
    'Correct environment.dependencies of verify.yaml (exact versions that the registry has, for Linux), then a7-rt gate check',
  package_over_tree:
    "Take the package out of environment.dependencies: the tests are to load this repository's own",
  foreign_module: 'Take that package out of environment.dependencies',
  tree_not_judged: 'Have the tests load the code of this tree (environment.python_path says from where)',
  runtime_missing: 'Name its Debian package under environment.dependencies.debian',
  platform_lost: 'Run it again; a7-rt doctor looks at the sandbox if it comes back',
  platform_wall:
    'Run it again when the machine has less to do, or raise timeout_s of the command in verify.yaml',
  required_missing: FILES,
  forbidden_file: FILES,
  naming: FILES,
  file_too_large: FILES,
  binary_too_large: FILES,
  schema_violated: FILES,
  command_disallowed: 'Take the word out, or change policy.disallowed_commands of verify.yaml',
  gate_file_changed: ORDER,
  path_not_allowed: ORDER,
  entry_refused: ORDER,
  tests_removed: ORDER,
  follows_suite: ORDER,
  answered_beside: ORDER,
  tests_weakened: ORDER,
  too_much_changed: ORDER,
  no_change: 'Change what the task asks for',
  wall_limit: `${RAISE}: timeout_s of the command, or of policy, in verify.yaml`,
  memory_limit: `${RAISE}: policy.memory_mb of verify.yaml`,
  output_limit: 'Have the command print less',
  process_limit: `${RAISE}: policy.max_processes of verify.yaml`,
  disk_limit: `${RAISE}: policy.disk_mb of verify.yaml`,
  report_missing: RUNNER,
  report_second: RUNNER,
  report_broken: RUNNER,
  early_exit: RUNNER,
  id_vanished: RUNNER,
  setup_failed: 'Correct environment.setup of verify.yaml, or what it builds; it has no network',
  command_failed:
    'Run the same command in a checkout of your own: where that is green, the plan lacks something (packages, programs, variables)',
  test_failed: MEND,
  collection_error:
    'Mend what the message names; a package or a folder that is missing is named in verify.yaml under environment',
  late_error: 'Mend what raises outside of a test, most often a thread or a promise that nobody waits for',
  xpassed: 'Take the mark of the expected failure away, since the test passes',
  fixture_failed: 'Mend the code: expected and actual say what the input came to',
  execution_failed: 'Mend the code: expected and actual say what the command came to',
  nothing_ran: 'Name the tests under tests of verify.yaml: "paths", or "proof" for what their output shows',
  too_few_tests: 'Write tests, or correct min_tests of verify.yaml',
  skipped: 'Let them run, or raise max_skipped of verify.yaml',
  file_without_tests: 'Write a test into the file, or name other "paths" in verify.yaml',
};

/** The findings, each with a next step. */
export function withNextSteps(findings: readonly RepositoryFinding[]): RepositoryFinding[] {
  return findings.map((found) => ({ ...found, nextStep: found.nextStep ?? STEPS[found.code] }));
}
