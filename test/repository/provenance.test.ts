/** A green suite that judged a copy of the tree is no verdict on the tree: by what was loaded, and by what a plan lays in. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  foreignFindings,
  type JudgedTree,
  unjudgedFindings,
} from '../../core/repository/judge-provenance.ts';
import { ownCode, ownPackageLinks, packagesOverTree } from '../../core/repository/own-code.ts';
import { sourceFolders } from '../../core/repository/python-path.ts';
import { treeModules } from '../../core/repository/tree-modules.ts';
import type { RepositoryOutcome, RepositoryParts } from '../../core/ports/repository-gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import { resolveRepositoryPlan } from '../../core/repository/resolve-plan.ts';
import { judgeRepository } from '../../activities/repository/judge-repository.ts';
import { parseVerifyProfile } from '../../adapters/contracts/verify-profile.ts';
import { type Machine, openMachine } from '../../workers/machine.ts';
import { repositoryParts } from '../../workers/services/gate/parts.ts';
import { tempFolder, type TempFolder } from '../support/git-repo.ts';

let machine: Machine;
let home: TempFolder;

beforeAll(async () => {
  home = await tempFolder();
  machine = await openMachine(home.path, 'bubblewrap');
});

afterAll(async () => {
  await machine.sandbox.close();
  await home.remove();
});

function filesOf(files: Readonly<Record<string, string>>): SandboxFile[] {
  return Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));
}

/** @param packages what the layer is said to hold, beside the image as it is */
async function judge(
  files: Readonly<Record<string, string>>,
  plan: string,
  packages: Awaited<ReturnType<RepositoryParts['resolveLayer']>> & object = {
    image: machine.image,
    packages: [],
  },
): Promise<RepositoryOutcome['report']> {
  const loaded = parseVerifyProfile(plan, 'verify.yaml');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded));
  const { plan: resolved } = resolveRepositoryPlan(loaded.read, Object.keys(files));
  const parts = { ...repositoryParts(machine), resolveLayer: () => Promise.resolve(packages) };
  const outcome = await judgeRepository(parts, {
    subject: { kind: 'work_tree', tree: '0'.repeat(40), commit: null, planFrom: 'verify.yaml' },
    files: filesOf(files),
    refused: [],
    plan: resolved,
    image: machine.image,
    stepKey: `provenance-${String(Math.random())}`,
    owner: 'provenance',
    notes: [],
  });
  return outcome.report;
}

function told(report: RepositoryOutcome['report']): readonly unknown[] {
  return [report.verdict, report.fault, report.levels.flatMap(({ findings }) => findings.map((f) => f.code))];
}

const SHOP = {
  'src/shop/__init__.py': 'def price():\n    return 3\n',
  'tests/test_shop.py': 'import shop\n\n\ndef test_price():\n    assert shop.price() == 3\n',
};
const BROKEN = { ...SHOP, 'src/shop/__init__.py': 'def price():\n    return 4\n' };
const TESTS = 'version: 1\ntests: [{ name: unit, runner: pytest }]\n';

describe('a Python repository with its package in src/', () => {
  test('is judged as it is, without being installed, and without advice to install it', async () => {
    expect(told(await judge(SHOP, TESTS))).toEqual(['PASS', null, []]);
    expect(told(await judge(BROKEN, TESTS))).toEqual(['FAIL', 'builder', ['test_failed']]);
  });

  test('a copy that stands before it is no verdict, however green; a copy that set-up makes of it is one', async () => {
    const copied = (bytes: string): string =>
      `${TESTS}environment:\n  variables: { PYTHONPATH: /tmp/site }\n  setup: [{ name: copy, run: 'mkdir -p /tmp/site && cp -r src/shop /tmp/site/${bytes}' }]\n`;
    const other = ' && echo "def price(): return 3" > /tmp/site/shop/__init__.py';
    expect(told(await judge(BROKEN, copied(other)))).toEqual(['INVALID', 'manager', ['foreign_module']]);
    expect(told(await judge(SHOP, copied('')))).toEqual(['PASS', null, []]);
    expect(told(await judge(BROKEN, copied('')))).toEqual(['FAIL', 'builder', ['test_failed']]);
  });

  test('a plan that lays a package over a module is INVALID before anything runs', async () => {
    const plan = `${TESTS}environment: { dependencies: { python: [the-shop==1.0] } }\n`;
    const laid = { ecosystem: 'python' as const, name: 'the-shop', imports: ['shop'] };
    const report = await judge(BROKEN, plan, { image: machine.image, packages: [laid] });
    expect(told(report)).toEqual(['INVALID', 'manager', ['package_over_tree']]);
    expect(report.levels[1]?.findings[0]?.text).toContain('over the module "shop" of this repository');
  });

  test('tests that load nothing of the tree beside packages judge nothing of it', async () => {
    const plan = `${TESTS}environment: { dependencies: { python: [iniconfig==1.1.1] } }\n`;
    const files = {
      ...SHOP,
      'tests/test_shop.py': 'import iniconfig\n\n\ndef test_a():\n    assert iniconfig\n',
    };
    const laid = { ecosystem: 'python' as const, name: 'iniconfig', imports: ['iniconfig'] };
    const there = { image: machine.image, packages: [laid] };
    expect(told(await judge(files, plan, there))).toEqual(['INVALID', 'manager', ['tree_not_judged']]);
    expect(told(await judge({ ...files, ...SHOP }, plan, there))).toEqual(['PASS', null, []]);
  });
});

describe('a Node repository', () => {
  const plan = `version: 1\nenvironment: { dependencies: { node: [ms@2.1.3] } }\ntests: [{ name: unit, runner: node_test }]\n`;
  const importer = (name: string): string =>
    `const test = require('node:test');\nconst { price } = require('${name}');\ntest('price', () => { if (price() !== 3) throw new Error('no'); });\n`;
  const layer = (): { image: string; packages: { ecosystem: 'node'; name: string }[] } => ({
    image: machine.image,
    packages: ['ms', 'shop'].map((name) => ({ ecosystem: 'node', name })),
  });

  test('its own name means itself, whatever a layer holds under that name', async () => {
    const files = {
      'package.json': '{"name":"shop","main":"index.js"}',
      'index.js': 'exports.price = () => 3;\n',
      'test.js': importer('shop'),
    };
    expect(told(await judge(files, plan, layer()))).toEqual(['PASS', null, []]);
    const broken = { ...files, 'index.js': 'exports.price = () => 4;\n' };
    expect(told(await judge(broken, plan, layer()))).toEqual(['FAIL', 'builder', ['test_failed']]);
  });

  test('tests that run a copy alone judge nothing of it; a plan that names the package is INVALID', async () => {
    const files = { 'package.json': '{"name":"shop"}', 'index.js': '', 'test.js': importer('/tmp/copy.js') };
    const setup = plan.replace(
      'environment: {',
      'environment: { setup: [{ name: copy, run: "echo \'exports.price = () => 3\' > /tmp/copy.js" }],',
    );
    expect(told(await judge(files, setup, layer()))).toEqual(['INVALID', 'manager', ['tree_not_judged']]);
    const pinned = plan.replace('ms@2.1.3', 'shop@1.0.0');
    expect(told(await judge(files, pinned, layer()))).toEqual(['INVALID', 'manager', ['package_over_tree']]);
  });
});

describe('treeModules()', () => {
  const modules = treeModules([
    'src/shop/__init__.py',
    'src/shop/_vendor/six.py',
    'src/space/part/__init__.py',
    'scripts/yaml.py',
    'tests/attr/__init__.py',
    'examples/flask/__init__.py',
    'one.py',
  ]);

  test('names what the tree hands out, and nothing of tests, examples, scripts and what it carries along', () => {
    expect([...modules.tops].sort()).toEqual(['one', 'part', 'shop']);
    expect(modules.fileOf('space.part')).toBe('src/space/part/__init__.py');
    expect(['six', 'yaml', 'attr', 'flask'].map((name) => modules.fileOf(name))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test.each([
    ['shop', '/usr/local/lib/python3.11/dist-packages/shop/__init__.py', true],
    ['shop._fast', '/usr/local/lib/python3.11/dist-packages/shop/_fast.so', true],
    ['space.part', '/usr/lib/python3/dist-packages/space/part/__init__.py', true],
    ['space.other', '/usr/lib/python3/dist-packages/space/other.py', false],
    ['shop._fast', 'src/shop/_fast.so', false],
    ['shop', 'src/shop/__init__.py', false],
    ['shop', '.venv/lib/site-packages/shop/__init__.py', true],
    ['yaml', '/usr/lib/python3/dist-packages/yaml/__init__.py', false],
  ])('%s from %s is a copy: %s', (name, path, isCopy) => {
    const tree: JudgedTree = {
      modules,
      paths: new Set(['src/shop/__init__.py']),
      hashOf: () => null,
      hasPackages: true,
    };
    const loaded = { files: [{ name, path, hash: null }], children: false };
    expect(foreignFindings('unit', loaded, tree)).toHaveLength(isCopy ? 1 : 0);
  });

  test('what programs loaded that tests started is not known', () => {
    const tree: JudgedTree = { modules, paths: new Set(), hashOf: () => null, hasPackages: true };
    const files = [{ name: 'test_a', path: 'tests/test_a.py', hash: null }];
    expect(unjudgedFindings('unit', { files, children: true }, tree)).toEqual([]);
    expect(unjudgedFindings('unit', { files, children: false }, tree)).toHaveLength(1);
  });
});

test('sourceFolders() names folders of convention that are no package themselves', () => {
  expect(sourceFolders(['src/a/__init__.py', 'lib/b.py', 'lib/__init__.py', 'a.py'])).toEqual(['src']);
});

test('ownPackageLinks() puts packages of a workspace before copies of them', () => {
  const own = ownCode(
    filesOf({ 'package.json': '{"name":"all"}', 'packages/a/package.json': '{"name":"@all/a"}' }),
  );
  expect(ownPackageLinks(own, new Set(['ms']), '/work')).toEqual([
    "mkdir -p '/work/node_modules/@all'",
    "ln -sfn '/work/packages/a' '/work/node_modules/@all/a'",
  ]);
  expect(packagesOverTree({ python: [], node: ['@all/a@1.0.0'] }, [], own, 'x')).toHaveLength(1);
});
