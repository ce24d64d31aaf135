/** What jobs of a CI workflow have around their steps: services, other jobs, caches, release channels of a compiler. */
import { describe, expect, test } from '@jest/globals';
import { readWorkflow } from '../../adapters/workflows/read-workflow.ts';
import { ingestWorkflow } from '../../core/repository/ci/ingest-workflow.ts';

/** Outcome and command of each row, and all reasons in one text. */
function told(jobs: string): { readonly rows: string[]; readonly whys: string } {
  const { account } = ingestWorkflow(
    readWorkflow(`on: [pull_request]\njobs:\n${jobs}`, '.github/workflows/ci.yml'),
  );
  return {
    rows: account.map(({ outcome, what }) => `${outcome} ${what}`),
    whys: account.map(({ why }) => why).join('\n'),
  };
}

const job = (name: string, steps: string, more = ''): string =>
  `  ${name}:\n    runs-on: ubuntu-latest\n${more}    steps:\n${steps
    .split('\n')
    .map((line) => `      ${line}\n`)
    .join('')}`;

describe('ingestWorkflow()', () => {
  test('in a job with services, what may speak to them is REFUSED and the rest is judged, as are other jobs', () => {
    const steps =
      '- run: |\n    pip install ruff\n    ruff check .\n    python manage.py migrate\n    pytest\n- uses: ./none';
    const { rows, whys } = told(
      job('database', steps, '    services: { db: { image: postgres }, redis: { image: redis } }\n') +
        job('plain', '- run: pytest'),
    );
    expect(rows).toEqual([
      'REPLACED pip install ruff',
      'KEPT ruff check .',
      'REFUSED python manage.py migrate',
      'REFUSED pytest',
      'REFUSED ./none',
      'KEPT pytest',
    ]);
    expect(whys).toContain(
      'it may need the services db, redis, which the clean room does not have; write it under tests of a verify.yaml, with what environment.setup starts',
    );
  });

  test('a condition on what other jobs print is read as true, and told', () => {
    const { rows, whys } = told(
      job('changes', '- { id: f, uses: dorny/paths-filter@v3 }') +
        job(
          'unit',
          "- run: pytest\n- { run: ruff check ., if: needs.changes.outputs.py == 'true' }",
          "    needs: changes\n    if: needs.changes.outputs.py == 'true'\n",
        ),
    );
    expect(rows).toEqual([
      'DROPPED dorny/paths-filter@v3',
      'REPLACED condition of job "unit"',
      'KEPT pytest',
      'REPLACED condition of ruff check .',
      'KEPT ruff check .',
    ]);
    expect(whys).toContain(
      '"needs.changes.outputs.py" is known while CI runs only: it is read as one that runs',
    );
  });

  test('jobs that judge were green: a job that only tells of others is DROPPED, one that fails by itself REFUSED', () => {
    const { rows } = told(
      job('unit', '- run: pytest') +
        job('tag', '- run: pytest', "    if: startsWith(github.ref, 'refs/tags/')\n") +
        job(
          'all',
          "- { run: exit 1, if: \"contains(needs.*.result, 'failure')\" }\n- { run: exit 1, if: needs.tag.result != 'skipped' }\n- run: exit 1",
          '    needs: [unit, tag]\n    if: always()\n',
        ),
    );
    expect(rows).toEqual([
      'KEPT pytest',
      'DROPPED job "tag"',
      'DROPPED exit 1',
      'DROPPED exit 1',
      'REFUSED exit 1',
    ]);
  });

  test('a cache hits nothing in the clean room', () => {
    const steps = `- { id: c, uses: actions/cache@v4 }
- { run: make deps, if: steps.c.outputs.cache-hit != 'true' }
- { run: make old, if: steps.c.outputs.cache-hit == 'true' }
- { run: make odd, if: steps.other.outputs.cache-hit == 'true' }`;
    expect(told(job('a', steps)).rows).toEqual([
      'DROPPED actions/cache@v4',
      'KEPT make deps',
      'DROPPED make old',
      'REFUSED make odd',
    ]);
  });

  test.each([
    ['cargo +stable fmt --check', 'KEPT', 'exit code'],
    ['cargo +nightly test', 'REFUSED', 'it needs Rust nightly, and the clean room has a stable one'],
    ['rustup toolchain install nightly --component miri', 'REFUSED', 'it needs Rust nightly'],
    ['rustup component add clippy', 'REPLACED', 'by packages of the plan'],
    ['cargo miri test', 'REFUSED', 'it needs cargo-miri, which the clean room does not have'],
    ['cargo xtask check', 'KEPT', 'exit code'],
    ['cargo update -p a --precise 1.0.0', 'REPLACED', 'by packages of the plan'],
    ['cross test --target arm-unknown-linux-gnueabi', 'REFUSED', 'needs a network or an engine'],
    ['cargo publish --dry-run', 'REFUSED', 'needs a network or an engine'],
    ['if [ -e core.orig ]; then echo left behind; exit 1; fi', 'KEPT', 'exit code'],
    ['if [ -z "$A" ]; then echo "nothing"; exit 0; fi', 'DROPPED', 'it only tells'],
    ['npm publish', 'REFUSED', 'needs a network or an engine'],
    ['for f in 1 2; do cargo hack check; done', 'REFUSED', 'it needs cargo-hack'],
  ])('%s is %s', (command, outcome, why) => {
    const { rows, whys } = told(job('a', `- run: ${command}`));
    expect(rows[0]).toMatch(new RegExp(`^${outcome} `));
    expect(whys).toContain(why);
  });

  test('what judges the words of a pull request is DROPPED with that reason', () => {
    const { rows, whys } = told(job('a', '- uses: amannn/action-semantic-pull-request@v5'));
    expect([rows[0], whys]).toEqual([
      'DROPPED amannn/action-semantic-pull-request@v5',
      'it judges the words and labels of a pull request, and no file',
    ]);
  });

  test('actions that only start a command are that command', () => {
    const steps = `- { uses: nick-fields/retry@v3, with: { command: pytest -q, timeout_minutes: 5 } }
- { uses: actions-rs/clippy-check@v1, with: { args: --all-features } }
- { uses: actions-rs/cargo@v1, with: { command: test, toolchain: nightly } }
- { uses: actions-rs/cargo@v1, with: { command: test, use-cross: true } }`;
    const { rows } = told(job('a', steps));
    expect(rows).toEqual([
      'KEPT pytest -q',
      'KEPT cargo clippy --all-features',
      'REFUSED cargo +nightly test',
      'REFUSED cross test',
    ]);
  });
});
