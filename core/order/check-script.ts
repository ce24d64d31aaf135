/** The plan's commands as a program of the agent's room: what each gave, as often as it is asked. Advisory: only the clean room judges. */
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { RepositoryStepOf } from '../../schemas/repository-steps.ts';
import { quoted } from '../text/typed.ts';

export const CHECK_NAME = 'a7-check';

/** Lines of a failed command that are shown. */
const SHOWN_LINES = 80;
const RUNNERS = {
  pytest: ['python3', '-m', 'pytest', '-q'],
  node_test: ['node', '--test'],
} as const;

/** A shell script; exit code 0 when every command gave what the plan wants. Fixtures are not in it: nobody is shown those. */
export function checkScript(plan: GatePlan): string {
  const setup = plan.steps.flatMap((step) =>
    step.kind === 'setup' ? [lineOf(`set-up ${step.name}`, step.argv, { exitCode: 0, seconds: 600 })] : [],
  );
  const tests = plan.steps.flatMap((step) => (step.kind === 'test_command' ? testLines(step) : []));
  const runs = plan.steps.flatMap((step) =>
    step.kind === 'execution'
      ? [lineOf(step.name, step.argv, { exitCode: null, seconds: secondsOf(step.limits.wallMs) })]
      : [],
  );
  return [PRELUDE, ...setup, ...tests, ...runs, 'exit $failed', ''].join('\n');
}

function testLines(step: RepositoryStepOf<'test_command'>): string[] {
  const { name, count, variables = {}, before = [], exitCode } = step;
  const seconds = secondsOf(step.limits.wallMs);
  const argv =
    count.by === 'reporter' ? [...RUNNERS[count.runner], ...(count.args ?? []), ...count.paths] : step.argv;
  return [
    ...before.map((each) => lineOf(`before ${name}`, each, { exitCode: 0, seconds })),
    lineOf(name, ['env', ...Object.entries(variables).map(([key, value]) => `${key}=${value}`), ...argv], {
      exitCode,
      seconds,
    }),
  ];
}

/** @param wanted exit code; null: any, and the clean room looks at more than that. */
function lineOf(
  name: string,
  argv: readonly string[],
  wanted: { readonly exitCode: number | null; readonly seconds: number },
): string {
  const code = wanted.exitCode === null ? 'any' : String(wanted.exitCode);
  return ['run', quoted(name), code, String(wanted.seconds), ...argv.map(quoted)].join(' ');
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

const PRELUDE = `#!/bin/sh
# The commands of the gate plan, in this folder. Advisory: the clean room begins with a fresh checkout.
failed=0
run() {
  name=$1; wanted=$2; seconds=$3; shift 3
  log=$(mktemp)
  timeout -k 5 "$seconds" "$@" >"$log" 2>&1 </dev/null
  code=$?
  if [ "$code" = 124 ] || { [ "$wanted" != any ] && [ "$code" != "$wanted" ]; }; then
    failed=1
    echo "FAIL $name: exit code $code, wanted $wanted: $*"
    tail -n ${String(SHOWN_LINES)} "$log"
  elif [ "$wanted" = any ]; then
    echo "RAN  $name: exit code $code: $*"
    tail -n ${String(SHOWN_LINES)} "$log"
  else
    echo "PASS $name: $*"
  fi
  rm -f "$log"
}`;
