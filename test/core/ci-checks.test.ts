/** The checks that CI runs beside the tests, as `gate init` writes them into its plan. */
import { expect, test } from '@jest/globals';
import { parseVerifyProfile } from '../../adapters/contracts/verify-profile.ts';
import { readWorkflow } from '../../adapters/workflows/read-workflow.ts';
import { ingestWorkflow } from '../../core/repository/ci/ingest-workflow.ts';
import { resolveRepositoryPlan } from '../../core/repository/resolve-plan.ts';
import { profileTemplate } from '../../core/repository/template.ts';
import { ciChecks } from '../../core/repository/understand/ci-checks.ts';

const WORKFLOW = `on: push
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - run: pip install ruff mypy
      - run: ruff check . && env A=1 mypy shop
      - run: |
          for f in *.json; do
            python -m json.tool "$f"  # it's "é"
          done
      - run: pytest
  database:
    runs-on: ubuntu-latest
    services: { db: { image: postgres } }
    steps: [{ run: pytest }]
`;

test('checks are taken over whole, with their programs; what is not says why', () => {
  const found = ciChecks(ingestWorkflow(readWorkflow(WORKFLOW, '.github/workflows/ci.yml')));
  expect(found.checks.map(({ name, from }) => [name, from])).toEqual([
    ['ci ruff check .', '.github/workflows/ci.yml:7'],
    ['ci env A 1 mypy shop', '.github/workflows/ci.yml:7'],
    ['ci for f in .json do', '.github/workflows/ci.yml:8'],
  ]);
  expect(found.python).toEqual(['mypy', 'ruff']);
  expect(found.notes).toEqual([expect.stringMatching(/ci\.yml:16\): pytest: it may need the service db/)]);
  const text = profileTemplate('python', ['a.py'], undefined, { checks: found.checks, diskMb: 2048 });
  const loaded = parseVerifyProfile(text, 'verify.yaml');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { plan } = resolveRepositoryPlan(loaded.read, ['a.py']);
  const checks = plan.steps.filter((step) => step.kind === 'test_command' && step.count.by === 'none');
  expect(checks.map((step) => 'argv' in step && step.argv)).toEqual(found.checks.map(({ argv }) => argv));
  expect(plan.steps.find((step) => step.kind === 'test_command')).toMatchObject({
    limits: { diskBytes: 2048 * 1024 * 1024 },
  });
});

test('of many checks the first are taken, and the rest is named', () => {
  const steps = Array.from({ length: 15 }, (_, index) => `      - run: make part${String(index)}`).join('\n');
  const text = `on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n${steps}\n`;
  const found = ciChecks(ingestWorkflow(readWorkflow(text, 'ci.yml')));
  expect([found.checks.length, found.notes.length]).toEqual([12, 3]);
  expect(found.checks[2]?.before.map((argv) => argv.at(-1))).toEqual(['make part0', 'make part1']);
  expect(ciChecks(null)).toEqual({ checks: [], python: [], notes: [] });
});
