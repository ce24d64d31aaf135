/**
 * The same verdict on a busy machine (gate.md part 12, docs/decisions/0048-one-clock-for-a-room.md): small nodes that are right,
 * wrong, near the limit of a test, asleep or without end, judged alone and beside processes that never rest. Four nodes; with
 * `A7_TEST_LONG=1` all of them, beside 30 such processes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { GateReport, GateTier } from '../../schemas/report.ts';
import { gateContract } from '../support/gate-contract.ts';
import { lockOfFiles } from '../wall/wall-world.ts';
import { openGateWorld, quickPlan, type GateWorld } from './gate-world.ts';

const IS_LONG = process.env['A7_TEST_LONG'] === '1';
const SPINNERS = IS_LONG ? 30 : 8;
/** Judged at once: as many rooms wait for each other. */
const TOGETHER = 5;
/** Of a test, and what is well below and well above it, as processor time. */
const LIMIT_MS = 1_000;
const [BELOW_S, ABOVE_S] = [LIMIT_MS * 0.00055, LIMIT_MS * 0.00175];

type Expected = 'passed' | 'failed' | 'timed_out';
interface Node {
  readonly name: string;
  readonly language: 'python' | 'javascript';
  readonly tier: GateTier;
  /** Body of `work(n)`, which is to give `n + 1`. */
  readonly body: string;
  readonly expected: Expected;
}

const python = (tier: GateTier, name: string, body: string, expected: Expected): Node => ({
  ...{ name: `python_${tier}_${name}`, language: 'python', tier, body, expected },
});
const script = (tier: GateTier, name: string, body: string, expected: Expected): Node => ({
  ...{ name: `script_${tier}_${name}`, language: 'javascript', tier, body, expected },
});
const pythonBusy = (seconds: number): string =>
  `import time; end = time.process_time() + ${String(seconds)}\n    while time.process_time() < end: pass\n    return n + 1`;
const scriptBusy = (seconds: number): string =>
  `const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
   const end = used() + ${String(seconds)}; while (used() < end); return n + 1;`;
const THREADS = `import threading, time
    done = []
    each = [threading.Thread(target=lambda: (time.sleep(0.2), done.append(1))) for _ in range(50)]
    [one.start() for one in each]; [one.join() for one in each]
    return n + len(done) - 49`;

/** The first four are judged always. */
const NODES: readonly Node[] = [
  python('glass_wall', 'near', pythonBusy(BELOW_S), 'passed'),
  script('glass_wall', 'endless', 'for (;;);', 'timed_out'),
  python('in_process', 'over', pythonBusy(ABOVE_S), 'timed_out'),
  script('in_process', 'near', scriptBusy(BELOW_S), 'passed'),
  python('glass_wall', 'right', 'return n + 1', 'passed'),
  python('glass_wall', 'wrong', 'return n', 'failed'),
  python('glass_wall', 'endless', 'while True: pass', 'timed_out'),
  python('glass_wall', 'asleep', 'import time; time.sleep(60); return n + 1', 'timed_out'),
  python('glass_wall', 'rests', 'import time; time.sleep(1); return n + 1', 'passed'),
  python('glass_wall', 'over', pythonBusy(ABOVE_S), 'timed_out'),
  python('glass_wall', 'threads', THREADS, 'passed'),
  python('in_process', 'near', pythonBusy(BELOW_S), 'passed'),
  python('in_process', 'asleep', 'import time; time.sleep(60); return n + 1', 'timed_out'),
  script('glass_wall', 'right', 'return n + 1;', 'passed'),
  script('glass_wall', 'wrong', 'return n;', 'failed'),
  script('glass_wall', 'near', scriptBusy(BELOW_S), 'passed'),
  script('glass_wall', 'over', scriptBusy(ABOVE_S), 'timed_out'),
  script(
    'glass_wall',
    'asleep',
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
    'timed_out',
  ),
  script('in_process', 'endless', 'for (;;);', 'timed_out'),
  script('in_process', 'wrong', 'return n;', 'failed'),
];
const JUDGED = IS_LONG ? NODES : NODES.slice(0, 4);

function partsOf({ name, language, body }: Node): {
  readonly contract: ResolvedContract;
  readonly suite: Readonly<Record<string, string>>;
  readonly code: string;
} {
  const isPython = language === 'python';
  const [file, path] = isPython
    ? [`shop/${name}.py`, `tests/shop_${name}/test_it.py`]
    : [`shop/${name}.mjs`, `tests/shop_${name}/it.test.mjs`];
  const line = isPython ? `from shop.${name} import work` : `import { work } from '../../${file}';`;
  const none = { raises: [], guarantees: [], imports: [], assumptions: [], inert: [] };
  const declaration = isPython ? 'def work(n: int) -> int: ...' : 'export function work(n: number): number;';
  const contract = gateContract({
    ...{ id: `shop.${name}`, language, files: [file], contentFile: file, importLine: line },
    tests: [`tests/shop_${name}/**`],
    interface: { ...none, exports: [declaration] },
  });
  const suite = isPython
    ? `${line}\ndef test_work():\n    assert work(1) == 2\n`
    : `import test from 'node:test';\nimport assert from 'node:assert/strict';\n${line}\ntest('test_work', () => assert.equal(work(1), 2));\n`;
  const code = isPython ? `def work(n):\n    ${body}\n` : `export function work(n) { ${body} }\n`;
  return { contract, suite: { [path]: suite }, code };
}

async function judge(world: GateWorld, node: Node): Promise<GateReport> {
  const { contract, suite, code } = partsOf(node);
  const [file = ''] = Object.keys(suite);
  const locked = lockOfFiles(suite, [{ file, nesting: [], name: 'test_work', ordinal: 0 }], node.tier);
  const texts = { 'shop/__init__.py': '', [contract.contentFile]: code, ...suite };
  const plan = quickPlan(contract, { wallMs: 30_000, testTimeoutMs: LIMIT_MS, processesMax: 128 });
  return (await world.code(contract, texts, locked, plan)).report;
}

/** What of a report is about the code. */
function told({ verdict, fault, levels, tests }: GateReport): object {
  const findings = levels.flatMap((level) => level.findings);
  const outcomes = findings.map(({ code, outcome }) => [code, outcome ?? null]);
  return { verdict, fault, outcomes, tests: tests.map((line) => line.outcome) };
}

/** In a session of its own, since the kernel may give all processes of one together the share of one. */
function spin(): ChildProcess {
  return spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore', detached: true });
}

let world: GateWorld;
let spinners: ChildProcess[] = [];
beforeAll(async () => {
  world = await openGateWorld();
});
afterEach(() => {
  for (const each of spinners.splice(0)) each.kill('SIGKILL');
});
afterAll(async () => {
  await world.close();
});

describe('verifySnapshot()', () => {
  const long = IS_LONG ? 1_500_000 : 180_000;
  test(
    `says of ${String(JUDGED.length)} nodes the same beside ${String(SPINNERS)} processes that never rest`,
    async () => {
      const quiet: object[] = [];
      for (const node of JUDGED) quiet.push(told(await judge(world, node)));
      for (const [at, { name, expected }] of JUDGED.entries()) {
        const verdict = expected === 'passed' ? 'PASS' : 'FAIL';
        const outcome = expected === 'failed' ? 'wrong_value' : expected;
        expect([name, quiet[at]]).toEqual([name, expect.objectContaining({ verdict })]);
        if (expected !== 'passed')
          expect([name, JSON.stringify(quiet[at])]).toEqual([name, expect.stringContaining(outcome)]);
      }
      spinners = Array.from({ length: SPINNERS }, () => spin());
      const busy: object[] = [];
      for (let at = 0; at < JUDGED.length; at += TOGETHER) {
        const few = JUDGED.slice(at, at + TOGETHER).map(async (node) => told(await judge(world, node)));
        busy.push(...(await Promise.all(few)));
      }
      expect(JUDGED.map(({ name }, at) => [name, busy[at]])).toEqual(
        JUDGED.map(({ name }, at) => [name, quiet[at]]),
      );
    },
    long,
  );
});
