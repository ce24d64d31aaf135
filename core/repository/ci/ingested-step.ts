/** What becomes of a command of a CI script, as a step of the plan and a row of the account. */
import type { RepositoryStep } from '../../../schemas/repository-steps.ts';
import type { KnownTest } from '../known-tests.ts';
import { limitsOf } from '../resolve-commands.ts';
import type { IngestedStep } from './actions.ts';
import type { Surroundings } from './room-shell.ts';

/** A command of the plan. */
export function testStep(
  name: string,
  { argv, count }: KnownTest,
  { source, variables }: Pick<Surroundings, 'source' | 'variables'>,
): RepositoryStep {
  return {
    kind: 'test_command',
    level: 'L1',
    source,
    name: name.slice(0, 60),
    argv: [...argv],
    count,
    // A command of words has them before it; our own runners are started by us.
    ...(argv.length > 0 || Object.keys(variables).length === 0 ? {} : { variables: { ...variables } }),
    minTests: 1,
    maxSkipped: 0,
    exitCode: 0,
    limits: limitsOf(null)(undefined),
  };
}

/** A check by its exit code. */
export function kept(what: string, why: string, argv: readonly string[], around: Surroundings): IngestedStep {
  return {
    outcome: 'KEPT',
    what,
    why,
    steps: [testStep(what, { argv, count: { by: 'none' } }, around)],
  };
}

/** What it fetches must be pinned: the plan says that once, as a part that refuses it until it is. */
export function replaced(what: string): IngestedStep {
  return { outcome: 'REPLACED', what, why: UNPINNED, steps: [] };
}

/** The reason of every step that fetches packages; the plan is refused for it. */
export const UNPINNED = 'by packages of the plan: they must be pinned (a7-rt gate init)';

/** @param held the commands that go with it: each is named */
export function refused(what: string, why: string, held: readonly string[]): IngestedStep {
  const named =
    held.length === 0 ? '' : `; it holds ${held.map((command) => `"${shortened(command)}"`).join(', ')}`;
  return { outcome: 'REFUSED', what, why: `${why}${named}`, steps: [] };
}

export function shortened(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
