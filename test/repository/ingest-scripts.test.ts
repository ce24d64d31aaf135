/** Scripts of CI steps: no check is lost in them, however they are written. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readWorkflow } from '../../adapters/workflows/read-workflow.ts';
import { ingestWorkflow } from '../../core/repository/ci/ingest-workflow.ts';
import { heldCommands, plainCommands } from '../../core/repository/ci/shell-commands.ts';

function ingest(
  script: string,
  step: Readonly<Record<string, unknown>> = {},
): ReturnType<typeof ingestWorkflow> {
  const steps = JSON.stringify([{ ...step, run: script }]);
  return ingestWorkflow(
    readWorkflow(
      `on: [push]\njobs: { t: { runs-on: ubuntu-latest, steps: ${steps} } }\n`,
      '.github/workflows/ci.yml',
    ),
  );
}

function told(script: string): string[] {
  return ingest(script).account.map(({ outcome, what }) => `${outcome} ${what}`);
}

/** All that a person or a room gets to see of a script. */
function seen({ steps, account }: ReturnType<typeof ingestWorkflow>): string {
  return [
    ...steps.flatMap((step) => (step.kind === 'test_command' ? [step.name, ...step.argv] : [])),
    ...account.flatMap(({ what, why }) => [what, why]),
  ].join('\n');
}

describe('a script of CI', () => {
  test.each<[string, string[]]>([
    ['pip install x && pytest', ['REPLACED pip install x', 'KEPT pytest']],
    ['npm ci; npm run build; ./check', ['REPLACED npm ci', 'KEPT npm run build', 'KEPT ./check']],
    ['echo start && ./check', ['DROPPED echo start', 'KEPT ./check']],
    ['env A=1 ./check', ['KEPT env A=1 ./check']],
    ['A=1 pytest -q 2>&1 | tee log', ['KEPT A=1 pytest -q']],
    ['pytest >> $GITHUB_STEP_SUMMARY', ['KEPT pytest']],
    ['./check --table >> "$GITHUB_STEP_SUMMARY"', ['KEPT ./check --table >> "$GITHUB_STEP_SUMMARY"']],
    ['./check || true', ['DROPPED ./check || true']],
    ['./check || exit 1', []],
    ['./a && ./b || ./c', ['KEPT ./a && ./b || ./c']],
    ['pytest # all of them', ['KEPT pytest']],
    ['# a note && \\\n  ./check', ['KEPT ./check']],
    ['cd sub && \\\n  pytest tests', ['KEPT pytest tests']],
    ['cd sub && pytest tests', ['KEPT pytest tests']],
    ['set -euo pipefail\nexport A=1\n./check', ['KEPT ./check']],
    ['echo hi > made.txt', ['KEPT echo hi > made.txt']],
    ['echo "$(./check)"', ['KEPT echo "$(./check)"']],
    ['ls | wc -l', ['DROPPED ls | wc -l']],
    ['ls dist | xargs ./check', ['KEPT ls dist | xargs ./check']],
    ['git diff --exit-code', ['REFUSED git diff --exit-code']],
    ['go install ./...', ['KEPT go install ./...']],
    [
      'sudo apt-get -y install jq && sudo ./check',
      ['REPLACED sudo apt-get -y install jq', 'KEPT sudo ./check'],
    ],
    ['docker run x ./check', ['REFUSED docker run x ./check']],
    // Each use of such a value is an expression, and refused where it stands.
    [
      'echo "a=$(git log | wc -l)" >> $GITHUB_OUTPUT',
      ['DROPPED echo "a=$(git log | wc -l)" >> $GITHUB_OUTPUT'],
    ],
    ['./check >> "$GITHUB_OUTPUT"', ['KEPT ./check >> "$GITHUB_OUTPUT"']],
    ['uv run tox -e lint', ['REFUSED uv run tox -e lint']],
    ['python -m nox', ['REFUSED python -m nox']],
    ['pdm run lint', ['REFUSED pdm run lint']],
    ['npm start & ./check', []],
  ])('%j', (script, expected) => {
    if (expected.length > 0) expect(told(script)).toEqual(expected);
    expect(ingest(script).account.length).toBeGreaterThan(0);
  });

  test('is started without the program that only brings an environment, and hands its values to nobody', () => {
    expect(ingest('uv run --frozen ruff check .').steps).toMatchObject([{ argv: { 5: 'ruff check .' } }]);
    expect(ingest('./check >> $GITHUB_OUTPUT').steps).toMatchObject([
      { argv: { 1: 'GITHUB_OUTPUT=/dev/null' } },
    ]);
  });

  test.each<[string, object | null]>([
    [
      'go test -tags "a,b" -run TestX -covermode atomic ./...',
      ['go', 'test', '-json', '-tags', 'a,b', '-run', 'TestX', '-covermode', 'atomic', './...'],
    ],
    [
      'cargo +stable test --features "x y" -- --skip slow',
      ['cargo', 'test', '--offline', '--features', 'x y', '--', '--skip', 'slow'],
    ],
    ['pytest --cov mine --cov-report xml tests', { paths: ['tests'] }],
    ['pytest --cov-fail-under=90', null],
    ['pytest -W error', null],
    ['go test -bench . ./...', null],
    ['go test $(go list ./...)', null],
    ['cargo test --no-run', null],
    ['cargo test some_name', null],
  ])('of the test command %j is counted where its words are known', (script, expected) => {
    const [step] = ingest(script).steps.flatMap((each) => (each.kind === 'test_command' ? [each] : []));
    if (expected === null) expect(step?.count.by).toBe('none');
    else if (Array.isArray(expected)) expect(step?.argv).toEqual(expected);
    else expect(step?.count).toMatchObject(expected);
  });

  test('with installs and checks in a flow of its own is refused, and names what it holds', () => {
    const { account } = ingest('if [ -f x ]; then\n  pip install x\nfi\nmake lint\n', { name: 'All' });
    expect(account).toMatchObject([{ outcome: 'REFUSED', what: 'All' }]);
    expect(account[0]?.why).toContain('"make lint"');
  });

  test.each(['perl {0}', 'pwsh', 'cmd', 'node {0}'])(
    'of the shell %j is refused with its commands',
    (shell) => {
      const { account } = ingest('./check', { shell });
      expect(account).toMatchObject([{ outcome: 'REFUSED' }]);
      expect(account[0]?.why).toContain('./check');
    },
  );

  /** Scripts around marked checks, by the forms that people write. */
  const check = fc.constantFrom(
    './check-N',
    'make verify-N',
    'npm run lint-N',
    'pytest tests_N',
    'cargo test --features f_N',
    'test -f made-N',
    'python -m tool_N',
    'A=1 ./check-N',
    'sudo ./check-N',
    'env X=y ./check-N',
    'time ./check-N',
    'timeout 5 ./check-N',
    './check-N "a && b; c"',
    "sh -c './check-N; true'",
    'grep -q x file-N',
    'diff a-N b',
  );
  const noise = fc.constantFrom(
    'echo hello',
    'pip install x',
    'npm ci',
    'sudo apt-get install -y jq',
    'python --version',
    'cd sub',
    'export A=b',
    'set -ex',
    'ls -la',
    '# a note',
    'git config user.name x',
    'poetry config a b',
    'mkdir -p out',
    'cat file',
    'true',
    'env',
    'printenv | sort',
    'yarn',
    'uv sync',
  );
  const script = fc.letrec<{ node: string }>((tie) => {
    const joined = (...joints: string[]): fc.Arbitrary<string> =>
      fc
        .tuple(tie('node'), fc.constantFrom(...joints), tie('node'))
        .map(([a, joint, b]) => `${a}${joint}${b}`);
    const around = (before: string, after: string): fc.Arbitrary<string> =>
      tie('node').map((inner) => `${before}${inner}${after}`);
    return {
      node: fc.oneof(
        { maxDepth: 4, depthSize: 'medium' },
        { weight: 3, arbitrary: check },
        { weight: 3, arbitrary: noise },
        { weight: 4, arbitrary: joined('\n', ' && ', '; ', ' || ', ' | ', '\n\n', ' && \\\n  ', ' ;', '&&') },
        around('if true; then\n', '\nfi'),
        around('if ! ', '; then exit 1; fi'),
        around('for x in a b; do\n', '\ndone'),
        around('run() {\n', '\n}\nrun'),
        around('(', '\n)'),
        around('(cd sub && ', ')'),
        around('', ' || true'),
        around('', ' || exit 1'),
        around('', ' 2>&1 | tee log.txt'),
        around('', ' >> $GITHUB_STEP_SUMMARY'),
        around('', ' > /dev/null'),
        around('', ' &\nwait'),
        around('x=$(', ')'),
        around('echo "$(', ')"'),
        around('cat <<EOF\n', '\nEOF'),
        around('bash -c "', '"'),
      ),
    };
  }).node;

  test('never loses a check: each is kept, or named with the reason why it is not', () => {
    fc.assert(
      fc.property(script, (drawn) => {
        let count = 0;
        const text = drawn.replaceAll(/\bN\b|(?<=[-_])N/gu, () => String((count += 1) + 100));
        // In a comment it is none.
        const marks = text
          .split('\n')
          .flatMap((line) => line.replace(/(?:^|[\s;&|()`])#.*$/u, '').match(/[-_]1\d\d/gu) ?? []);
        const ingested = ingest(text);
        const found = seen(ingested);
        for (const mark of marks) expect(found).toContain(mark);
        const gone = ingested.account.filter(
          ({ outcome }) => outcome === 'DROPPED' || outcome === 'REPLACED',
        );
        for (const { what, why } of gone)
          if (marks.some((mark) => what.includes(mark))) expect(why).toContain('|| true');
      }),
      { numRuns: 1500 },
    );
  });

  test('a check that counts is never taken for words that only tell or install', () => {
    fc.assert(
      fc.property(noise, fc.constantFrom(' && ', '; ', '\n', ' ; '), (before, joint) => {
        const { account } = ingest(`${before.startsWith('#') ? 'true' : before}${joint}./check-1`);
        expect(
          account.filter(({ what }) => what.includes('./check-1')).map(({ outcome }) => outcome),
        ).toEqual(['KEPT']);
      }),
      { numRuns: 150 },
    );
  });
});

test('plainCommands() splits what only joins, and leaves a flow alone', () => {
  expect(plainCommands('a "x; y" && b\nc | d; e || true # f')?.map(({ text }) => text)).toEqual([
    'a "x; y"',
    'b',
    'c | d',
    'e || true',
  ]);
  for (const flow of ['if a; then b; fi', '(a; b)', 'a &', 'cat <<E\nE', 'f() { a; }', 'a "b', 'a `b`'])
    expect([flow, plainCommands(flow)]).toEqual([flow, null]);
  expect(heldCommands('if ! a; then (b && c); fi; for x in y; do d $(e); done')).toEqual(
    expect.arrayContaining(['a', 'b', 'c', 'e']),
  );
});
