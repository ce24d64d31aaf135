/** The gate of repositories, end to end: real git, real sandbox (bubblewrap), the services as the command line has them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { resolveContracts } from '../../core/contract/resolve.ts';
import { scaffoldFiles } from '../../core/contract/scaffold.ts';
import type { GateRunAsked } from '../../core/ports/gate-services.ts';
import { Contracts } from '../../schemas/contract.ts';
import type { RepositoryReport } from '../../schemas/repository-report.ts';
import { createGateServices } from '../../workers/services/gate/index.ts';
import { plainGit, tempFolder, type TempFolder } from '../support/git-repo.ts';
import { CLI, cli } from '../support/session.ts';

const gate = createGateServices({ env: process.env });
let folder: TempFolder;
let repo: string;
let count = 0;

const CODE =
  'import sys\n\n\ndef add(a, b):\n    return a + b\n\n\nif __name__ == "__main__":\n    print(add(*map(int, sys.stdin.read().split())))\n';
const SUITE = 'from app import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n';
const PLAN = `version: 1
profile: python
tests: [{ name: unit, runner: pytest }]
fixtures:
  - { name: adds, command: [python3, app.py], stdin: '20 22', expect: { stdout: "42\\n" } }
execution:
  - { name: loads, command: [python3, -c, 'import app, os; assert not os.path.exists("verify.yaml")'] }
`;

beforeAll(async () => {
  folder = await tempFolder();
});

afterAll(() => folder.remove());

/** A repository with these files, committed. */
async function repository(files: Readonly<Record<string, string>>): Promise<string> {
  count += 1;
  repo = join(folder.path, `repo-${String(count)}`);
  await mkdir(repo);
  plainGit(['init', '--quiet', '--initial-branch=main'], { cwd: repo });
  await write(files);
  plainGit(['add', '-A'], { cwd: repo });
  plainGit(['commit', '--quiet', '-m', 'Begin'], { cwd: repo });
  return repo;
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(repo, path)), { recursive: true });
    await writeFile(join(repo, path), text);
  }
}

async function run(
  asked: Partial<GateRunAsked> = {},
): Promise<RepositoryReport & { readonly folder: string }> {
  const result = await gate.run(
    { repo, kind: 'work_tree', revision: null, acceptPlan: false, backend: 'bubblewrap', ...asked },
    new AbortController().signal,
  );
  if (!result.ok) throw new Error(JSON.stringify(result));
  return { ...result.value.report, folder: result.value.folder };
}

function codes(report: RepositoryReport): string[] {
  return report.levels.flatMap((level) => level.findings.map((found) => found.code));
}

function statuses(report: RepositoryReport): string[] {
  return report.levels.map((level) => level.status);
}

describe('a Python repository', () => {
  test('a hook of the project cannot call a red test passed', async () => {
    const hook = [
      'import pytest',
      '@pytest.hookimpl(hookwrapper=True)',
      'def pytest_runtest_makereport(item, call):',
      '    found = yield',
      '    report = found.get_result()',
      '    report.outcome, report.longrepr, call.excinfo = "passed", None, None',
      '',
    ].join('\n');
    await repository({ 'test_a.py': 'def test_a(): assert 1 == 2\n', 'conftest.py': hook });
    const report = await run();
    expect([report.verdict, codes(report)]).toEqual(['FAIL', ['test_failed']]);
  });

  test('is judged as its own runner judges it: what need not fail may pass, its commands are there, options are taken', async () => {
    const tests = [
      'import subprocess, unittest, warnings, pytest\nwarnings.simplefilter("error")\nclass TestSuite(unittest.TestSuite): pass',
      '@pytest.mark.xfail\ndef test_need_not_fail(): pass',
      'def test_command(): assert subprocess.run(["shop-price"], capture_output=True, text=True).stdout == "3\\n"',
      '@pytest.mark.xfail(strict=True)',
      'def test_must_fail(): pass',
      '',
    ].join('\n');
    await repository({
      'shop.py': 'def price(): print(3)\n',
      'setup.py': 'setup(name="shop", entry_points={"console_scripts": ["shop-price = shop:price"]})\n',
      'shop.egg-info/PKG-INFO': 'Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n',
      'test_shop.py': tests,
      'test_none.py': 'import pytest\npytest.skip("twice: tests, docstrings", allow_module_level=True)\n',
      'pytest.ini': '[pytest]\naddopts = --doctest-modules --ignore=setup.py\n',
      'verify.yaml': 'version: 1\ntests: [{ name: unit, runner: pytest, max_skipped: 2 }]\n',
    });
    const red = await run();
    expect(red.levels.flatMap(({ findings }) => findings.map(({ text }) => text))).toEqual([
      'Test "test_shop.py::test_must_fail" failed: xpassed',
    ]);
    const args = "args: ['--deselect=test_shop.py::test_must_fail'], max_skipped: 3";
    await write({ 'verify.yaml': `version: 1\ntests: [{ name: unit, runner: pytest, ${args} }]\n` });
    const report = await run();
    expect([report.verdict, report.commands.map((command) => command.tests)]).toEqual([
      'PASS',
      [{ passed: 2, failed: 0, skipped: 3 }],
    ]);
  });

  test('passes level by level, leaves every artifact, and is not touched', async () => {
    await repository({
      'app.py': CODE,
      'test_app.py': SUITE,
      'verify.yaml': PLAN,
      '.gitignore': 'ignored.txt\n',
    });
    await write({ 'ignored.txt': 'x', 'new.py': 'X = 1\n' });
    const latin1 = Buffer.from('caf\u00e9\n', 'latin1');
    await writeFile(join(repo, 'latin1.txt'), latin1);
    const before = plainGit(['status', '--porcelain'], { cwd: repo });
    const index = await readFile(join(repo, '.git/index'));
    const report = await run();
    expect([report.verdict, statuses(report), codes(report)]).toEqual([
      'PASS',
      ['passed', 'passed', 'passed', 'passed'],
      [],
    ]);
    expect(report.commands.map(({ name, tests }) => [name, tests?.passed ?? null])).toEqual([
      ['unit', 1],
      ['adds', null],
      ['loads', null],
    ]);
    for (const name of [
      'report.json',
      'report.txt',
      'plan.json',
      'snapshot.json',
      'change.patch',
      report.commands[0]!.log,
    ])
      expect([name, existsSync(join(report.folder, name))]).toEqual([name, true]);
    const patch = await readFile(join(report.folder, 'change.patch'));
    expect(patch.toString('latin1')).toMatch(/\+X = 1/);
    expect(patch.includes(latin1)).toBe(true);
    expect(plainGit(['status', '--porcelain'], { cwd: repo })).toBe(before);
    expect((await readFile(join(repo, '.git/index'))).equals(index)).toBe(true);
    // Without links and left-out paths the judged tree is git's own.
    plainGit(['add', '-A'], { cwd: repo });
    expect(report.subject.tree).toBe(plainGit(['write-tree'], { cwd: repo }));
  });

  test('the index is judged, not the work tree; a commit, not what came after', async () => {
    await repository({ 'app.py': CODE, 'test_app.py': SUITE, 'verify.yaml': PLAN });
    await write({ 'app.py': CODE.replace('a + b', 'a - b') });
    expect((await run({ kind: 'staged' })).verdict).toBe('PASS');
    const red = await run();
    expect([red.verdict, red.fault, codes(red)]).toEqual(['FAIL', 'builder', ['test_failed']]);
    expect(red.levels[1]!.findings[0]).toMatchObject({
      step: 'unit',
      place: { file: 'test_app.py', line: 5 },
    });
    plainGit(['commit', '--quiet', '-am', 'Break'], { cwd: repo });
    await write({ 'app.py': CODE });
    expect((await run({ kind: 'commit', revision: 'HEAD' })).verdict).toBe('FAIL');
    expect((await run({ kind: 'commit', revision: 'HEAD~1' })).verdict).toBe('PASS');
  });

  test("a project's scaffold lets plain pytest find each suite's own helpers", async () => {
    const contracts = Contracts.parse({
      version: 1,
      project: { name: 'shop', language: 'python' },
      stages: [{ id: 'core' }],
      nodes: ['a', 'b'].map((id) => ({ id, stage: 'core', description: 'run(x) -> y' })),
    });
    const scaffold = scaffoldFiles(contracts.project, resolveContracts(contracts));
    const suites = ['a', 'b'].flatMap((id) => [
      [`tests/${id}/helpers.py`, `NAME = '${id}'\n`],
      [
        `tests/${id}/test_it.py`,
        `from helpers import NAME\n\n\ndef test_it():\n    import helpers\n    assert NAME == helpers.NAME == '${id}'\n`,
      ],
    ]);
    await repository({
      ...Object.fromEntries(scaffold.map((file) => [file.path, file.text])),
      ...(Object.fromEntries(suites) as Record<string, string>),
    });
    const report = await run();
    expect([report.verdict, report.commands[0]?.tests?.passed]).toEqual(['PASS', 2]);
    await write({ 'conftest.py': '' });
    expect((await run()).verdict).not.toBe('PASS');
  });

  test('a wrong shape that the tests miss fails at L2 with expected and actual', async () => {
    await repository({
      'app.py': CODE.replace('print(add', 'print("=", add'),
      'test_app.py': SUITE,
      'verify.yaml': PLAN,
    });
    const report = await run();
    expect([report.verdict, statuses(report)]).toEqual(['FAIL', ['passed', 'passed', 'failed', 'not_run']]);
    expect(report.levels[2]!.findings[0]).toMatchObject({
      code: 'fixture_failed',
      expected: '42\n',
      actual: '= 42\n',
    });
  });

  test.each([
    ['an empty plan', { 'verify.yaml': 'version: 1\n' }, 'plan_empty', 'manager'],
    ['no test at all', { 'test_app.py': 'X = 1\n' }, 'nothing_ran', 'manager'],
    [
      'a deselected test',
      { 'pytest.ini': '[pytest]\naddopts = -k test_add\n', 'test_b.py': 'def test_b():\n    assert False\n' },
      'skipped',
      'manager',
    ],
    [
      'another runtime',
      { 'verify.yaml': `${PLAN}environment: { runtimes: { python: '3.12' } }\n` },
      'runtime_missing',
      'platform',
    ],
    ['a suite that ends early', { 'app.py': `import os\nos._exit(0)\n` }, 'report_missing', 'builder'],
  ])('%s is INVALID, never PASS', async (_, files, code, fault) => {
    await repository({ 'app.py': CODE, 'test_app.py': SUITE, 'verify.yaml': PLAN, ...files });
    const report = await run();
    expect([report.verdict, report.fault, codes(report)]).toEqual(['INVALID', fault, [code]]);
  });

  test('a change of the plan does not judge itself', async () => {
    await repository({ 'app.py': CODE.replace('a + b', 'a - b'), 'test_app.py': SUITE, 'verify.yaml': PLAN });
    await write({ 'verify.yaml': "version: 1\nfixtures: [{ name: t, command: ['true'] }]\n" });
    plainGit(['add', '-A'], { cwd: repo });
    const both = await run({ kind: 'staged' });
    expect([both.verdict, both.subject.planFrom]).toEqual([
      'FAIL',
      expect.stringMatching(/^verify\.yaml of [0-9a-f]{12}$/),
    ]);
    // Nor may it leave out what the plan before it looks at.
    await write({ 'verify.yaml': `${PLAN}policy: { leave_out: ['test_app.py'] }\n` });
    plainGit(['add', '-A'], { cwd: repo });
    expect(codes(await run({ kind: 'staged' }))).toEqual(['test_failed']);
    await write({ 'verify.yaml': "version: 1\nfixtures: [{ name: t, command: ['true'] }]\n" });
    plainGit(['add', '-A'], { cwd: repo });
    expect((await run({ kind: 'staged', acceptPlan: true })).verdict).toBe('PASS');
    expect((await run()).notes).toEqual([expect.stringMatching(/^The plan differs/)]);
  });

  test('CI workflows that judged the commit before judge a change of themselves, and a plan that takes their place', async () => {
    const ci = 'on: [push]\njobs:\n  t:\n    runs-on: ubuntu-latest\n    steps: [{ run: pytest -q }]\n';
    const files = { 'app.py': CODE.replace('a + b', 'a - b'), 'test_app.py': SUITE };
    await repository({ ...files, '.github/workflows/ci.yml': ci });
    await write({
      '.github/workflows/ci.yml': ci.replace('pytest -q', 'pytest -q other'),
      'other/test_x.py': 'def test_x(): pass\n',
    });
    plainGit(['add', '-A'], { cwd: repo });
    const changed = await run({ kind: 'staged' });
    await write({ 'verify.yaml': "version: 1\nfixtures: [{ name: t, command: ['true'] }]\n" });
    plainGit(['add', '-A'], { cwd: repo });
    const replaced = await run({ kind: 'staged' });
    for (const { verdict, subject } of [changed, replaced])
      expect([verdict, subject.planFrom]).toEqual([
        'FAIL',
        expect.stringMatching(/^the CI workflows of [0-9a-f]{12}$/),
      ]);
  });

  test('links inside are followed as copies; links outside, submodules and pointers are refused with their reason', async () => {
    await repository({ 'app.py': CODE, 'test_app.py': SUITE, 'verify.yaml': PLAN, 'AGENTS.md': 'x' });
    await symlink('AGENTS.md', join(repo, 'CLAUDE.md'));
    const followed = await run();
    expect([followed.verdict, followed.notes]).toEqual([
      'PASS',
      [expect.stringMatching(/CLAUDE\.md -> AGENTS\.md/)],
    ]);
    await symlink('/etc/hostname', join(repo, 'host'));
    await write({ 'big.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' });
    await mkdir(join(repo, 'sub'));
    plainGit(['init', '--quiet'], { cwd: join(repo, 'sub') });
    await writeFile(join(repo, 'sub/f'), '');
    const report = await run();
    expect(report.verdict).toBe('INVALID');
    const texts = report.levels[0]!.findings.map((found) => found.text);
    expect(texts).toEqual([
      expect.stringMatching(/^"sub" is a repository of its own/),
      expect.stringMatching(/^"big\.bin" is a pointer of Git LFS/),
      expect.stringMatching(/^"host" is a link that leads out/),
    ]);
  });

  test('no hook, filter or setting of the repository runs while it is judged', async () => {
    await repository({
      'app.py': CODE,
      'test_app.py': SUITE,
      'verify.yaml': PLAN,
      '.gitattributes': '*.py filter=evil diff=evil\n',
    });
    const mark = join(folder.path, 'ran');
    const program = join(folder.path, 'evil.sh');
    await writeFile(program, `#!/bin/sh\ntouch ${mark}\ncat\n`);
    await chmod(program, 0o755);
    for (const name of [
      'filter.evil.smudge',
      'filter.evil.clean',
      'diff.evil.textconv',
      'core.fsmonitor',
      'diff.external',
    ])
      plainGit(['config', name, program], { cwd: repo });
    for (const kind of ['work_tree', 'staged'] as const) expect((await run({ kind })).verdict).toBe('PASS');
    expect(existsSync(mark)).toBe(false);
  });
});

describe('a Node repository', () => {
  const TEST = "const test = require('node:test');\nconst assert = require('node:assert');\n";

  test('its tests are counted by our reporter; a file that ends its process is no pass', async () => {
    await repository({
      'verify.yaml': "version: 1\ntests: [{ name: a, runner: node_test, paths: ['*.test.{js,mjs}'] }]\n",
      'add.js': 'exports.add = (a, b) => a + b;\n',
      'add.test.js': `${TEST}test('adds', () => assert.equal(require('./add.js').add(1, 2), 3));\n`,
    });
    const report = await run();
    expect([report.verdict, report.commands.map((each) => each.tests)]).toEqual([
      'PASS',
      [{ passed: 1, failed: 0, skipped: 0 }],
    ]);
    await write({ 'add.js': 'process.exit(0);\n' });
    expect(codes(await run())).toEqual(['collection_error']);
    await write({ 'add.js': 'process.reallyExit(0);\n' });
    const silent = await run();
    expect([silent.verdict, codes(silent)]).toEqual(['INVALID', ['file_without_tests', 'nothing_ran']]);
  });
});

describe('a commit hook', () => {
  test('refuses a bad commit and lets a good one through; a foreign hook stays', async () => {
    await repository({ 'app.py': CODE, 'test_app.py': SUITE, 'verify.yaml': PLAN });
    const installed = await gate.installHook(repo, CLI);
    expect(installed).toMatchObject({ ok: true, value: { replaced: false } });
    const commit = (
      args: readonly string[],
    ): Promise<{ exitCode?: number | undefined; stdout: string; stderr: string }> =>
      execa('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', 'commit', ...args], {
        cwd: repo,
        reject: false,
        env: { A7_HOME: process.env['A7_HOME'] ?? '' },
      });
    await write({ 'app.py': CODE.replace('a + b', 'a * b') });
    const bad = await commit(['-am', 'Break']);
    expect([bad.exitCode, plainGit(['log', '--format=%s'], { cwd: repo })]).toEqual([1, 'Begin']);
    expect(bad.stdout + bad.stderr).toMatch(/FAIL {2}staged on/);
    await write({ 'app.py': `${CODE}# better\n` });
    expect((await commit(['-am', 'Mend'])).exitCode).toBe(0);
    expect(await gate.installHook(repo, CLI)).toMatchObject({ ok: true, value: { replaced: true } });
    await writeFile(join(repo, '.git/hooks/pre-commit'), '#!/bin/sh\ntrue\n');
    expect(await gate.installHook(repo, CLI)).toMatchObject({ ok: false, exitCode: 2 });
  });
});

describe('a7-rt gate', () => {
  test('init, show and check in a repository without a plan; exit codes of run', async () => {
    await repository({ 'app.py': CODE, 'test_app.py': SUITE });
    const env = { A7_HOME: process.env['A7_HOME'] ?? '' };
    const a7 = (...args: string[]) => cli(['gate', ...args], { cwd: repo, env });
    expect((await a7('show')).out).toMatch(/no verify\.yaml: the default of its language, python profile/);
    expect(await a7('init')).toMatchObject({ code: 0, err: '' });
    expect((await a7('init')).code).toBe(2);
    const check = await a7('check', '--backend', 'bubblewrap');
    expect([check.code, check.out.match(/^ok/gm)?.length]).toEqual([0, 4]);
    const passed = await a7('run', '--backend', 'bubblewrap', '--json');
    expect([passed.code, (JSON.parse(passed.out) as { report: RepositoryReport }).report.verdict]).toEqual([
      0,
      'PASS',
    ]);
    await write({ 'verify.yaml': 'version: 1\ntest: []\n' });
    const wrong = await a7('run');
    const line = 'error verify.yaml:2:1 Cannot use the gate plan: "test" is not a known field';
    expect([wrong.code, wrong.err.split('\n')[0]]).toEqual([2, line]);
    expect((await cli(['gate', 'run', '--repo', '/'], { env })).code).toBe(2);
    await repository({ 'shop.go': 'package shop\n' });
    expect(JSON.stringify(await gate.init(repo, null, false))).toContain('go mod init MODULE_PATH');
  });
});
