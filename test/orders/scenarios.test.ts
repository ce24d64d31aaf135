/** The five scenarios of seed 003 and what an order leaves, with agent `command` and the toy repository. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection, type WorkflowExecutionDescription } from '@temporalio/client';
import type { SubmitReport } from '../../core/ports/order-services.ts';
import type { OrderFeedback } from '../../core/order/feedback.ts';
import { orderWorkflowId } from '../../workers/queues.ts';
import type { RepositoryReport } from '../../schemas/repository-report.ts';
import { plainGit } from '../support/git-repo.ts';
import { type OrderYard, orderYard } from '../support/orders.ts';

let yard: OrderYard;
beforeAll(async () => {
  yard = await orderYard();
});
afterAll(() => yard.close());

const report = (id: string, iteration: number): RepositoryReport =>
  JSON.parse(yard.read(id, `iteration-${String(iteration)}/report.json`)) as RepositoryReport;
const feedback = (id: string, iteration: number): OrderFeedback =>
  JSON.parse(yard.read(id, `iteration-${String(iteration)}/feedback.json`)) as OrderFeedback;
const verdicts = ({ state }: SubmitReport): unknown => [
  state?.status,
  state?.end?.code,
  state?.iterations.map(({ verdict }) => verdict),
];

/** Everything of a repository but what promotion may add: objects and refs. */
function fingerprint(repo: string): string {
  const hash = createHash('sha256');
  const walk = (dir: string): void => {
    for (const entry of readdirSync(dir, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = join(dir, entry.name);
      if (/\.git\/(objects|refs|logs)$/.test(path)) continue;
      if (entry.isDirectory()) walk(path);
      else hash.update(path).update(readFileSync(path));
    }
  };
  walk(repo);
  return hash.digest('hex');
}

/** What Temporal's page of an order is fed with. */
async function describeOrder(home: string, id: string): Promise<WorkflowExecutionDescription> {
  const { port } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { port: number };
  const connection = await Connection.connect({ address: `127.0.0.1:${String(port)}` });
  try {
    const handle = new Client({ connection }).workflow.getHandle(orderWorkflowId(id));
    // The ledger tells the end of an order a moment before the workflow has closed.
    await handle.result();
    return await handle.describe();
  } finally {
    await connection.close();
  }
}

describe('a work order on the toy repository', () => {
  test('is refused, repaired, passed, promoted and replayed, and touches nothing of the user', async () => {
    const repo = yard.repository('repair');
    // A dirty tree, a staged file, a stash and a hook that would tell of itself.
    writeFileSync(join(repo, 'README.md'), 'dirty\n');
    plainGit(['stash', 'push', '--quiet'], { cwd: repo });
    writeFileSync(join(repo, 'staged.txt'), 'staged\n');
    plainGit(['add', 'staged.txt'], { cwd: repo });
    writeFileSync(join(repo, 'new.txt'), 'untracked\n');
    for (const name of [
      'post-checkout',
      'reference-transaction',
      'post-commit',
      'pre-push',
      'post-index-change',
    ])
      writeFileSync(join(repo, '.git', 'hooks', name), `#!/bin/sh\ntouch ${repo}/hook-ran\n`, {
        mode: 0o755,
      });
    const before = fingerprint(repo);

    const done = await yard.run(repo, { command: 'python3 /opt/agent/repair.py' });

    expect(verdicts(done)).toEqual(['SUCCEEDED', 'pass', ['FAIL', 'PASS']]);
    expect(feedback(done.id, 1)).toMatchObject({
      level: 'L1',
      items: [{ level: 'L1', step: 'unit tests', command: 'pytest tests' }],
    });
    expect(yard.read(done.id, 'iteration-2/agent.log')).toContain(
      'told: Test "tests/test_discount.py::test_ten_percent_off" failed',
    );
    expect(yard.read(done.id, 'iteration-1/build-notes.md')).toBe(
      'Added total_with_discount with a test.\n\n',
    );
    for (const name of [
      'order.json',
      'before.json',
      'plan.json',
      'change.patch',
      'order.bundle',
      'events.jsonl',
      'summary.md',
    ])
      expect([name, existsSync(join(done.folder, name))]).toEqual([name, true]);

    const page = await describeOrder(yard.home, done.id);
    expect(page.memo).toEqual({ outcome: expect.stringMatching(/^SUCCEEDED \(pass\): Iteration 2 passed/) });
    const found = page.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
    expect(Object.fromEntries(found)).toMatchObject({ A7Outcome: 'SUCCEEDED', A7Verdict: 'SUCCEEDED' });
    expect(await page.staticDetails()).toContain(`a7-rt order show ${done.id}`);

    const promoted = await yard.services.promote(done.id, { kind: 'branch', name: 'discount' });
    expect(promoted).toMatchObject({ ok: true });
    expect(plainGit(['rev-list', '--count', 'main..discount'], { cwd: repo })).toBe('1');
    expect(plainGit(['diff', '--name-only', 'main', 'discount'], { cwd: repo }).split('\n')).toEqual([
      'invoice/total.py',
      'tests/test_discount.py',
    ]);
    expect([fingerprint(repo), existsSync(join(repo, 'hook-ran'))]).toEqual([before, false]);
    plainGit(['fsck', '--strict'], { cwd: repo });

    // The bundle alone, with plain git and by us.
    const clone = join(yard.home, 'clone');
    plainGit(['clone', '--quiet', '--branch', 'iteration-2', join(done.folder, 'order.bundle'), clone]);
    expect(plainGit(['rev-parse', 'HEAD^{tree}'], { cwd: clone })).toBe(done.state?.iterations[1]?.tree);
    const replayed = await yard.services.replay(join(done.folder, 'order.bundle'), true);
    expect(replayed).toMatchObject({
      ok: true,
      value: {
        iterations: [
          { verdict: 'FAIL', same: true },
          { verdict: 'PASS', same: true },
        ],
      },
    });
  });

  test.each([
    [
      'unit tests that the change forgot fail at L1',
      'sed -i \'s/line\\["price"\\]/line["price"] + 1/\' invoice/total.py',
      'L1',
      'failed: AssertionError',
    ],
    ['a missing required file fails at L0', 'git mv manifest.json meta.json', 'L0', 'manifest.json'],
    [
      'a wrong output shape that no test sees fails at L2',
      'sed -i \'s/"total":/"sum":/\' invoice/__main__.py',
      'L2',
      'total of two lines',
    ],
    [
      'a change of the gate fails at L0',
      'rm -f verify.yaml; echo "version: 1" > verify.yaml',
      'L0',
      'belongs to the gate',
    ],
    ['a test that is gone fails at L0', 'rm tests/test_total.py', 'L0', 'was deleted'],
    [
      'tests that are gone from a file that stays fail at L1',
      'sed -i "/^def test_an_empty/,\\$d" tests/test_total.py; echo "def test_new(): assert 1" >> tests/test_total.py',
      'L1',
      'not run any more: "tests/test_total.py::test_',
    ],
    [
      'what would make a checkout hold other bytes fails at L0',
      'echo "*.py working-tree-encoding=UTF-16LE" > .gitattributes',
      'L0',
      '".gitattributes" belongs to the gate and was added',
    ],
    [
      'a link out of the tree fails at L0',
      'ln -s /etc/passwd notes; echo x >> README.md',
      'L0',
      'is a symbolic link',
    ],
    [
      'a file of 10 GB is not taken',
      'head -c 10G /dev/zero > big.bin; echo done',
      'L0',
      '"big.bin" is too large to be taken out of the room',
    ],
    ['nothing but words fails at L0', 'echo "All done, everything passes!"', 'L0', 'Nothing was changed'],
  ])('%s', async (_name, command, level, words) => {
    const done = await yard.run(yard.repository('scenario'), { command, limits: { iterationsMax: 1 } });
    expect(verdicts(done)).toEqual(['FAILED', 'budget_iterations', ['FAIL']]);
    const found = report(done.id, 1).levels.flatMap(({ findings }) => findings);
    expect([found[0]?.level, found.map(({ text, step }) => `${text} ${step ?? ''}`).join('\n')]).toEqual([
      level,
      expect.stringContaining(words),
    ]);
    expect(await yard.services.promote(done.id, { kind: 'tag', name: 'v1' })).toMatchObject({
      ok: false,
      exitCode: 3,
    });
  });

  test('a bundle whose record was robbed of its violations does not replay as the PASS that it claims', async () => {
    const command = 'echo "# mine" >> verify.yaml';
    const done = await yard.run(yard.repository('robbed'), { command, limits: { iterationsMax: 1 } });
    const clone = join(yard.home, 'robbed');
    plainGit(['clone', '--quiet', '--branch', 'record', join(done.folder, 'order.bundle'), clone]);
    for (const [name, change] of [
      ['snapshot', { violations: [] }],
      ['report', { verdict: 'PASS', fault: null }],
    ] as const) {
      const file = join(clone, 'iteration-1', `${name}.json`);
      const was = JSON.parse(readFileSync(file, 'utf8')) as object;
      writeFileSync(file, JSON.stringify({ ...was, ...change }));
    }
    plainGit(['commit', '--quiet', '-am', 'robbed'], { cwd: clone });
    for (const name of ['base', 'iteration-1'])
      plainGit(['branch', '--quiet', name, `origin/${name}`], { cwd: clone });
    plainGit(['bundle', 'create', '--quiet', 'robbed.bundle', '--branches'], { cwd: clone });
    expect(await yard.services.replay(join(clone, 'robbed.bundle'), true)).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('recorded PASS, now FAIL') }],
    });
  });

  test('tests that were emptied are told from tests that expect something else', async () => {
    const code = `sed -i 's/line\\["price"\\]/1/' invoice/total.py`;
    const gate = {
      from: 'file',
      text: 'version: 1\ntests: [{ name: unit, runner: pytest }]\n',
      file: 'p.yaml',
    } as const;
    const command = `sed -i 's/assert .*/assert True/' tests/test_total.py; ${code}`;
    const done = await yard.run(yard.repository('emptied'), { command, gate, limits: { iterationsMax: 1 } });
    expect(verdicts(done)).toEqual(['FAILED', 'budget_iterations', ['FAIL']]);
    expect(done.state?.end?.message).toContain('red with this change until altered');
  });

  test('a guessed plan that lacks a package ends before the agent begins', async () => {
    const repo = yard.repository('lacking');
    plainGit(['rm', '--quiet', 'verify.yaml'], { cwd: repo });
    writeFileSync(
      join(repo, 'tests/test_more.py'),
      'import nobody_has_this\n\ndef test_it():\n    assert 1\n',
    );
    plainGit(['add', '-A'], { cwd: repo });
    plainGit(['commit', '--quiet', '-m', 'more'], { cwd: repo });
    const done = await yard.run(repo, { command: 'touch ran' });
    expect(verdicts(done)).toEqual(['FAILED', 'plan', [null]]);
    expect(done.state?.end?.message).toContain('no Python module "nobody_has_this"');
    expect(yard.read(done.id, 'iteration-1/agent.log')).toContain('before this was made');
  });

  test('an agent that deletes .git, leaves processes and floods its output is judged by its tree alone', async () => {
    const command =
      'rm -rf .git /repo.git 2>/dev/null; (setsid sleep 600 &); head -c 40000000 /dev/zero | tr "\\0" x; echo never';
    const done = await yard.run(yard.repository('hostile'), { command, limits: { iterationsMax: 1 } });
    expect(done.state?.iterations[0]?.end).toMatchObject({ kind: 'output_limit' });
    expect(verdicts(done)).toEqual(['FAILED', 'budget_iterations', ['FAIL']]);
  });

  test('what cannot be asked for is refused before anything moves, with the next step', async () => {
    const empty = join(yard.home, 'repos', 'empty');
    mkdirSync(empty, { recursive: true });
    plainGit(['init', '--quiet'], { cwd: empty });
    const toy = yard.repository('refused');
    const refusals = [
      await yard.submit('/nowhere', {}),
      await yard.submit(empty, {}),
      await yard.submit(toy, { task: 'x'.repeat(1_000_000) }),
      await yard.submit(toy, { base: 'nobranch' }),
      await yard.submit(toy, { gate: { from: 'ci', text: null, file: null } }),
      await yard.submit(toy, {
        gate: { from: 'file', text: 'version: 1\ntests: []\nfixtures: []\n', file: 'p.yaml' },
      }),
      await yard.submit(toy, { policy: { paths: ['../x'], forbid: [], gateEdits: [], networkHosts: [] } }),
      await yard.submit(toy, { agent: 'claude-code', model: 'm', baseUrl: 'http://127.0.0.1:9/v1' }),
    ];
    expect(refusals.map((result) => (result.ok ? 0 : result.exitCode))).toEqual([
      2,
      2,
      2,
      2,
      2,
      2,
      2,
      expect.any(Number),
    ]);
    for (const result of refusals) expect(result).toMatchObject({ ok: false, nextStep: expect.any(String) });
  });
});
