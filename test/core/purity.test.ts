import { describe, expect, test } from '@jest/globals';
import { createSymbols } from '../../adapters/symbols/symbols.ts';
import { impureRuns, impureSources } from '../../core/gate/code/purity.ts';
import { resolveContracts } from '../../core/contract/resolve.ts';
import { resolvePlan } from '../../core/gate/plan.ts';
import { judgeCode } from '../../core/gate/code/judge-code.ts';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import { Contracts } from '../../schemas/contract.ts';
import type { Language } from '../../schemas/ids.ts';
import type { ImpureCall } from '../../schemas/runner-report.ts';
import { gateContract } from '../support/gate-contract.ts';
import { gateReport } from '../support/gate-report.ts';

const symbols = createSymbols();

function found(language: Language, text: string): string[] {
  const calls = symbols.calls(language, 'n.x', text);
  return impureSources(language, [{ path: 'n.x', calls }]).map(
    ({ text: said, place }) => `${String(place?.line)} ${/\(([^)]+(?:\(\))?)\);/u.exec(said)?.[1] ?? said}`,
  );
}

describe('impureSources()', () => {
  test.each<[Language, string, string[]]>([
    ['python', 'open("x")\nprint(1)\ninput()', ['1 open', '2 print', '3 input']],
    [
      'python',
      'import time as t\nfrom datetime import datetime as dt\nt.time()\ndt.now()',
      ['3 time.time', '4 datetime.datetime.now'],
    ],
    [
      'python',
      'from os.path import exists\nimport os.path\nexists("x")\nos.getenv("X")',
      ['3 os.path.exists', '4 os.getenv'],
    ],
    ['python', 'def f():\n    import subprocess\n    return subprocess.run(["x"])', ['3 subprocess.run']],
    [
      'python',
      'import random\nrandom.Random()\nrandom.Random(3)\nrandom.shuffle([])',
      ['2 random.Random', '4 random.shuffle'],
    ],
    ['python', 'import time\ntime.strftime("%Y")\ntime.strftime("%Y", time.gmtime(0))', ['2 time.strftime']],
    [
      'python',
      'import time\ndef f(clock=time.time, open=None, *, print=str):\n    return clock() + open() + print(1)',
      [],
    ],
    ['python', 'def open(x): return x\nopen(1)\nclass P:\n    def print(self): self.print()', []],
    ['python', 'print(1, file=buffer)\nx.open()\n# open("x")\n"print(1)"', []],
    ['python', 'import os, sys, json\nos.path.join("a", "b"); json.loads("1"); sys.getsizeof(1)', []],
    [
      'javascript',
      'console.log(1); Date.now(); new Date(); new Date(1); Math.random()',
      ['1 console.log', '1 Date.now', '1 new Date', '1 Math.random'],
    ],
    [
      'javascript',
      "import fs, { readFileSync as read } from 'node:fs';\nfs.promises.stat('x'); read('x')",
      ['2 fs.promises.stat', '2 fs.readFileSync'],
    ],
    [
      'javascript',
      "const { execSync } = require('child_process');\nexecSync('x'); globalThis.fetch('x')",
      ['2 child_process.execSync', '2 fetch'],
    ],
    [
      'javascript',
      "import * as os from 'os';\nos.hostname(); setTimeout(() => {}, 1)",
      ['2 os.hostname', '2 setTimeout'],
    ],
    [
      'typescript',
      'const n: number = performance.now() as number;\nprocess.env["X"]; process.exit(1)',
      ['1 performance.now', '2 process.exit'],
    ],
    [
      'javascript',
      'function f(fetch, { setTimeout }, now = Date.now) { return fetch() + setTimeout() + now(); }',
      [],
    ],
    [
      'javascript',
      "import path from 'node:path'; path.join('a'); JSON.parse('1'); const console = sink; console.log(1)",
      [],
    ],
  ])('%s: %s', (language, text, names) => {
    expect(found(language, text)).toEqual(names);
  });
});

const CALL: ImpureCall = {
  what: 'clock',
  name: 'time.time',
  by: 'Logger.warning',
  file: 'price/money.py',
  line: 3,
};

describe('impureRuns()', () => {
  const own = new Map([['price/money.py', 9]]);

  test('tells one finding a kind with its first place, and leaves out what the sources have shown', () => {
    const [clock, ...more] = impureRuns([CALL, { ...CALL, line: 5 }], own, []);
    expect(more).toEqual([]);
    expect(clock).toMatchObject({ code: 'impure_run', level: 'L1', impurity: 'clock', place: { line: 3 } });
    expect(clock?.text).toContain('(time.time, by way of Logger.warning), and 1 other line');
    const known = impureSources('python', [
      { path: CALL.file, calls: [{ name: 'time.time', line: 3, argCount: 0, keywords: [] }] },
    ]);
    expect(impureRuns([CALL], own, known)).toEqual([]);
  });

  test('believes no place that the code does not have', () => {
    expect(
      impureRuns(
        [
          { ...CALL, line: 10 },
          { ...CALL, file: 'tests/x.py' },
        ],
        own,
        [],
      ),
    ).toEqual([]);
  });

  test('tells a builder the kind alone: in plain its code could have read the suite', () => {
    const contract = gateContract();
    const findings = impureRuns([{ ...CALL, name: 'the suite says 1230' }], own, []);
    const report = gateReport('FAIL', { findings });
    const { items } = builderFeedback(report, contract, null);
    expect(JSON.stringify(items)).not.toMatch(/1230|money\.py|"line"/u);
    expect(items.map(({ note }) => note)).toEqual([expect.stringContaining('asks for the time as it runs')]);
  });
});

test('a node of a pure stage has the step in its plan, and its code is FAIL by it', () => {
  const stages = [
    { id: 'core', kind: 'pure' },
    { id: 'app', kind: 'io' },
  ];
  const node = (id: string, stage: string) => ({
    id,
    stage,
    description: 'x(a) -> int',
    interface: { exports: ['def x(a): ...'] },
  });
  const contracts = Contracts.parse({
    version: 1,
    project: { name: 'p' },
    stages,
    nodes: [node('a.one', 'core'), node('b.two', 'app')],
  });
  const steps = resolveContracts(contracts).map((contract) =>
    resolvePlan(contract).steps.map(({ kind }) => kind),
  );
  expect(steps.map((kinds) => kinds.includes('pure'))).toEqual([true, false]);
  const facts = {
    contract: gateContract(),
    warnings: [],
    locked: null,
    runs: [],
    examples: null,
    ownFiles: new Map(),
  };
  const contractFindings = impureSources('python', [
    { path: 'a', calls: [{ name: 'print', line: 1, argCount: 1, keywords: [] }] },
  ]);
  expect(judgeCode({ ...facts, contractFindings })).toMatchObject({ verdict: 'FAIL', fault: 'builder' });
});
