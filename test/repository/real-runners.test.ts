/**
 * Runners of Node as a registry has them, from `gate init` to the verdict: what each prints is counted, by its newest form. Only
 * with A7_TEST_RUNNERS=1 a registry is asked, and a runner started.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RepositoryReport } from '../../schemas/repository-report.ts';
import { TestRunner } from '../../schemas/verify-profile.ts';
import { createGateServices } from '../../workers/services/gate/index.ts';
import { plainGit, tempFolder, type TempFolder } from '../support/git-repo.ts';

/** How each is started by `npm test`, and a file of two tests in its words; `{lie}` is where a process would be ended. */
const RUNNERS: Readonly<
  Record<
    string,
    { readonly version: string; readonly file: string; readonly text: string; readonly older?: string }
  >
> = {
  jest: {
    version: '30.5.2',
    file: 'add.test.js',
    text: "const { add } = require('./index.js');\ntest('one', () => { expect(add(1, 2)).toBe(3); });\ntest('two', () => { {lie} });\n",
  },
  vitest: {
    version: '4.1.12',
    // The last one whose workers are those of tinypool.
    older: '3.2.4',
    file: 'add.test.js',
    text: "import { expect, test } from 'vitest';\nimport { add } from './index.js';\ntest('one', () => { expect(add(1, 2)).toBe(3); });\ntest('two', () => { {lie} });\n",
  },
  mocha: {
    version: '11.8.0',
    file: 'test/add.js',
    text: "const { strictEqual } = require('node:assert');\nconst { add } = require('../index.js');\ndescribe('add', () => {\n  it('one', () => strictEqual(add(1, 2), 3));\n  it('two', () => { {lie} });\n});\n",
  },
  ava: {
    version: '6.4.1',
    file: 'test.js',
    text: "const test = require('ava');\nconst { add } = require('./index.js');\ntest('one', (t) => t.is(add(1, 2), 3));\ntest('two', (t) => { {lie} t.pass(); });\n",
  },
  tape: {
    version: '5.9.0',
    file: 'test/add.js',
    text: "const test = require('tape');\nconst { add } = require('../index.js');\ntest('one', (t) => { t.equal(add(1, 2), 3); t.end(); });\ntest('two', (t) => { {lie} t.pass(); t.end(); });\n",
  },
};
const SCRIPTS: Readonly<Record<string, string>> = { tape: 'tape test/*.js' };
const INDEX = 'exports.add = (a, b) => a + b;\n';

const gate = createGateServices({ env: process.env });
let folder: TempFolder;

beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(() => folder.remove());

test('every runner that is a package is among them', () => {
  const own = new Set(['pytest', 'node_test', 'tap']);
  const packages = TestRunner.options.filter((name) => !own.has(name));
  expect(Object.keys(RUNNERS).toSorted()).toEqual(packages.toSorted());
});

if (process.env['A7_TEST_RUNNERS'] === '1')
  test.each(
    Object.entries(RUNNERS).flatMap(([name, { version, older }]) =>
      [version, older].flatMap((each) => (each === undefined ? [] : [[name, each] as const])),
    ),
  )('%s %s of a registry is tried, and judged', async (name, version) => {
    const repo = join(folder.path, `${name}-${version}`);
    const { file, text } = RUNNERS[name] ?? { file: '', text: '' };
    const manifest = {
      name: 'adds',
      scripts: { test: SCRIPTS[name] ?? name },
      devDependencies: { [name]: version },
    };
    await mkdir(dirname(join(repo, file)), { recursive: true });
    const write = async (path: string, content: string): Promise<void> =>
      writeFile(join(repo, path), content);
    await write('package.json', JSON.stringify(manifest));
    await write('index.js', INDEX);
    await write(file, text.replace('{lie}', ''));
    plainGit(['init', '--quiet', '--initial-branch=main'], { cwd: repo });
    const made = await gate.init(repo, null, true);
    if (!made.ok) throw new Error(JSON.stringify(made));
    expect(made.value.trial).toEqual({
      verdict: 'PASS',
      text: `${name} tests: 2 passed, 0 failed, 0 skipped`,
    });
    expect(await readFile(join(repo, 'verify.yaml'), 'utf8')).toContain(`'${name}@${version}'`);
    await write('index.js', INDEX.replace('+', '-'));
    const broken = await judged(repo);
    expect([broken.verdict, broken.fault]).toEqual(['FAIL', 'builder']);
    await write('index.js', INDEX);
    await write(file, text.replace('{lie}', 'process.exit(0);'));
    expect((await judged(repo)).verdict).not.toBe('PASS');
    await write(file, text.replace(/^.*'one'.*\n/mu, '').replace('{lie}', ''));
    expect((await judged(repo)).verdict).toBe('INVALID');
  });

async function judged(repo: string): Promise<RepositoryReport> {
  const asked = { repo, kind: 'work_tree', revision: null, acceptPlan: true, backend: 'bubblewrap' } as const;
  const result = await gate.run(asked, new AbortController().signal);
  if (!result.ok) throw new Error(JSON.stringify(result));
  return result.value.report;
}
