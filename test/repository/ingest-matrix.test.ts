/** Matrices and conditions of CI: what a job does in some cell only is not lost, and where it does it is chosen. */
import { describe, expect, test } from '@jest/globals';
import { readWorkflow } from '../../adapters/workflows/read-workflow.ts';
import { ingestWorkflow } from '../../core/repository/ci/ingest-workflow.ts';

function told(job: string, on = 'on: [push]'): string[] {
  const text = `${on}\njobs:\n  t:\n    runs-on: ubuntu-latest\n${job}`;
  return ingestWorkflow(readWorkflow(text, 'ci.yml')).account.map(
    ({ outcome, what, why }) => `${outcome} ${what} | ${why}`,
  );
}

describe('the cells of a matrix', () => {
  test('that do something else in the same place are judged, too, and each thing once', () => {
    const job = `    strategy: { matrix: { python: ['3.9', '3.11'], task: [unit, lint] } }
    steps:
      - { uses: actions/setup-python@v5, with: { python-version: "\${{ matrix.python }}" } }
      - run: ./\${{ matrix.task }}
`;
    expect(told(job)).toEqual([
      expect.stringContaining(
        'judged as python=3.11, task=unit, and as python=3.11, task=lint; the other cells are left to the CI service: python=3.9, task=unit; python=3.9, task=lint',
      ),
      'REPLACED actions/setup-python@v5 | by a look for python 3.11',
      'KEPT ./unit | as a check, by its exit code',
      'KEPT ./lint | as a check, by its exit code',
    ]);
  });

  test('that `include` alone makes are cells of their own; one of another version is judged in the chosen place', () => {
    const job = `    strategy:
      matrix:
        include:
          - { go: '1.24', task: vet }
          - { go: '1.25', task: unit }
          - { go: '1.25', task: unit, flags: -race }
          - { go: '1.25', task: arm, arch: arm64 }
    steps:
      - { uses: actions/setup-go@v5, with: { go-version: "\${{ matrix.go }}" } }
      - { run: ./vet.sh, if: "matrix.task == 'vet'" }
      - { run: "go test \${{ matrix.flags }} ./...", if: "matrix.task == 'unit'" }
`;
    const rows = told(job).filter((row) => !row.startsWith('DROPPED'));
    expect(rows).toEqual([
      expect.stringContaining(
        'judged as go=1.24, task=vet, and as go=1.24, task=unit, and as go=1.24, task=unit, flags=-race; the other cells',
      ),
      'REPLACED actions/setup-go@v5 | by a look for go 1.24',
      'KEPT ./vet.sh | as a check, by its exit code',
      'KEPT go test  ./... | its tests are counted',
      'KEPT go test -race ./... | its tests are counted',
    ]);
  });

  test('parts of a suite are all judged; versions that no set-up action reads are a place', () => {
    const steps = '    steps:\n      - run: ./check ${{ matrix.v }}\n';
    const matrix = (values: string): string => `    strategy: { matrix: { v: ${values} } }\n`;
    expect(told(`${matrix('[1, 2, 3]')}${steps}`).slice(1)).toHaveLength(3);
    expect(told(`${matrix("['1.21', '1.22']")}${steps}`).slice(1)).toHaveLength(1);
  });

  test('that do too many things refuse the plan', () => {
    const many = Array.from({ length: 17 }, (_, index) => `Fuzz${String(index)}`).join(', ');
    const job = `    strategy: { matrix: { name: [${many}] } }\n    steps:\n      - run: ./fuzz \${{ matrix.name }}\n`;
    expect(told(job)).toEqual([
      expect.stringMatching(/^REFUSED job "t" .* 17 different things, more than the 16/u),
    ]);
  });

  test('a check that runs only in a cell of another version is judged; what prepares that cell is not', () => {
    const job = `    strategy: { matrix: { go: ['1.19', stable] } }
    steps:
      - { uses: actions/setup-go@v5, with: { go-version: "\${{ matrix.go }}" } }
      - { run: go vet ./..., if: "matrix.go == 'stable'" }
      - { run: ./prepare, if: "matrix.go == 'stable'" }
      - run: go test ./...
`;
    expect(told(job).slice(2)).toEqual([
      'KEPT go vet ./... | as a check, by its exit code; CI runs it only as go=stable',
      'DROPPED ./prepare | CI runs it only as go=stable, which is left to the CI service',
      'KEPT go test ./... | its tests are counted',
    ]);
  });

  test('a list that an expression holds as it stands is one', () => {
    const job = `    strategy: { matrix: { task: "\${{ fromJSON('[\\"unit\\", \\"lint\\"]') }}" } }\n    steps:\n      - run: ./\${{ matrix.task }}\n`;
    expect(told(job).slice(1)).toHaveLength(2);
  });
});

test('a checkout below the workspace is the repository itself, wherever a step names it', () => {
  const job = `    steps:
      - { uses: actions/checkout@v4, with: { path: src/shop } }
      - { run: ./one, working-directory: src/shop }
      - { run: ./two, working-directory: "\${{ github.workspace }}/src/shop/sub" }
      - run: cd src/shop && ./three
      - { run: ./four, working-directory: "\${{ github.workspace }}" }
`;
  const text = `on: [push]\njobs:\n  t:\n    runs-on: ubuntu-latest\n${job}`;
  const { steps } = ingestWorkflow(readWorkflow(text, 'ci.yml'));
  const started = steps.flatMap((step) => (step.kind === 'test_command' ? [step.argv] : []));
  expect(started.map((argv) => [argv[0] === 'env' ? argv[2] : null, argv.at(-1)])).toEqual([
    [null, './one'],
    ['sub', './two'],
    [null, './three'],
    [null, './four'],
  ]);
});

describe('a condition', () => {
  test.each([
    ["github.repository == 'some/where'", 'KEPT'],
    ["github.repository != 'some/where'", 'DROPPED'],
    ["github.repository_owner == 'some' && github.ref == 'refs/heads/main'", 'DROPPED'],
    ["github.repository == 'a/b' || github.repository == 'c/d'", 'REFUSED'],
    ['github.event.pull_request.head.repo.full_name == github.repository', 'DROPPED'],
    [
      "github.event_name == 'push' || github.event.pull_request.head.repo.full_name != github.repository",
      'KEPT',
    ],
    ["!contains(github.event.head_commit.message, '[skip ci]')", 'KEPT'],
    ["contains(github.event.pull_request.labels.*.name, 'slow')", 'DROPPED'],
    ["github.event.inputs.all == 'true'", 'DROPPED'],
    ['github.event.pull_request.draft == false', 'KEPT'],
    ['github.event.number > 5', 'REFUSED'],
  ])('on the repository or the change: %s', (condition, outcome) => {
    const job = `    steps:\n      - { run: ./check, if: ${JSON.stringify(condition)} }\n`;
    expect(told(job, 'on: [pull_request]').map((row) => row.split(' ')[0])).toEqual([outcome]);
  });
});
