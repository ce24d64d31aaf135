/**
 * Steps of a job that has services: servers that CI starts beside it. Which of its commands speak to them no file tells, so that
 * only what certainly does not is taken over: builds, and programs that look at files.
 * Example: beside `redis`, `ruff check .` is KEPT and `pytest` is REFUSED.
 */
import type { IngestedStep } from './actions.ts';
import { withoutStarters } from './command-kind.ts';
import { readRun } from './ingest-steps.ts';
import type { Surroundings } from './room-shell.ts';

/** As `readRun`, in a job with these services. */
export function readBeside(
  script: string,
  name: string,
  services: readonly string[],
  around: Surroundings,
): IngestedStep[] {
  const results = readRun(script, name, around);
  if (services.length === 0) return results;
  return results.map((each) =>
    each.outcome === 'KEPT' && !NEEDS_NONE.test(withoutStarters(each.what))
      ? { outcome: 'REFUSED', what: each.what, why: needs(services), steps: [] }
      : each,
  );
}

function needs(services: readonly string[]): string {
  const named = `${services.length === 1 ? 'service' : 'services'} ${services.join(', ')}`;
  return `it may need the ${named}, which the clean room does not have; write it under tests of a verify.yaml, with what environment.setup starts (a server of environment.dependencies.debian), or leave it to the CI service`;
}

const NEEDS_NONE =
  /^(?:(?:python3?\s+-m\s+|npx\s+|uv\s+run\s+|poetry\s+run\s+|hatch\s+run\s+|pdm\s+run\s+|(?:npm|yarn|pnpm)\s+(?:run\s+)?)?(?:ruff|flake8|mypy|pyright|pylint|black|isort|bandit|codespell|yamllint|eslint|prettier|standard|xo|tsc|compileall|lint(?::[\w:-]+)?|typecheck|type-check|build)(?:\s|$)|go\s+(?:vet|build)\b|gofmt\b|staticcheck\b|golint\b|cargo\s+(?:fmt|clippy|check|build|doc)\b|twine\s+check\b|test\s|\[\s)/u;
