/** `init --from` and `promote`: an existing repository (a `src` layout) is built upon, judged by its own tests, given back as a branch, and else left alone. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { removeHome, tempHome } from '../support/server.ts';
import { type CliResult, cli, scriptedModel } from '../support/session.ts';

let home = '';
let parent = '';
let repo = '';
const a7 = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliResult> =>
  cli(args, { cwd: parent, env: { A7_HOME: home, A7_SANDBOX: 'bubblewrap', ...env } });

async function git(...args: readonly string[]): Promise<string> {
  const config = ['-c', 'user.name=u', '-c', 'user.email=u@example.org', '-c', 'init.defaultBranch=trunk'];
  return (await execa('git', [...config, ...args], { cwd: repo })).stdout;
}

const FILES = {
  'src/shop/__init__.py': '',
  'src/shop/money.py': `from dataclasses import dataclass


@dataclass(frozen=True)
class Money:
    cents: int
`,
  'tests/test_shop.py': `from shop.money import Money


def test_money():
    assert Money(1).cents == 1


def test_nothing_off():
    try:
        from shop.discount import discounted
    except ImportError:
        return
    assert discounted(Money(100), 0) == Money(100)
`,
  'pyproject.toml':
    '[project]\nname = "shop"\nversion = "1"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
};

const NODE = `nodes:
  - id: shop.discount
    stage: core
    description: 'discounted(price, percent) -> Money: a price less a percentage'
    interface:
      imports: ['from shop.money import Money']
      exports: ['def discounted(price: Money, percent: int) -> Money: ...']
      raises: [{ type: ValueError, when: 'percent is above 100' }]
      guarantees: ['Fractions of a cent are dropped']
    examples: [{ call: 'discounted(Money(1000), 10).cents', returns: 900 }]
`;

const SUITE = `import pytest
from shop.discount import discounted
from shop.money import Money


def test_tenth():
    assert discounted(Money(1000), 10) == Money(900)


def test_fraction():
    assert discounted(Money(999), 50) == Money(499)


def test_range():
    with pytest.raises(ValueError):
        discounted(Money(1), 101)
`;

const RIGHT = `from shop.money import Money


def discounted(price: Money, percent: int) -> Money:
    if percent > 100:
        raise ValueError(percent)
    return Money(price.cents * (100 - percent) // 100)
`;
/** Passes the suite, and breaks a test of the repository. */
const BREAKS = RIGHT.replace('    return', '    if percent == 0:\n        return Money(0)\n    return');

const EXPORTS = { exports: ['def discounted(price: Money, percent: int) -> Money: ...'] };
const COVERS = [
  { clause: 'E1', tests: ['test_tenth'] },
  { clause: 'G1', tests: ['test_fraction'] },
  { clause: 'R1', tests: ['test_range'] },
];
const rule = (role: 'test_author' | 'builder', path: string, content: string, more: object) => ({
  role,
  repeat: true,
  answer: {
    tool_calls: [
      { name: 'write_file', arguments: { path, content } },
      { name: 'submit_pr', arguments: { status: 'grounded', interface: EXPORTS, ...more } },
    ],
  },
});
const SCRIPT = {
  version: 1 as const,
  rules: [
    rule('test_author', 'tests/shop_discount/test_discount.py', SUITE, { covers: COVERS }),
    rule('builder', 'src/shop/discount.py', BREAKS, {}),
  ],
};

/** Every byte of the repository but objects and the log that git itself keeps of refs. */
async function fingerprint(): Promise<string> {
  const { stdout } = await execa('sh', [
    '-c',
    `cd ${repo} && find . -path ./.git/objects -prune -o -type f -print | sort | xargs sha256sum; git -C ${repo} ls-files --stage`,
  ]);
  return createHash('sha256').update(stdout).digest('hex');
}

beforeAll(async () => {
  home = await tempHome();
  parent = mkdtempSync(join(realpathSync(tmpdir()), 'a7-from-'));
  repo = join(parent, 'repo');
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  await git('init', '--quiet');
});
afterAll(async () => {
  await removeHome(home);
  rmSync(parent, { recursive: true, force: true });
});

test('what cannot be taken is refused by name, and leaves no folder behind', async () => {
  const refused = async (args: readonly string[], said: string): Promise<void> => {
    const { code, err } = await a7(['init', 'never', '--no-try', ...args]);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
    expect([err, existsSync(join(parent, 'never'))]).toEqual([expect.stringContaining('next'), false]);
  };
  await refused(['--from', 'nowhere'], 'Cannot take "nowhere": there is no such folder');
  await refused(['--from', home], 'neither');
  await refused(['--from', 'repo'], 'the repository has no commit');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'Begin');
  await refused(['--from', 'repo', '--base', 'other'], 'it has no branch or commit "other"');
  await refused(['--base', 'other'], '--base is about a repository, and none is named');
  const inside = await a7(['init', 'repo/session', '--from', 'repo']);
  expect([inside.code, inside.err]).toEqual([2, expect.stringContaining('it lies inside the repository')]);
  expect(existsSync(join(repo, 'session'))).toBe(false);
  writeFileSync(join(repo, 'big.bin'), 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n');
  await git('add', '.');
  await git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},vendor/lib`);
  await git('commit', '--quiet', '-m', 'Links');
  await refused(['--from', 'repo'], '"vendor/lib" is a submodule');
  await refused(['--from', 'repo', '--leave-out', 'vendor/lib'], '"big.bin" is a pointer of Git LFS');
}, 60_000);

test('a partial clone is taken as it is: what it lacks is asked for elsewhere', async () => {
  await git('config', 'uploadpack.allowFilter', 'true');
  const partial = join(parent, 'partial');
  await git('clone', '--quiet', '--bare', '--filter=blob:none', `file://${repo}`, partial);
  const clone = ['--from', 'partial', '--leave-out', 'vendor/lib', 'big.bin'];
  const made = await a7(['init', 'of-partial', '--no-try', ...clone]);
  expect([made.code, made.err]).toEqual([0, '']);
  expect(readFileSync(join(parent, 'of-partial/content/src/shop/money.py'), 'utf8')).toBe(
    FILES['src/shop/money.py'],
  );
  const listed = await execa('git', ['-C', partial, 'rev-list', '--objects', '--missing=print', 'HEAD']);
  expect(listed.stdout).toMatch(/^\?/m);
  await git('config', '--unset', 'uploadpack.allowFilter');
}, 60_000);

test('a session on a repository: its tests judge at SEAL, and a branch comes back by command alone', async () => {
  symlinkSync('src/shop/money.py', join(repo, 'link.py'));
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'A link');
  appendFileSync(join(repo, 'src/shop/money.py'), '# not committed\n');
  writeFileSync(join(repo, '.git/hooks/reference-transaction'), '#!/bin/sh\ntouch "$0.ran"\n', {
    mode: 0o755,
  });
  const before = await fingerprint();
  const made = await a7(['init', 'shop', '--from', 'repo', '--leave-out', 'vendor/lib', 'big.bin']);
  expect([made.code, made.err]).toEqual([0, '']);
  expect(made.out).toContain('Tried once: PASS');
  expect(made.out).toContain('Only what is committed was taken: src/shop/money.py differs');
  expect(readFileSync(join(parent, 'shop/content/link.py'), 'utf8')).toBe(FILES['src/shop/money.py']);
  const empty = await a7(['seed', 'shop']);
  expect([empty.code, empty.err]).toEqual([2, expect.stringContaining('contracts.yaml')]);
  const contracts = join(parent, 'shop/contracts.yaml');
  expect(readFileSync(contracts, 'utf8')).toContain('\n  source_root: src #');
  writeFileSync(contracts, readFileSync(contracts, 'utf8').replace('nodes: []\n', NODE));

  const model = await scriptedModel(SCRIPT);
  const red = await a7(['run', 'shop', '--model', 'scripted', '--manager', 'policy'], model.env);
  expect([red.code, red.err]).toEqual([1, expect.stringMatching(/PROJECT_FAILED|test_nothing_off/)]);
  expect(red.err).toContain('next  a7-rt replace shop shop.discount --file FILE');
  const early = await a7(['promote', 'shop', '--branch', 'discount']);
  expect([early.code, early.err]).toEqual([3, expect.stringContaining('stage core is not sealed')]);

  writeFileSync(join(parent, 'right.py'), RIGHT);
  const replaced = await a7(['replace', 'shop', 'shop.discount', '--file', 'right.py']);
  expect([replaced.code, replaced.err]).toEqual([0, '']);
  const sealed = await a7(['run', 'shop'], model.env);
  await model.close();
  expect([sealed.code, sealed.err]).toEqual([0, expect.stringContaining('Stage core is sealed')]);
  expect(await fingerprint()).toBe(before);

  const checkedOut = await a7(['promote', 'shop', '--branch', 'trunk']);
  expect([checkedOut.code, checkedOut.err]).toEqual([3, expect.stringContaining('is checked out')]);
  expect(await fingerprint()).toBe(before);
  const promoted = await a7(['promote', 'shop', '--branch', 'discount']);
  expect([promoted.code, promoted.err]).toEqual([0, '']);
  expect(await a7(['promote', 'shop', '--branch', 'discount'])).toMatchObject({ code: 0, out: promoted.out });
  expect(await git('diff', '--stat', '--summary', 'trunk', 'discount')).not.toMatch(
    /link|big|vendor|money|toml/,
  );
  expect(await git('show', 'discount:src/shop/discount.py')).toBe(RIGHT.trimEnd());
  expect(await git('show', 'discount:tests/shop_discount/test_discount.py')).toBe(SUITE.trimEnd());
  expect(await git('merge-base', 'trunk', 'discount')).toBe(await git('rev-parse', 'trunk'));
  expect(await git('log', '--format=%B', 'trunk..discount')).toContain('A7-Node: shop.discount');
  expect((await git('status', '--porcelain')).split('\n')[0]).toBe(' M src/shop/money.py');
  expect(existsSync(join(repo, '.git/hooks/reference-transaction.ran'))).toBe(false);
  await git('fsck', '--no-dangling', '--strict');

  appendFileSync(join(parent, 'shop/content/pyproject.toml'), '# by hand\n');
  await execa('git', ['-c', 'user.name=u', '-c', 'user.email=u@x', 'commit', '--quiet', '-am', 'By hand'], {
    cwd: join(parent, 'shop/content'),
  });
  const late = await a7(['promote', 'shop', '--patch', 'out.patch']);
  expect([late.code, late.err]).toEqual([3, expect.stringContaining('after the last seal')]);
  expect(existsSync(join(parent, 'out.patch'))).toBe(false);
}, 240_000);
