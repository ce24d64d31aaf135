/** From the tarball to a first node of one's own, by the commands that the page tells and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { HONEST_SCRIPT, firstHourCommands, writeOwnNode } from '../../scripts/matrix/first-hour.mjs';
import { type PackedPackage, layPackage, packPackage } from '../../scripts/matrix/package.mjs';
import { removeHome, tempHome } from '../support/server.ts';
import { scriptedModel } from '../support/session.ts';

const COMMANDS_MAX = 5;
/** Stated in docs/first-stage.md. */
const PACKED_BYTES_MAX = 5_000_000;

let folder = '';
let home = '';
let packed: PackedPackage;

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'a7-first-hour-'));
  home = await tempHome();
  packed = await packPackage(folder);
  await layPackage(packed.path, folder);
}, 120_000);
afterAll(async () => {
  await removeHome(home);
  rmSync(folder, { recursive: true, force: true });
});

async function sh(line: string, env: Readonly<Record<string, string>> = {}) {
  const result = await execa('sh', ['-c', line], {
    cwd: folder,
    reject: false,
    all: true,
    extendEnv: false,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      ...(process.env['A7_CACHE'] === undefined ? {} : { A7_CACHE: process.env['A7_CACHE'] }),
      A7_HOME: home,
      A7_SANDBOX: 'bubblewrap',
      A7_MUTATION_SECONDS: '0',
      ...env,
    },
  });
  return { code: result.exitCode, text: result.all };
}

describe('the package', () => {
  test('holds programs, documents, licence and what set-up needs; no sources, no caches of another Node', () => {
    const needed = [
      'README.md', 'LICENSE', 'CHANGELOG.md', 'docs/cookbook.md',
      'docs/first-stage.md', 'docs/errors.md',
      'bin/a7-rt.mjs', 'dist/bundle/cli.cjs', 'dist/workflow-bundle.js', 'scripts/setup.mjs',
      'scripts/setup/set-up.mjs', 'sandbox/image/versions.json', 'examples/templates/init/contracts.yaml',
    ]; // prettier-ignore
    expect(needed.filter((path) => !packed.files.includes(path))).toEqual([]);
    expect(
      packed.files.filter((path) =>
        /\.cache$|tsbuildinfo|test-programs|^(test|core|node_modules)\//.test(path),
      ),
    ).toEqual([]);
    expect(packed.bytes).toBeLessThan(PACKED_BYTES_MAX);
  });

  test('says what to run where set-up has not run, and says it by its own name', async () => {
    const cache = join(folder, 'empty-cache');
    const { code, text } = await sh('npx a7-rt doctor', { A7_CACHE: cache });
    expect([code, text]).toEqual([4, expect.stringContaining('next npx a7-rt setup')]);
    expect(text).not.toContain('npm run');
    const checked = await sh('npx a7-rt setup --check', { A7_CACHE: cache, A7_TEMPORAL: '/nowhere' });
    expect([checked.code, checked.text]).toEqual([
      1,
      expect.stringContaining('A7_TEMPORAL names "/nowhere"'),
    ]);
    expect(existsSync(cache)).toBe(false);
  });
});

test('the page about the first stage tells the same commands', () => {
  const [, block = ''] = /^```sh\n([\s\S]*?)^```/m.exec(readFileSync('docs/first-stage.md', 'utf8')) ?? [];
  const lines = block.split('\n').map((line) => line.replace(/\s+#.*$/u, '').trim());
  expect(lines.filter(Boolean)).toEqual(firstHourCommands());
});

test(`the first hour: at most ${String(COMMANDS_MAX)} commands to a grounded node of one's own`, async () => {
  const commands = firstHourCommands();
  expect(commands.length).toBeLessThanOrEqual(COMMANDS_MAX);
  const [install, setUp, init, key, run, ...none] = commands;
  expect([install, key, none]).toEqual(['npm install a7-rt', 'export OPENAI_API_KEY=...', []]);
  expect(await sh(`${setUp ?? ''} && ${init ?? ''}`)).toMatchObject({ code: 0 });
  writeOwnNode(join(folder, 'shop'));
  const model = await scriptedModel(HONEST_SCRIPT);
  const built = await sh((run ?? '').replace('NAME', 'scripted'), model.env);
  await model.close();
  expect([built.code, built.text]).toEqual([
    0,
    expect.stringContaining('Seeded 1 node of shop/contracts.yaml'),
  ]);
  expect(built.text).toContain('1 of 1 node grounded');
  expect(readFileSync(join(folder, 'shop/content/price/money.py'), 'utf8')).toContain('int(cents)');
}, 180_000);

test('a hook is not tied to a folder that npx empties', async () => {
  const npx = join(folder, '_npx');
  symlinkSync(join(folder, 'node_modules'), npx);
  writeFileSync(join(folder, 'verify.yaml'), '');
  const { code, text } = await sh(`node ${join(npx, '.bin/a7-rt')} gate run --install-hook`);
  expect([code, text]).toEqual([2, expect.stringContaining('npm install --global a7-rt')]);
});

test('a reader that goes away is no fault', async () => {
  const { text } = await sh('{ node_modules/.bin/a7-rt --help; echo "code $?" >&2; } | true');
  expect(text).toBe('code 0');
});
