/** A person's mind changes: edits, undos, removals, files of one's own, on a real session with a scripted model. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { ModelScriptInput } from '../../schemas/model-script.ts';
import { auditSession } from '../support/audit.ts';
import { removeHome, tempHome } from '../support/server.ts';
import { type CliResult, type TestSession, makeSession, scriptedModel } from '../support/session.ts';

const RUN = ['run', '--model', 'scripted', '--manager', 'policy'];
const CONTRACTS = `version: 1
project: { name: sums, language: python }
stages: [{ id: core }]
nodes:
  - id: num.pair
    stage: core
    description: 'Pair(a, b): two integers that belong together'
    interface:
      imports: ['from dataclasses import dataclass']
      exports: ["@dataclass(frozen=True)\\nclass Pair:\\n    a: int\\n    b: int"]
      guarantees: ['Two pairs of the same numbers are equal']
  - id: num.sum
    stage: core
    description: 'total(pair) -> int: the sum of the two'
    interface:
      exports: ['def total(pair: Pair) -> int: ...']
      guarantees: ['The result is the sum']
    structural_deps: [num.pair]
`;
const PAIR_CODE =
  'from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Pair:\n    a: int\n    b: int\n';
const SUM_CODE = 'from num.pair import Pair\n\n\ndef total(pair: Pair) -> int:\n    return pair.a + pair.b\n';
const PAIR_SUITE = `from num.pair import Pair


def test_equal():
    assert Pair(1, 2) == Pair(1, 2)
    assert Pair(1, 2) != Pair(2, 1)
    assert (Pair(1, 2).a, Pair(1, 2).b) == (1, 2)
`;
const SUM_SUITE = `from num.pair import Pair
from num.sum import total


def test_sum():
    assert total(Pair(1, 2)) == 3
    assert total(Pair(-4, 1)) == -3
`;
const PAIR = '@dataclass(frozen=True)\nclass Pair:\n    a: int\n    b: int';
const SUM = 'def total(pair: Pair) -> int: ...';

type Rule = ModelScriptInput['rules'][number];
const rule = (
  role: 'test_author' | 'builder',
  node: string,
  path: string,
  content: string,
  exported: string,
): Rule => {
  const covers = ['E1', 'G1'].map((clause) => ({ clause, tests: ['*'] }));
  const submit = {
    status: 'grounded',
    interface: { exports: [exported] },
    ...(role === 'test_author' && { covers }),
  };
  const calls = [
    { name: 'write_file', arguments: { path, content } },
    { name: 'submit_pr', arguments: submit },
  ];
  return { role, node, repeat: true, answer: { tool_calls: calls, hostile: true } };
};
const SCRIPT: ModelScriptInput = {
  version: 1,
  rules: [
    rule('test_author', 'num.pair', 'tests/num_pair/test_pair.py', PAIR_SUITE, PAIR),
    rule('builder', 'num.pair', 'num/pair.py', PAIR_CODE, PAIR),
    rule('test_author', 'num.sum', 'tests/num_sum/test_sum.py', SUM_SUITE, SUM),
    rule('builder', 'num.sum', 'num/sum.py', SUM_CODE, SUM),
  ],
};

let home = '';
let model: Awaited<ReturnType<typeof scriptedModel>>;
let session: TestSession;
beforeAll(async () => {
  [home, model] = [await tempHome(), await scriptedModel(SCRIPT)];
  session = await makeSession({ home, contracts: CONTRACTS });
}, 60_000);
afterAll(async () => {
  await session.remove();
  await model.close();
  await removeHome(home);
});

const at = (...args: string[]): Promise<CliResult> => session.at(args, model.env);
const edit = (from: string | RegExp, to: string): void => {
  const path = session.path('contracts.yaml');
  const text = readFileSync(path, 'utf8');
  expect(text.replace(from, to)).not.toBe(text);
  writeFileSync(path, text.replace(from, to));
};
const ledger = (): string => readFileSync(session.path('events.jsonl'), 'utf8');
const statuses = async (): Promise<Record<string, string>> => {
  const { nodes } = JSON.parse((await at('status', '--json')).out) as {
    nodes: { id: string; status: string }[];
  };
  return Object.fromEntries(nodes.map(({ id, status }) => [id, status]));
};
const calls = async (): Promise<number> =>
  (JSON.parse((await at('status', '--json')).out) as { usage: { calls: number } }).usage.calls;
const files = async (): Promise<string[]> =>
  (await execa('git', ['-C', session.path('content'), 'ls-files'])).stdout.split('\n');
/** What the audit's own fold, chain and branch find; reports and their copies have tests of their own. */
const auditFindings = async (): Promise<unknown> =>
  (await auditSession(session.dir)).findings.filter(({ check }) => !['reports', 'artifacts'].includes(check));
/** Runs the command of a printed `next` line as it stands. */
const next = (result: CliResult): Promise<CliResult> => {
  const line = /^next {2}a7-rt (.*)$/m.exec(result.err + result.out)?.[1] ?? '';
  const words = (line.split(/ (?:opens|shows|agrees|commits)\b/)[0] ?? '').split(' ');
  return at(...words.filter((word) => word !== 'sums'));
};

describe('seed as plan and apply', () => {
  test('keeps sealed work over a new description, and opens a sealed stage before it is voided', async () => {
    expect((await session.at(RUN, model.env)).code).toBe(0);
    const paid = await calls();
    edit('the sum of the two', 'what both make together');
    const told = await at('seed');
    expect([told.code, told.out]).toEqual([
      0,
      expect.stringMatching(/num\.sum\s+changed\s+description\s+all stays/),
    ]);
    const again = await at('run');
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('Every stage is sealed')]);
    edit(/$/, "  - { id: num.more, stage: core, description: 'more() -> int: 1' }\n");
    expect((await at('seed', '--plan')).err).toMatch(
      /sealed stage: num\.more\nnext {2}a7-rt stage-reset sums core opens it again/,
    );
    edit(/ {2}- \{ id: num\.more.*\n$/, '');
    edit('The result is the sum', 'The result is the sum of both');
    const sealed = await at('seed', '--yes');
    expect([sealed.code, sealed.err]).toEqual([
      2,
      expect.stringContaining('Cannot change nodes of a sealed stage: num.sum'),
    ]);
    const opened = await next(sealed);
    expect([opened.code, opened.out]).toEqual([0, expect.stringContaining('Open again: core')]);
    expect((await at('status')).out).toContain('stage core: opened again, nothing moves it: run goes on');
    edit('def total(pair: Pair) -> int: ...', 'def total(pair: Pear) -> int: ...');
    const cannot = await at('seed', '--plan');
    expect([cannot.code, cannot.err]).toEqual([2, expect.stringContaining("'Pear' is not defined")]);
    edit('def total(pair: Pear) -> int: ...', 'def total(pair: Pair) -> int: ...');
    const before = ledger();
    const shown = await at('seed', '--plan');
    expect(shown.out).toMatch(
      /num\.sum\s+changed\s+guarantees\s+a new suite; the code is judged by it\s+1 call/,
    );
    const unasked = await at('seed');
    expect([unasked.code, unasked.err]).toEqual([
      3,
      expect.stringContaining('work of num.sum would be void'),
    ]);
    expect(ledger()).toBe(before);
    expect((await at('seed', '--yes')).code).toBe(0);
    expect(await statuses()).toEqual({ 'num.pair': 'grounded', 'num.sum': 'near' });
    edit('The result is the sum of both', 'The result is the sum');
    const undone = await at('seed');
    expect([undone.code, undone.out]).toEqual([
      0,
      expect.stringContaining('what was made for this contract before counts again'),
    ]);
    expect(await statuses()).toEqual({ 'num.pair': 'grounded', 'num.sum': 'grounded' });
    expect((await at('run')).code).toBe(0);
    expect(await calls()).toBe(paid);
  }, 300_000);

  test("takes a person's file as a builder's work, and judges again what stands on it", async () => {
    const paid = await calls();
    const wrong = join(session.dir, '..', 'wrong.py');
    writeFileSync(wrong, SUM_CODE.replace('+', '-'));
    const closed = await at('replace', 'num.sum', '--file', wrong);
    expect(closed.err).toContain('stage "core" is sealed');
    expect((await next(closed)).code).toBe(0);
    const refused = await at('replace', 'num.sum', '--file', wrong);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('Not replaced: the gate refuses it'),
    ]);
    const mine = join(session.dir, '..', 'mine.py');
    writeFileSync(mine, PAIR_CODE.replace('class Pair:', 'class Pair:\n    """By hand."""\n'));
    const taken = await at('replace', 'num.pair', '--file', mine);
    expect([taken.code, taken.out]).toEqual([0, expect.stringContaining('The gate says PASS')]);
    expect((await next(taken)).code).toBe(0);
    expect(readFileSync(session.path('content/num/pair.py'), 'utf8')).toContain('By hand');
    expect(await calls()).toBe(paid);
    expect(await auditFindings()).toEqual([]);
  }, 300_000);

  test('takes a removed node off the branch, and says that a changed kind is a change', async () => {
    expect((await at('stage-reset', 'core')).code).toBe(0);
    edit('stages: [{ id: core }]', 'stages: [{ id: core, kind: pure }]');
    const pure = await at('seed', '--plan');
    expect(pure.out).toContain('stage core: kind pure instead of io');
    edit('stages: [{ id: core, kind: pure }]', 'stages: [{ id: core }]');
    edit('- id: num.sum', '- id: num.total');
    const renamed = await at('seed', '--plan');
    expect(renamed.out).toMatch(
      /num\.total\s+moved\s+from num\.sum\s+is made anew under its new id.*\b2 calls/,
    );
    expect(renamed.out).not.toMatch(/num\.sum\s+removed/);
    edit('- id: num.total', '- id: num.sum');
    edit(/ {2}- id: num\.sum[\s\S]*$/, '');
    const removed = await at('seed', '--yes');
    expect([removed.code, removed.out]).toEqual([
      0,
      expect.stringMatching(/num\.sum\s+removed\s+leaves the branch/),
    ]);
    expect((await files()).filter((path) => path.includes('sum'))).toEqual([]);
    expect(existsSync(session.path('content/num/sum.py'))).toBe(false);
    expect((await at('run')).code).toBe(0);
    expect(readFileSync(session.path('master.json'), 'utf8')).toMatch(
      /"node_id": "num.sum",\s*"reason": "removed"/,
    );
    expect(await auditFindings()).toEqual([]);
  }, 300_000);
});
