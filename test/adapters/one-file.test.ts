import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execa } from 'execa';
import { oneFile } from '../../adapters/runner-files/one-file.ts';
import { readRunnerFiles } from '../../adapters/runner-files/runner-files.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a7-one-file-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const joined = (files: Record<string, string>, ...parts: string[]): string =>
  oneFile(parts, new Map(Object.entries(files)), 'program.cjs');

/** What the program prints, and its exit code. */
async function run(text: string): Promise<{ stdout: string; exitCode: number | undefined }> {
  const path = join(folder, 'program.cjs');
  await writeFile(path, text);
  const { stdout, exitCode } = await execa('node', [path], { reject: false });
  return { stdout, exitCode };
}

describe('oneFile()', () => {
  it('joins a program with what it imports: names, other names, defaults, builtin modules', async () => {
    const text = joined(
      {
        'main.mjs':
          "import path, { sep as mark } from 'node:path';\nimport shout, {\n  twice,\n  LIMIT as limit,\n} from './a.mjs';\n" +
          'console.log(shout(twice(limit)), path.join(mark, await 1 + ""), import.meta.url.endsWith("program.cjs"));\n',
        'a.mjs':
          "import { two } from './b.mjs';\nexport const LIMIT = 4;\nexport function twice(n) {\n  return n * two;\n}\n" +
          'export default (n) => `${n}!`;\n',
        'b.mjs': 'export const two = 2;\n',
      },
      'main.mjs',
    );
    expect(await run(text)).toEqual({ stdout: '8! /1 true', exitCode: 0 });
  });

  it('joins programs of several folders, each with its own place', async () => {
    const text = joined(
      {
        'main.mjs': "import { there } from './wall/a.mjs';\nconsole.log(there);\n",
        'wall/a.mjs':
          "import { up } from '../up.mjs';\nexport const there = up + new URL('./b.mjs', import.meta.url).pathname;\n",
        'up.mjs': "export const up = 'up ';\n",
      },
      'main.mjs',
    );
    expect((await run(text)).stdout).toBe(`up ${join(folder, 'wall/b.mjs')}`);
  });

  it('runs a module once, in the order of imports, and one that is imported by a call when it is', async () => {
    const text = joined(
      {
        'first.mjs': "import { say } from './shared.mjs';" + "\nsay('first');\n",
        'main.mjs':
          "import { say } from './shared.mjs';\nsay('main');\nconst { late } = await import('./late.mjs');\nsay(late);\n",
        'late.mjs': "import { say } from './shared.mjs';\nsay('loaded');\nexport const late = 'late';\n",
        'shared.mjs': "console.log('once');\nexport const say = (text) => console.log(text);\n",
      },
      'first.mjs',
      'main.mjs',
    );
    expect((await run(text)).stdout.split('\n')).toEqual(['once', 'first', 'main', 'loaded', 'late']);
  });

  it('ends as Node ends a module: code 13 where it waits for what never comes, 1 where it fails', async () => {
    expect((await run(joined({ 'main.mjs': 'await new Promise(() => {});\n' }, 'main.mjs'))).exitCode).toBe(
      13,
    );
    expect((await run(joined({ 'main.mjs': "throw new Error('no');\n" }, 'main.mjs'))).exitCode).toBe(1);
  });

  it.each([
    [
      'a circle',
      {
        'main.mjs': "import { a } from './a.mjs';\n",
        'a.mjs': "import { b } from './main.mjs';\nexport const a = 1;\n",
      },
      'it imports itself',
    ],
    ['a package', { 'main.mjs': "import swc from 'swc';\n" }, 'it imports "swc"'],
    [
      'a module that is not there',
      { 'main.mjs': "import { a } from './a.mjs';\n" },
      'there is no such program',
    ],
    ['a list of exports', { 'main.mjs': 'const a = 1;\nexport { a };\n' }, 'is not a known form'],
    ['an import of all names', { 'main.mjs': "import * as a from 'node:fs';\n" }, 'is not a known form'],
  ])('refuses %s', (_what, files, reason) => {
    expect(() => joined(files as Record<string, string>, 'main.mjs')).toThrow(reason);
  });
});

describe('readRunnerFiles() and programs in one file', () => {
  it('lays each of them, and each can be parsed', async () => {
    const files = (await readRunnerFiles('sandbox/runner')).files('javascript');
    const whole = files.filter((file) => file.path.endsWith('.cjs'));
    expect(whole.map((file) => file.path).sort()).toEqual([
      'javascript/suite/child.cjs',
      'javascript/suite/runner.cjs',
      'javascript/wall/builder_side/builder.cjs',
    ]);
    for (const { path, bytes } of whole) {
      const copy = join(folder, basename(path));
      await writeFile(copy, bytes);
      expect((await execa('node', ['--check', copy])).exitCode).toBe(0);
    }
  });
});
