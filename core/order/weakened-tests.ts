/**
 * Tests that a change altered until they look at nothing. One that was red with the change, as it was, and is now green, was brought to
 * expect something else: then it is red on the base, which gives what it expected before. Where it is green there, too, it expects nothing.
 */
import { matchesAnyGlob } from '../globs.ts';
import type { RanTests } from '../ports/repository-gate.ts';
import { withoutParameters } from '../repository/lost-tests.ts';
import { repositoryFinding } from '../repository/finding.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';

export interface TestsOf {
  readonly ran: readonly RanTests[];
  /** Steps without a finding. */
  readonly green: ReadonlySet<string>;
}

const NAMED_MAX = 5;

/**
 * One finding a command. @param base as it was; @param old the change with the tests of the base; @param fresh the base with the tests of
 * the change; @param allowed files of which tests may expect less
 */
export function weakenedTests(
  base: readonly RanTests[],
  old: TestsOf,
  fresh: TestsOf,
  allowed: readonly string[],
): readonly RepositoryFinding[] {
  return base.flatMap(({ step, names }) => {
    const of = ({ ran }: TestsOf): RanTests | undefined => ran.find((each) => each.step === step);
    if (names === null) {
      const isWeak = allowed.length === 0 && !old.green.has(step) && fresh.green.has(step);
      return isWeak ? [finding(step, null, 'The tests of this command were')] : [];
    }
    const green = { old: greenOf(of(old)), fresh: greenOf(of(fresh)) };
    const weak = [...new Set(names.map(withoutParameters))].filter(
      (name) => !green.old.has(name) && green.fresh.has(name) && !matchesAnyGlob(allowed, fileOf(name)),
    );
    if (weak.length === 0) return [];
    const named = weak.slice(0, NAMED_MAX).map((name) => `"${name.slice(0, 200)}"`);
    const more = weak.length > NAMED_MAX ? ` and ${String(weak.length - NAMED_MAX)} more` : '';
    return [
      finding(
        step,
        fileOf(weak[0] ?? ''),
        `${named.join(', ')}${more} ${weak.length === 1 ? 'was' : 'were'}`,
      ),
    ];
  });
}

/** Tests of which every row passed. */
function greenOf(ran: RanTests | undefined): ReadonlySet<string> {
  const red = new Set((ran?.red ?? []).map(withoutParameters));
  return new Set((ran?.names ?? []).map(withoutParameters).filter((name) => !red.has(name)));
}

function fileOf(name: string): string {
  return name.split('::')[0] ?? name;
}

function finding(step: string, file: string | null, who: string): RepositoryFinding {
  const text = `${who} red with this change until altered, and as altered not red on the base either: what was wrong is not looked at any more`;
  return repositoryFinding('tests_weakened', 'L1', text.slice(0, 2000), {
    step,
    ...(file === null ? {} : { place: { file: file.slice(0, 500), line: 0 } }),
    nextStep:
      'Mend the code, or have the tests expect what it gives now; an order whose tests shall expect less says so: --allow-gate-edit with their file',
  });
}
