import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAMILIES } from '../attacks/attack.ts';

const repository = join(import.meta.dirname, '../..');

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'a7-entry-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

describe('bin/a7-rt', () => {
  test('says in one line what to run where nothing is built', async () => {
    cpSync(join(repository, 'bin'), join(root, 'bin'), { recursive: true });
    cpSync(join(repository, 'package.json'), join(root, 'package.json'));
    const result = await execa('node', [join(root, 'bin/a7-rt.mjs'), '--help'], { reject: false });
    expect([result.exitCode, result.stdout, result.stderr]).toEqual([
      4,
      '',
      'Cannot start a7-rt: it is not built here. Run "npm run setup" in its folder first',
    ]);
  });
});

describe('withBuildLock()', () => {
  const program = (lock: string): string => `
    import { withBuildLock } from ${JSON.stringify(join(repository, 'scripts/build-lock.mjs'))};
    import { appendFileSync } from 'node:fs';
    import { setTimeout as delay } from 'node:timers/promises';
    await withBuildLock(${JSON.stringify(lock)}, async () => {
      appendFileSync(${JSON.stringify(join(root, 'log'))}, 'in ');
      await delay(150);
      appendFileSync(${JSON.stringify(join(root, 'log'))}, 'out ');
    });`;
  const run = (lock: string) => execa('node', ['--input-type=module', '-e', program(lock)]);

  test('lets one process in at a time and leaves no lock behind', async () => {
    const lock = join(root, 'lock');
    await Promise.all([run(lock), run(lock), run(lock)]);
    expect(readFileSync(join(root, 'log'), 'utf8')).toBe('in out '.repeat(3));
    expect(existsSync(lock)).toBe(false);
  });

  test('takes over the lock of a process that is gone', async () => {
    const lock = join(root, 'lock');
    const gone = await execa('node', ['-e', 'console.log(process.pid)']);
    writeFileSync(lock, gone.stdout);
    await run(lock);
    expect(readFileSync(join(root, 'log'), 'utf8')).toBe('in out ');
  });
});

describe('npm run attack', () => {
  test('offers the families that the corpus has', async () => {
    const { stderr } = await execa('node', ['scripts/attack.mjs', '--help'], { cwd: repository });
    expect([...stderr.matchAll(/"([^"]+)"/g)].map(([, name]) => name)).toEqual([...FAMILIES]);
  });
});

describe('bundleProgram()', () => {
  test('says so when the SDK no longer holds what it changes there', async () => {
    const folder = join(root, 'node_modules/@temporalio/worker/lib/workflow');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'threaded-vm.js'), 'module.exports = 1;');
    const program = join(repository, 'scripts/build/program.mjs');
    const result = await execa('node', [program, join(folder, 'threaded-vm.js'), join(root, 'out.cjs')], {
      reject: false,
    });
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain("is not in the SDK's module any more; see scripts/build/program.mjs");
    expect(existsSync(join(root, 'out.cjs'))).toBe(false);
  });
});

describe('the workflow bundle', () => {
  test('keeps the places of its sources and not their texts, which every worker would parse', () => {
    const code = readFileSync(join(repository, 'dist/workflow-bundle.js'), 'utf8');
    const text = Buffer.from(code.slice(code.lastIndexOf('base64,') + 'base64,'.length), 'base64').toString();
    const map = JSON.parse(text) as { sources: string[]; mappings: string };
    expect(map).not.toHaveProperty('sourcesContent');
    expect(map.sources.some((source) => source.endsWith('workflows/build-stage.ts'))).toBe(true);
    expect(map.mappings.length).toBeGreaterThan(1_000);
  });
});
