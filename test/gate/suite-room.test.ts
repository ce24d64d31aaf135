/** A suite judged in one room: each step finds what a new room has, and what ends oddly is done again apart (decision 0014). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { gateContract } from '../support/gate-contract.ts';
import { MONEY_TESTS } from '../support/money-suite.ts';
import { openGateWorld, type GateWorld } from './gate-world.ts';

const HEAD = 'import os\nimport socket\nimport pytest\nfrom price.money import parse_money\n\n';
const RUNS = [
  'stubs-price.money-1',
  'stub-raise',
  'stub-none',
  'stub-wrong',
  'again-raise',
  'again-none',
  'stub-through',
];

let world: GateWorld;

beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

async function judged(body: string, more: Readonly<Record<string, string>> = {}) {
  const texts = {
    'price/__init__.py': '',
    'tests/price_money/test_money.py': HEAD + body + MONEY_TESTS,
    ...more,
  };
  const { report } = await world.suite(gateContract(), texts, { R1: ['*'], G1: ['*'] });
  return { verdict: report.verdict, names: report.commands.map(({ name }) => name) };
}

describe('judgeInOneRoom()', () => {
  test('tells of each run as of a room of its own', async () => {
    expect(await judged('')).toEqual({ verdict: 'PASS', names: [...RUNS, 'wall-scan'] });
  });

  test.each<[string, string]>([
    [
      'a file in any folder that may be written, and closed folders',
      [
        "for place in ('/tmp', '/dev/shm', '/work', os.path.dirname(__file__)):",
        "    os.mkdir(place + '/left')",
        "    os.mkdir(place + '/left/inner')",
        "    os.chmod(place + '/left/inner', 0)",
        "    os.chmod(place + '/left', 0)",
        '',
      ].join('\n'),
    ],
    [
      'a process that holds a name',
      [
        'held = socket.socket(socket.AF_UNIX)',
        "held.bind('\\0left')",
        'if os.fork() == 0:',
        '    os.setsid()',
        '    os.dup2(os.open(os.devnull, os.O_RDWR), 1)',
        '    import time',
        '    time.sleep(60)',
        '    os._exit(0)',
        '',
      ].join('\n'),
    ],
    ['a changed module of the library', "assert not hasattr(os, 'left')\nos.left = True\n"],
  ])('no run finds what another one left: %s', async (_what, body) => {
    // Whatever is found makes the import fail, and a suite that does not load is never PASS.
    expect(await judged(body)).toEqual({ verdict: 'PASS', names: [...RUNS, 'wall-scan'] });
  });

  test.each<[string, string]>([
    ['ends the process above it', 'os.kill(os.getppid(), 9) if os.getppid() != 1 else None\n'],
    ['ends without a report', 'os._exit(0) if os.getppid() != 1 else None\n'],
    ['leaves a file beside the report', "open('/out/left', 'w') if os.getppid() != 1 else None\n"],
  ])('gives each run a room of its own to a suite that %s', async (_what, body) => {
    const { verdict, names } = await judged(body);
    expect({ verdict, names }).toEqual({
      verdict: 'PASS',
      names: ['suite-room', ...RUNS, 'wall-scan'],
    });
  });

  test('lets nobody read or write the process above the runs', async () => {
    const body = [
      'if os.getppid() != 1:',
      "    for name in ('mem', 'fd', 'environ'):",
      "        path = f'/proc/{os.getppid()}/{name}'",
      '        try:',
      "            os.listdir(path) if name == 'fd' else open(path, 'rb').close()",
      '        except PermissionError:',
      '            continue',
      '        raise RuntimeError(path)',
      '',
    ].join('\n');
    expect((await judged(body)).verdict).toBe('PASS');
  });
});
