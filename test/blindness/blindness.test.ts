/**
 * Blindness as a property (G4), end to end: marks in every hidden file reach no role, and a builder that meets two different
 * hidden suites receives the same bytes.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { z } from 'zod';
import { runBlind, type BlindRun } from './blind-project.ts';
import { CANARY_SUITE, CODE_MARK, PLAIN_SUITE, SUITE_MARK } from './canaries.ts';

const TIMEOUT_MS = 240_000;

let root: string;
let marked: BlindRun;
let plain: BlindRun;

beforeAll(async () => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'a7-blind-'));
  mkdirSync(join(root, 'home'));
  [marked, plain] = await Promise.all([
    runBlind(root, 'marked', CANARY_SUITE),
    runBlind(root, 'plain', PLAIN_SUITE),
  ]);
}, TIMEOUT_MS);
afterAll(async () => {
  await execa('node', ['bin/a7-rt.mjs', 'down'], { env: { A7_HOME: join(root, 'home') }, reject: false });
  rmSync(root, { recursive: true, force: true });
});

function holds(text: string, mark: string): boolean {
  return text.toLowerCase().includes(mark.toLowerCase());
}

/** Lines that hold a mark. */
function leaks(text: string, mark: string): string[] {
  return text.split('\n').filter((line) => holds(line, mark));
}

/** What tools answered in a request. */
function toolTexts(body: string): string[] {
  const { messages } = Request.parse(JSON.parse(body));
  return messages.flatMap((message) => (message.role === 'tool' ? [message.content ?? ''] : []));
}

const Request = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.string().nullable() })),
});

const git = async (dir: string, ...args: string[]): Promise<string> =>
  (await execa('git', ['--git-dir', join(dir, 'store.git'), ...args], { maxBuffer: 1e8 })).stdout;

/** Every path and blob below the trees that tools gave the agents of a role; what the gate joined for itself is none of them. */
async function shadowTexts(dir: string, node: string, initial: 'b' | 't'): Promise<string> {
  const refs = (await git(dir, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/a7/shadow')).split(
    '\n',
  );
  const own = new RegExp(`^refs/a7/shadow/${node.replace('.', '\\.')}\\.${initial}\\d+/(base|t\\d+) `, 'u');
  const trees = refs.filter((line) => own.test(line));
  // The tree it starts from, and one for each turn that changed something.
  expect(trees.length).toBeGreaterThan(1);
  const texts: string[] = [];
  for (const tree of trees.map((line) => line.split(' ')[1] ?? '')) {
    for (const entry of (await git(dir, 'ls-tree', '-r', '-t', tree)).split('\n')) {
      texts.push(entry);
      const blob = /^\d+ blob ([0-9a-f]{40})/u.exec(entry)?.[1];
      if (blob !== undefined) texts.push(await git(dir, 'cat-file', 'blob', blob));
    }
  }
  return texts.join('\n');
}

describe('what a role receives', () => {
  test.each(['num.sign', 'num.abs'])('the builder of %s is sent no word of a suite', (node) => {
    const sent = marked.sent('builder', node);
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter((body) => holds(body, SUITE_MARK))).toEqual([]);
  });

  test('the spy that raised the text of the suite is told that it raised, and no name of a test', () => {
    const told = toolTexts(marked.sent('builder', 'num.sign').at(-1) ?? '');
    expect(told.join('\n')).toContain('(other) at num/sign.py:');
    expect(told.filter((text) => text.includes('test_'))).toEqual([]);
  });

  test('a test author is sent no word of an implementation', () => {
    const sent = marked.sent('test_author', 'num.abs');
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.filter((body) => holds(body, CODE_MARK))).toEqual([]);
  });

  test('the trees of builders hold no file of a suite, those of test authors none of an implementation', async () => {
    for (const node of ['num.sign', 'num.abs'])
      expect([node, leaks(await shadowTexts(marked.dir, node, 'b'), SUITE_MARK)]).toEqual([node, []]);
    expect(leaks(await shadowTexts(marked.dir, 'num.abs', 't'), CODE_MARK)).toEqual([]);
  });

  test('the log of a builder holds no word of a suite', () => {
    for (const node of ['num.sign', 'num.abs']) {
      const folder = join(marked.dir, 'sessions', node);
      const logs = readdirSync(folder).filter((name) => /\.b\d/u.test(name));
      expect(logs.length).toBeGreaterThan(0);
      for (const log of logs) expect(holds(readFileSync(join(folder, log), 'utf8'), SUITE_MARK)).toBe(false);
    }
  });

  test('the marks were there to be found: suite and code were committed with them', async () => {
    const { stdout } = await execa('git', [
      '-C',
      join(marked.dir, 'content'),
      'grep',
      '-il',
      SUITE_MARK,
      'main',
    ]);
    expect(stdout.split('\n')).toHaveLength(3);
    const code = await execa('git', ['-C', join(marked.dir, 'content'), 'grep', '-l', CODE_MARK, 'main']);
    expect(code.stdout).toBe('main:num/sign.py');
  });
});

describe('one builder and two hidden suites', () => {
  test('the builder receives the same bytes up to the first verdict, which tells of the calls that its code got', () => {
    const [first, second] = [marked.sent('builder', 'num.sign'), plain.sent('builder', 'num.sign')];
    expect(first.length).toBeGreaterThan(1);
    expect(second).toHaveLength(first.length);
    expect(second[0]).toBe(first[0]);
  });

  test('a builder whose own suite is the same receives the same bytes to the end', () => {
    const [first, second] = [marked.sent('builder', 'num.abs'), plain.sent('builder', 'num.abs')];
    expect(first.length).toBeGreaterThan(0);
    expect(second).toEqual(first);
  });
});
