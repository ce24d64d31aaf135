/**
 * The checks that CI runs beside the tests, for the plan that `gate init` writes. Example: `- run: ruff check .` becomes a
 * command of `kind: check`, with ruff among the packages; a job that needs a service is told with its next step.
 */
import type { RepositoryStepOf } from '../../../schemas/repository-steps.ts';
import type { IngestedPlan } from '../resolve-plan.ts';
import { withoutStarters } from '../ci/command-kind.ts';

export interface PlannedCheck {
  readonly name: string;
  readonly argv: readonly string[];
  readonly before: readonly (readonly string[])[];
  /** Where it stands in CI. */
  readonly from: string;
}

export interface CiChecks {
  readonly checks: readonly PlannedCheck[];
  /** Python packages whose programs the checks start. */
  readonly python: readonly string[];
  /** What of CI was not taken over, each with the reason. */
  readonly notes: readonly string[];
}

const CHECKS_MAX = 12;
const NOTES_MAX = 20;
const NAME_CHARS_MAX = 50;
/** Programs whose package has their name: a check that starts one needs no other. */
const PROGRAMS =
  /^(?:python3? -m )?(ruff|flake8|black|isort|mypy|pylint|bandit|codespell|yamllint|pydocstyle|vulture|doc8)(?=\s|$)/u;

/** Of what the workflows of a repository came to. */
export function ciChecks(plan: IngestedPlan | null): CiChecks {
  if (plan === null) return { checks: [], python: [], notes: [] };
  const names = new Map<string, number>();
  const seen = new Set<string>();
  const all = plan.steps.flatMap((step): PlannedCheck[] => {
    if (step.kind !== 'test_command' || step.count.by !== 'none') return [];
    const key = JSON.stringify([step.argv, step.before]);
    if (seen.has(key)) return [];
    seen.add(key);
    const { argv, before = [], source } = step;
    return [{ name: nameOf(step, names), argv, before, from: source.detail }];
  });
  const checks = all.slice(0, CHECKS_MAX);
  const refused = plan.account.filter(({ outcome }) => outcome === 'REFUSED');
  const more = refused.length - NOTES_MAX;
  return {
    checks,
    python: [...new Set(checks.flatMap(({ argv }) => packagesOf(argv.at(-1) ?? '')))].toSorted(),
    notes: [
      ...refused.slice(0, NOTES_MAX).map(({ what, why, from }) => `CI (${from}): ${shortened(what)}: ${why}`),
      ...(more > 0 ? [`CI: ${String(more)} more parts; without this file, a7-rt gate show names each`] : []),
      ...all
        .slice(CHECKS_MAX)
        .map(
          ({ name, from }) =>
            `CI (${from}): check "${name}": more than ${String(CHECKS_MAX)}; add it under tests if it shall judge`,
        ),
    ],
  };
}

/** What the plan may call it: letters, digits and a few signs, each name once. */
function nameOf({ name }: RepositoryStepOf<'test_command'>, names: Map<string, number>): string {
  const plain = name
    .replaceAll(/[^A-Za-z0-9_.-]+/gu, ' ')
    .replace(/^[^A-Za-z0-9]+/u, '')
    .trim()
    .slice(0, NAME_CHARS_MAX)
    .trim();
  const base = `ci ${plain === '' ? 'check' : plain}`;
  const count = (names.get(base) ?? 0) + 1;
  names.set(base, count);
  return count === 1 ? base : `${base} ${String(count)}`;
}

function packagesOf(script: string): string[] {
  return script
    .split(/\n|&&|;|\|/u)
    .flatMap((line) => PROGRAMS.exec(withoutStarters(line.trim()))?.[1] ?? []);
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}\u2026` : line;
}
