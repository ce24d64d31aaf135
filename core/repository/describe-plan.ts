/** A plan in words: each part, and where it came from. */
import type { GateLevel } from '../../schemas/gate-limits.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { RepositoryStepOf, TestCount } from '../../schemas/repository-steps.ts';
import { commandText } from './resolve-commands.ts';

export interface PlanPart {
  readonly level: GateLevel;
  readonly what: string;
  readonly detail: string;
  readonly from: string;
}

/** Names of a list that are shown to people. */
const SHOWN_MAX = 4;

/** Where a plan comes from that no file says. */
export function defaultText({
  profile,
  account,
}: {
  readonly profile: string | null;
  readonly account: readonly unknown[];
}): string {
  if (account.length > 0) return 'its CI workflows';
  return profile === null
    ? 'no source: no CI workflow, and no language shows'
    : 'the default of its language';
}

/** Every part of a repository's plan, in the order in which it judges. @param shownMax names of a list that are shown */
export function describePlan(plan: Pick<GatePlan, 'steps'>, shownMax = SHOWN_MAX): PlanPart[] {
  const parts = plan.steps.flatMap((step) => {
    if (!('source' in step)) return [];
    const [what, detail] = textOf(step, (names) => listed(names, shownMax));
    return [{ level: step.level, what, detail, from: step.source.detail }];
  });
  return parts.toSorted((a, b) => (a.level === b.level ? 0 : a.level < b.level ? -1 : 1));
}

type Step = Extract<GatePlan['steps'][number], { source: unknown }>;

function textOf(
  step: Step,
  list: (names: readonly string[]) => string,
): readonly [what: string, detail: string] {
  switch (step.kind) {
    case 'required_files':
      return ['required files', list(step.globs)];
    case 'forbidden_globs':
      return ['forbidden files', list(step.globs)];
    case 'naming':
      return ['naming', `${list(step.globs)}: ${step.style ?? list(step.names)}`];
    case 'file_sizes':
      return ['sizes', `files ${bytes(step.fileBytesMax)}, binaries ${bytes(step.binaryBytesMax)} at most`];
    case 'schema_files':
      return ['schema', `${list(step.globs)} by ${step.schemaPath ?? 'the schema written there'}`];
    case 'disallowed_commands':
      return ['disallowed commands', list(step.commands)];
    case 'runtime':
      return ['runtime', `${step.tool} ${step.version ?? '(any version)'}`];
    case 'dependencies':
      return [
        'dependencies',
        list([...step.python, ...step.node, ...step.debian, ...(step.go ?? []), ...(step.rust ?? [])]),
      ];
    case 'setup':
      return ['set-up', `${step.name}: ${commandText(step.argv)}`];
    case 'test_command':
      return [step.count.by === 'none' ? 'check' : 'tests', testText(step)];
    case 'fixture':
      return ['fixture', `${step.name}: ${commandText(step.argv)}`];
    case 'execution':
      return ['execution', `${step.name}: ${commandText(step.argv)}`];
    case 'refused':
      return ['refused', step.reason];
  }
}

function testText(step: RepositoryStepOf<'test_command'>): string {
  const shown = commandText(step.argv);
  // Steps of a CI workflow are named by their own line.
  const command = step.argv.length === 0 || shown.startsWith(step.name) ? '' : `: ${shown}`;
  const before = step.before ?? [];
  const after = before.length === 0 ? '' : `, after ${before.map(commandText).join('; ')}`;
  return `${step.name}${command} (${countText(step.count, step.minTests)})${after}`;
}

function countText(count: TestCount, minTests: number): string {
  const least = `at least ${String(minTests)}`;
  switch (count.by) {
    case 'reporter': {
      const runner = count.runner === 'pytest' ? 'pytest' : 'node --test';
      return `${runner}${count.paths.length === 0 ? '' : ` ${count.paths.join(' ')}`}, ${least}`;
    }
    case 'format':
      return `counted from ${count.format}, ${least}`;
    case 'line':
      return `counted from "${count.line}", ${least}`;
    case 'none':
      return 'by its exit code';
    case 'nothing_said':
      return 'nothing shows that a test ran';
  }
}

function listed(names: readonly string[], shownMax: number): string {
  const rest = names.length - shownMax;
  const shown = names.slice(0, shownMax).join(', ');
  return rest > 0 ? `${shown} and ${String(rest)} more` : shown;
}

function bytes(count: number): string {
  const mib = count / (1024 * 1024);
  return Number.isInteger(mib) ? `${String(mib)} MiB` : `${String(count)} bytes`;
}
