import { describe, expect, test } from '@jest/globals';
import { readAction, readWorkflow } from '../../adapters/workflows/read-workflow.ts';
import { ingestWorkflow, isGate } from '../../core/repository/ci/ingest-workflow.ts';
import { matrixCells } from '../../core/repository/ci/matrix.ts';
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
    ['      - run: pytest\n', '    services: { db: { image: postgres } }\n'],
    ['      - run: pytest\n', '    strategy: { matrix: "${{ fromJSON(needs.a.outputs.b) }}" }\n'],
    ["      - { run: pytest, if: steps.a.outputs.b == 'x' }\n", ''],
    ['      - run: pytest ${{ steps.a.outputs.b }}\n', ''],
    ['      - run: echo "A=$(date)" >> $GITHUB_ENV\n', ''],
    ['      - { run: pytest, shell: pwsh }\n', ''],
    ['      - { run: pytest, unknown: field }\n', ''],
    ['      - uses: ./.github/actions/none\n', ''],
  ])('what is not understood refuses the plan: %j %j', (steps, job) => {
    const ingested = ingest(workflow(steps, job));
    expect(ingested.account.map((each) => each.outcome)).toContain('REFUSED');
    const findings = planFindings(resolveRepositoryPlan(null, ['a.py'], ingested).plan);
    expect(findings.map((found) => found.code)).toContain('plan_refused');
  });

  test('a constant that a step hands on is a variable of the steps after it, where CI runs that step', () => {
    const script = `      - run: make before
      - run: |
          echo "MODE=test me" >> $GITHUB_ENV
          echo LEVEL=2 >> "$GITHUB_ENV"
      - { run: echo NEVER=1 >> $GITHUB_ENV, if: github.ref == 'refs/heads/main' }
      - run: make after
      - run: pytest
`;
    const { steps, account } = ingest(workflow(script));
    expect(account.map(({ outcome }) => outcome)).toEqual([
      ...['KEPT', 'REPLACED', 'REPLACED', 'DROPPED', 'KEPT', 'KEPT'],
    ]);
    const [first, second, tests] = steps.filter((step) => step.kind === 'test_command');
    expect(first?.argv).not.toContain('LEVEL=2');
    expect(second?.argv.slice(0, 3)).toEqual(['env', 'MODE=test me', 'LEVEL=2']);
    expect(tests).toMatchObject({ variables: { MODE: 'test me', LEVEL: '2' } });
  });

  test('packages that CI fetches are to be pinned: the plan is refused until they are', () => {
    const ingested = ingest(workflow('      - run: npm ci\n      - run: pip install .[test] && pytest\n'));
    expect(ingested.account.map(({ outcome, what }) => [outcome, what])).toEqual([
      ['REPLACED', 'npm ci'],
      ['REPLACED', 'pip install .[test]'],
      ['KEPT', 'pytest'],
    ]);
    const { plan } = resolveRepositoryPlan(null, ['a.py'], ingested);
    expect(planFindings(plan).map((found) => found.text)).toEqual([
      expect.stringContaining('gate init pins them'),
    ]);
  });

  test('variables, folders and conditions that can be decided are taken over', () => {
    const { steps, account } = ingest(
      `env: { LEVEL: one }\n${workflow(
        `      - run: pytest
      - { run: make lint, working-directory: app, env: { COLOR: "\${{ matrix.os }}" } }
      - { run: make deploy, if: "github.ref == 'refs/heads/main' && steps.x.outputs.y" }
      - { run: make docs, continue-on-error: true }
      - { run: make both, if: "always() || steps.x.outputs.y" }
      - run: echo \${{ secrets.X }}
`,
        '    strategy: { matrix: { os: [windows-latest, ubuntu-latest], python: ["3.9", "3.11"] } }\n    defaults: { run: { shell: bash } }\n',
      )}`,
    );
    expect(account.map(({ outcome, what, why }) => [outcome, what, why.slice(0, 44)])).toEqual([
      ['REPLACED', 'job "test": matrix of 4 cells', 'judged as os=ubuntu-latest, python=3.11; the'],
      ['KEPT', 'pytest', 'its tests are counted'],
      ['KEPT', 'make lint', 'as a check, by its exit code'],
      ['DROPPED', 'make deploy', 'CI does not run it for such a change (if: gi'],
      ['DROPPED', 'make docs', 'CI goes on where it fails (continue-on-error'],
      ['KEPT', 'make both', 'as a check, by its exit code'],
      ['DROPPED', 'echo', 'it only tells'],
    ]);
    expect(steps).toMatchObject([
      { count: { by: 'reporter' }, variables: { LEVEL: 'one' } },
      {
        argv: [
          'env',
          '-C',
          'app',
          'LEVEL=one',
          'COLOR=ubuntu-latest',
          'bash',
          '--noprofile',
          '--norc',
          '-e',
          '-o',
          'pipefail',
          '-c',
          'make lint',
        ],
      },
      { name: 'make both' },
    ]);
  });

  test('composite actions and workflows of the same repository are read with their inputs', () => {
    const action =
      'inputs: { version: { default: "3" } }\nruns:\n  using: composite\n  steps:\n    - { uses: actions/setup-python@v5, with: { python-version: "${{ inputs.version }}" } }\n';
    const local = {
      read: (path: string) => (path === '.github/actions/setup/action.yml' ? readAction(action, path) : null),
      script: () => null,
    };
    const text = workflow(
      '      - { uses: ./.github/actions/setup, with: { version: "3.11" } }\n      - run: pytest\n',
    );
    const { steps } = ingestWorkflow(readWorkflow(text, 'ci.yml'), local);
    expect(steps).toMatchObject([
      { kind: 'runtime', tool: 'python', version: '3.11' },
      { kind: 'test_command' },
    ]);
  });

  test('include adds to the cells that it fits, and exclude takes cells away', () => {
    const matrix = {
      os: ['a', 'b'],
      v: [1],
      include: [{ os: 'a', x: true }, { os: 'c' }],
      exclude: [{ os: 'b' }],
    };
    expect(matrixCells(matrix)).toEqual([{ os: 'a', v: 1, x: true }, { os: 'c' }]);
  });

  test('python is what the clean room calls python3; toolchain actions ask for a runtime', () => {
    const { steps, account } = ingest(
      workflow(
        '      - uses: dtolnay/rust-toolchain@1.63\n      - run: python -m build && python x.py\n' +
          '      - run: cargo test --workspace\n      - run: go test -race ./...\n      - run: cargo test name\n',
      ),
    );
    expect(steps).toMatchObject([
      { kind: 'runtime', tool: 'rust', version: '1.63' },
      { argv: ['bash', '--noprofile', '--norc', '-e', '-c', 'python3 -m build'], count: { by: 'none' } },
      // Steps of a job share a checkout: what may have written goes before what comes after it.
      { name: 'python x.py', before: [['bash', '--noprofile', '--norc', '-e', '-c', 'python3 -m build']] },
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

  test.each([
    ['actions/setup-go@v5', 'go-version-file: go.mod', 'by a look for go'],
    ['actions/setup-go@v5', 'go-version: stable', 'by a look for go'],
    ['actions/setup-go@v5', "go-version: '1.22.x'", 'by a look for go 1.22'],
    ['actions-rs/toolchain@v1', 'toolchain: stable-x86_64-unknown-linux-gnu', 'by a look for rust'],
    [
      'dtolnay/rust-toolchain@v1',
      'toolchain: nightly',
      'it needs Rust nightly, and the clean room has a stable one; write what stable can judge under tests, or leave it to the CI service',
    ],
  ])('%s with %s', (uses, field, why) => {
    const { account } = ingest(workflow(`      - uses: ${uses}\n        with: { ${field} }\n`));
    expect(account.map((each) => each.why)).toEqual([why]);
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
