import { describe, expect, test } from '@jest/globals';
import { readWorkflow } from '../../adapters/contracts/verify-profile.ts';
import { ingestWorkflow, isGate } from '../../core/repository/ingest-workflow.ts';
import { resolveRepositoryPlan } from '../../core/repository/resolve-plan.ts';
import { planFindings } from '../../core/repository/verdict.ts';

function workflow(steps: string, job = ''): string {
  return `on: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n${job}    steps:\n${steps}`;
}

function ingest(text: string): ReturnType<typeof ingestWorkflow> {
  return ingestWorkflow(readWorkflow(text, '.github/workflows/ci.yml'));
}

describe('ingestWorkflow()', () => {
  test('accounts for every step, each with its line', () => {
    const { account, steps } = ingest(
      workflow(
        `      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: { python-version: '3.11' }
      - uses: actions/cache@v4
      - run: |
          pip install pytest
          python -m compileall -q .
          pytest -q tests
      - uses: codecov/codecov-action@v4
`,
      ),
    );
    expect(
      account.map(({ outcome, what, from }) => `${outcome} ${what} ${from.replace(/^.*:/, '')}`),
    ).toEqual([
      'REPLACED actions/checkout@v4 6',
      'REPLACED actions/setup-python@v5 7',
      'DROPPED actions/cache@v4 9',
      'REPLACED pip install pytest 10',
      'KEPT python -m compileall -q . 10',
      'KEPT pytest -q tests 10',
      'DROPPED codecov/codecov-action@v4 14',
    ]);
    expect(steps.map((step) => step.kind)).toEqual(['runtime', 'test_command', 'test_command']);
    expect(steps[1]).toMatchObject({ count: { by: 'none' } });
    expect(steps[2]).toMatchObject({ count: { by: 'reporter', runner: 'pytest', paths: ['tests'] } });
    const { plan } = resolveRepositoryPlan(null, ['a.py'], { account, steps });
    expect(planFindings(plan)).toEqual([]);
    expect(plan.sources.map((source) => source.kind)).toEqual(['workflow', 'language_default']);
  });

  test.each([
    ['      - uses: some/action@v1\n', ''],
    ['      - run: npm test\n', ''],
    ['      - run: npm ci\n', ''],
    ['      - run: echo ${{ secrets.X }}\n', ''],
    ['      - { run: pytest, continue-on-error: true }\n', ''],
    ['      - { run: pytest, working-directory: app }\n', ''],
    ["      - { uses: actions/setup-node@v4, with: { node-version: 'lts/*' } }\n", ''],
    ['      - run: pytest\n', '    strategy: { matrix: { python: [1] } }\n'],
    ['      - run: pytest\n', '    services: { db: {} }\n'],
  ])('what is not understood refuses the plan: %j %j', (steps, job) => {
    const ingested = ingest(workflow(steps, job));
    expect(ingested.account.map((each) => each.outcome)).toContain('REFUSED');
    const findings = planFindings(resolveRepositoryPlan(null, ['a.py'], ingested).plan);
    expect(findings.map((found) => found.code)).toContain('plan_refused');
  });

  test.each(['env: { PYTHONPATH: src }', 'defaults: { run: { working-directory: app } }'])(
    'what holds for a whole workflow refuses it: %s',
    (line) => {
      const ingested = ingest(`${line}\n${workflow('      - run: pytest\n')}`);
      expect(ingested.steps.map((step) => step.kind)).toEqual(['refused']);
    },
  );

  test('python is what the clean room calls python3; toolchain actions ask for a runtime', () => {
    const { steps, account } = ingest(
      workflow(
        '      - uses: dtolnay/rust-toolchain@1.63\n      - run: python -m build && python x.py\n' +
          '      - run: cargo test --workspace\n      - run: go test -race ./...\n      - run: cargo test name\n',
      ),
    );
    expect(steps).toMatchObject([
      { kind: 'runtime', tool: 'rust', version: '1.63' },
      { argv: ['sh', '-ec', 'python3 -m build && python3 x.py'], count: { by: 'none' } },
      { argv: ['cargo', 'test', '--offline', '--workspace'], count: { format: 'libtest' } },
      { argv: ['go', 'test', '-json', '-race', './...'], count: { format: 'go_json' } },
      { count: { by: 'none' } },
    ]);
    expect(account[0]).toMatchObject({ outcome: 'REPLACED', why: 'by a look for rust 1.63' });
    const nightly = ingest(workflow('      - uses: dtolnay/rust-toolchain@nightly\n'));
    expect(nightly.account.map((each) => each.outcome)).toEqual(['REFUSED']);
  });

  test('an option that could leave tests out makes a test command a check, which proves nothing alone', () => {
    const ingested = ingest(workflow('      - run: pytest -k fast\n'));
    expect(ingested.steps).toMatchObject([{ count: { by: 'none' } }]);
    const { plan } = resolveRepositoryPlan(null, ['a.py'], ingested);
    expect(planFindings(plan).map((found) => found.code)).toEqual(['plan_empty']);
  });

  test('isGate() is true for what runs on changes', () => {
    const gate = (on: string): boolean => isGate(readWorkflow(`on: ${on}\njobs: {}`, 'ci.yml'));
    expect([
      gate('push'),
      gate('[pull_request]'),
      gate('{ push: { branches: [main] } }'),
      gate('schedule'),
    ]).toEqual([true, true, true, false]);
  });
});
