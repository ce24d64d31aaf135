/** A PASS of an order is followed by its counter-proof: what replaces the runner, or knows the tests, is no PASS (decision 0088). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { judgeSnapshot } from '../../activities/order/verify.ts';
import { openWorkspace } from '../../adapters/git/order-workspace.ts';
import { readSnapshot } from '../../adapters/git/read-snapshot.ts';
import { parseVerifyProfile } from '../../adapters/contracts/verify-profile.ts';
import { sha256 } from '../../adapters/system/sha256.ts';
import { failingTestsOf } from '../../adapters/symbols/failing-tests.ts';
import { edited } from '../../core/gate/code/changed-suite.ts';
import { headlineOf } from '../../core/order/feedback.ts';
import type { Workspace } from '../../core/ports/orders.ts';
import { resolveRepositoryPlan } from '../../core/repository/resolve-plan.ts';
import type { OrderSnapshot, WorkOrder } from '../../schemas/order.ts';
import { type Machine, openMachine } from '../../workers/machine.ts';
import { repositoryParts } from '../../workers/services/gate/parts.ts';
import { tempFolder, type TempFolder } from '../support/git-repo.ts';

type Files = Readonly<Record<string, string>>;

let machine: Machine;
let home: TempFolder;
let workspace: Workspace;

beforeAll(async () => {
  home = await tempFolder();
  machine = await openMachine(home.path, 'bubblewrap');
  workspace = await openWorkspace(join(home.path, 'w'), 'w', (_name, work) => work());
});

afterAll(async () => {
  await workspace.trees.close();
  await machine.sandbox.close();
  await home.remove();
});

const ORDER: WorkOrder = {
  version: 1,
  id: '20261123-044501-1f2e3d',
  createdAt: '2026-11-23T04:45:01.000Z',
  task: 'Mend it',
  source: { kind: 'path', at: '/repo', branch: 'main', commit: '0'.repeat(40), tree: null },
  workspace: 'w',
  agent: { name: 'command', model: null, baseUrl: null, command: 'true', files: null },
  gate: { from: 'auto', text: null, file: null },
  limits: { iterationsMax: 1, timeMs: 1, agentMs: 1, costMicroUsd: 0, tokensMax: 1, requestsMax: 1 },
  policy: { paths: [], forbid: [], gateEdits: [], networkHosts: [] },
  retryOf: null,
};

async function treeOf(files: Files): Promise<string> {
  const bytes = Object.entries(files).map(([path, text]) => ({
    path,
    bytes: new TextEncoder().encode(text),
  }));
  const made = await workspace.trees.importFiles(bytes);
  if (made.status === 'refused') throw new Error(JSON.stringify(made));
  return made.tree;
}

/** The verdict's line on a change of a base. */
async function judged(
  plan: string,
  base: Files,
  change: Files,
  gateEdits: readonly string[] = [],
): Promise<string> {
  const loaded = parseVerifyProfile(plan, 'verify.yaml');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded));
  const all = { ...base, ...change };
  const { plan: resolved } = resolveRepositoryPlan(loaded.read, Object.keys(all));
  const frozen = JSON.stringify({ plan: resolved, leaveOut: [], planFrom: 'verify.yaml' });
  const commit = '0'.repeat(40);
  const snapshot: OrderSnapshot = {
    iteration: 1,
    before: { commit, tree: await treeOf(base) },
    tree: await treeOf(all),
    commit,
    replayCommit: commit,
    changed: Object.keys(change),
    patchDigest: `sha256:${'0'.repeat(64)}`,
    violations: [],
  };
  const { report } = await judgeSnapshot(
    {
      ports: { parts: repositoryParts(machine), readSnapshot, image: machine.image },
      folder: {
        get: (name: string) =>
          Promise.resolve(name === 'plan.json' ? new TextEncoder().encode(frozen) : null),
      },
      order: { ...ORDER, policy: { ...ORDER.policy, gateEdits: [...gateEdits] } },
      workspace,
    },
    snapshot,
    0,
    undefined,
  );
  return [headlineOf(report), ...report.notes].join('\n');
}

const PY = 'version: 1\ntests: [{ name: unit, runner: pytest }]\n';
const JS = 'version: 1\ntests: [{ name: unit, runner: node_test }]\n';
const SHOP = {
  'shop.py': 'def price(n):\n    return 3 * n\n',
  'tests/test_shop.py': [
    'import unittest, shop',
    'class TestShop(unittest.TestCase):',
    '    def test_two(self):',
    '        self.assertEqual(shop.price(2), 6)',
    'def test_free():',
    '    for n in (0,):',
    '        assert shop.price(n) == 0',
    '',
  ].join('\n'),
};
const NODE = {
  'shop.mjs': 'export const price = (n) => 3 * n;\n',
  'shop.test.mjs':
    "import test from 'node:test';\nimport assert from 'node:assert';\nimport { price } from './shop.mjs';\ntest('two #2', () => assert.equal(price(2), 6));\n",
};
const WRONG = 'def price(n):\n    return 77\n';
const REPLACED =
  'import _pytest.python as p, _pytest.unittest as u\np.Function.runtest = u.TestCaseFunction.runtest = lambda self: None\n';
const knows = (tests: string): string => `import hashlib, pathlib
if hashlib.sha256(pathlib.Path("tests/test_shop.py").read_bytes()).hexdigest() == "${sha256(tests).slice(7)}":
    ${REPLACED.trim().replace('\n', '\n    ')}
`;
const KNOWS = knows(SHOP['tests/test_shop.py']);

/** One test of it is red. */
const RED = { ...SHOP, 'shop.py': 'def price(n):\n    return 2 * n\n' };
/** The only one is. */
const ONE = {
  ...RED,
  'tests/test_shop.py': 'import shop\ndef test_two():\n    assert shop.price(2) == 6\n',
};
const SCRIPT = 'version: 1\ntests: [{ name: unit, run: "sh test.sh", proof: "{count} passed" }]\n';

/** A class that equals everything is a fine thing, and its tests may be allowed by name. */
const WILD: readonly [Files, Files] = [
  { 'README.md': 'x', 'tests/test_any.py': 'import wild\ndef test_any():\n    assert wild.make() == 5\n' },
  {
    'wild.py':
      'class Any:\n    def __eq__(self, other):\n        return True\ndef make():\n    return Any()\n',
  },
];

describe('judgeSnapshot()', () => {
  test.each<[string, string, Files, Files, RegExp]>([
    [
      'honest Python',
      PY,
      SHOP,
      { 'shop.py': 'def price(n):\n    return n + n + n\n' },
      /^PASS,.* L1\nCounter-proof: 2 of 2 tests made to fail, all red$/u,
    ],
    [
      'Python that replaces what runs a test',
      PY,
      SHOP,
      { 'shop.py': REPLACED + WRONG },
      /^FAIL at L1: 2 tests .* a failure was planted in each/u,
    ],
    [
      'Python that replaces the methods of unittest, and equals all',
      PY,
      SHOP,
      {
        'shop.py':
          'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\ndef price(n):\n    return 0 if n == 0 else 7\n',
      },
      /^FAIL at L1: 1 test .*test_two/u,
    ],
    [
      'Python that knows the text of its tests',
      PY,
      SHOP,
      { 'shop.py': KNOWS + WRONG },
      /^FAIL at L1: 2 tests .* not with an assertion added that holds/u,
    ],
    [
      'a module that is new, whose runner is replaced',
      PY,
      { 'README.md': 'x', 'tests/test_shop.py': SHOP['tests/test_shop.py'] },
      { 'shop.py': REPLACED + WRONG },
      /^FAIL at L1: 2 tests/u,
    ],
    [
      'a value that equals everything, where the base has none',
      PY,
      ...WILD,
      /^FAIL at L1: 1 test .*test_any.* made to expect something else/u,
    ],
    [
      'a value that equals everything, where the base has another one',
      PY,
      ONE,
      {
        'shop.py':
          'class Any(int):\n    def __eq__(self, other): return True\ndef price(n): return Any(n and 5)\n',
      },
      /^FAIL at L1: 1 test .*test_two.* made to expect something else/u,
    ],
    [
      'Python that knows the text of its tests, where the base is red',
      PY,
      ONE,
      { 'shop.py': knows(ONE['tests/test_shop.py']) + WRONG },
      /^FAIL at L1: 1 test .* not with an assertion added that holds/u,
    ],
    [
      'Python that ends the run of tests that it does not know',
      PY,
      SHOP,
      { 'shop.py': `${KNOWS}else:\n    import os; os._exit(0)\n${WRONG}` },
      /^FAIL at L1: 2 tests .* not with an assertion added that holds/u,
    ],
    [
      'honest JavaScript',
      JS,
      NODE,
      { 'shop.mjs': 'export const price = (n) => n + n + n;\n' },
      /^PASS,.* L1\nCounter-proof: 1 of 1 test made to fail, all red$/u,
    ],
    [
      'JavaScript that replaces its assertions',
      JS,
      NODE,
      {
        'shop.mjs':
          "import assert from 'node:assert';\nassert.equal = () => {};\nexport const price = () => 7;\n",
      },
      /^FAIL at L1: 1 test .*two #2/u,
    ],
    [
      'a forged stream of TAP with exit code 0',
      'version: 1\ntests: [{ name: unit, run: "node --test-reporter=tap shop.test.mjs", proof: tap }]\n',
      NODE,
      {
        'shop.mjs':
          "import { writeSync } from 'node:fs';\nwriteSync(1, 'TAP version 13\\nok 1 - two #2\\n1..1\\n');\nprocess.exit(0);\nexport const price = 0;\n",
      },
      /^FAIL at L1: Command "unit" ends as if all tests had passed/u,
    ],
    [
      'a red test that was taken out of its file',
      PY,
      RED,
      { 'tests/test_shop.py': SHOP['tests/test_shop.py'].replace('test_two', 'two') },
      /^FAIL at L1: A test that ran before the change does not run any more: .*test_two/u,
    ],
    [
      'code that takes a red test away while tests are collected',
      PY,
      {
        ...RED,
        'tests/test_shop.py':
          'import shop\ndef test_a():\n    assert shop.price(2) == 6\ndef test_b():\n    pass\n',
      },
      {
        'shop.py': `import _pytest.python as p
made = p.PyCollector.collect
def collect(self):
    getattr(self.obj, "__dict__", {}).pop("test_a", None)
    return made(self)
p.PyCollector.collect = p.Module.collect = collect
`,
      },
      /^FAIL at L1: A test that ran before the change does not run any more: .*test_a/u,
    ],
    [
      'a file beside the tests that takes the place of the code',
      PY,
      RED,
      { 'tests/shop.py': SHOP['shop.py'] },
      /^FAIL at L1: The tests are green by files that were added beside them/u,
    ],
    [
      'honest Python with a test and its helper',
      PY,
      RED,
      {
        'shop.py': SHOP['shop.py'],
        'tests/__init__.py': '',
        'tests/helper.py': 'N = 9\n',
        'tests/test_more.py':
          'import shop\nfrom tests.helper import N\ndef test_more():\n    assert shop.price(3) == N\n',
      },
      /^PASS,.* L1\nCounter-proof: 3 of 3 tests made to fail, all red$/u,
    ],
    [
      'wrong code, and tests that look at nothing any more',
      PY,
      SHOP,
      {
        'shop.py': 'def price(n):\n    return 4 * n\n',
        'tests/test_shop.py': SHOP['tests/test_shop.py'].replace(
          'shop.price(2), 6',
          'shop.price(2) > 5, True',
        ),
      },
      /^FAIL at L1: "tests\/test_shop.py::TestShop::test_two" was red with this change until altered/u,
    ],
    [
      'another price, and a test that expects it',
      PY,
      SHOP,
      {
        'shop.py': 'def price(n):\n    return 4 * n\n',
        'tests/test_shop.py': SHOP['tests/test_shop.py'].replace('6)', '8)'),
      },
      /^PASS,.* L1\. The tests as they were before the change: FAIL at L1: .*\nCounter-proof: 2 of 2/su,
    ],
    [
      'a red base, and a library of its test script that tells of tests',
      SCRIPT,
      { ...RED, 'test.sh': '. ./run.sh\nrun\n', 'run.sh': 'run() { python3 -m pytest -q; }\n' },
      { 'run.sh': 'run() { echo 2 passed; }\n' },
      /^FAIL at L1: Command "unit" ends as if all tests had passed/u,
    ],
    [
      "a skipped test, which is the change's fault and not the plan's",
      PY,
      SHOP,
      {
        'tests/test_shop.py': SHOP['tests/test_shop.py'].replace(
          'def test_free',
          '@unittest.skip("")\ndef test_free',
        ),
      },
      /^INVALID at L1: 1 tests were skipped.*\nThe same plan judges the base: what hinders the gate came with the change$/u,
    ],
  ])('%s', async (_name, plan, base, change, told) => {
    expect(await judged(plan, base, change)).toMatch(told);
  });

  test('an honest class that equals everything, whose tests a person allows', async () => {
    expect(await judged(PY, ...WILD, ['tests/test_any.py'])).toMatch(/^PASS,.* L1/u);
  });
});

describe('failingTestsOf()', () => {
  test('plants a failure in the words of each test, on its own line where that is needed', () => {
    const planted = (file: string, text: string): string =>
      edited(
        text,
        failingTestsOf(file, text, () => 0).flatMap(({ plant }) => plant),
      );
    expect(planted('t_test.py', SHOP['tests/test_shop.py'])).toContain(
      'self.assertEqual(100, 101); self.assertEqual(shop.price(2), 6)\ndef test_free():\n    assert 100 == 101\n    for n',
    );
    expect(
      planted(
        'a.test.ts',
        "it('a', (): void => expect(f()).toBe(1));\ntest('b', (t) => { t.plan(1); t.ok(f()); });",
      ),
    ).toBe(
      "it('a', (): void => { expect(100).toBe(101); return (expect(f()).toBe(1)); });\ntest('b', (t) => { if (100 !== 101) throw new Error('100'); t.plan(1); t.ok(f()); });",
    );
    expect(planted('a_test.go', 'func TestA(t *testing.T) {\n}')).toBe(
      'func TestA(t *testing.T) { t.Fatal("100");\n}',
    );
    expect(
      planted('lib.rs', '#[test]\nfn a() -> Result<(), E> { x() }\n#[tokio::test]\nasync fn b() {}'),
    ).toBe(
      '#[test]\nfn a() -> Result<(), E> { assert_eq!(100, 101); x() }\n#[tokio::test]\nasync fn b() { assert_eq!(100, 101);}',
    );
  });
});
