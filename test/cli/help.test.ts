import { describe, expect, test } from '@jest/globals';
import { expectGolden } from '../support/golden.ts';
import { cli } from '../support/session.ts';

const COMMANDS = [
  'setup',
  'init',
  'seed',
  'status',
  'why',
  'narrative',
  'board',
  'act',
  'graph',
  'completion',
  'report',
  'verify',
  'attest',
  'challenge',
  'sandbox',
  'ledger',
  'run',
  'halt',
  'input',
  'worker',
  'up',
  'down',
  'model-server',
  'config',
  'lint-contracts',
  'models',
  'doctor',
  'gate',
  'contract draft',
  'gate run',
  'submit',
  'promote',
];

describe('a7-rt --help', () => {
  test('lists the commands, with examples, environment and exit codes', async () => {
    const { code, out, err } = await cli(['--help']);
    expect([code, err]).toEqual([0, '']);
    expectGolden('cli/help.out.txt', `${out}\n`);
  });

  test.each(COMMANDS)('%s --help shows its arguments and options with their defaults', async (command) => {
    const { code, out } = await cli([...command.split(' '), '--help']);
    expect(code).toBe(0);
    expectGolden(`cli/help-${command.replace(' ', '-')}.out.txt`, `${out}\n`);
  });
});

describe('wrong use of a7-rt', () => {
  test.each([
    [['rnu', 'shop'], "unknown command 'rnu'\n(Did you mean run?)"],
    [['run'], "missing required argument 'session'"],
    [['run', 'shop', '--modle', 'x'], "unknown option '--modle'\n(Did you mean --model?)"],
    [
      ['run', 'shop', '--max-cost', '-1'],
      `option '--max-cost <usd>' argument '-1' is invalid. must be a positive number: current value is "-1"`,
    ],
    [
      ['run', 'shop', '--max-turns', '2.5'],
      `option '--max-turns <count>' argument '2.5' is invalid. must be a whole number: current value is "2.5"`,
    ],
    [
      ['run', 'shop', '--manager', 'me'],
      "option '--manager <kind>' argument 'me' is invalid. Allowed choices are llm, policy, human.",
    ],
    [['gate', 'run', '--repo'], "option '--repo <folder>' argument missing"],
    [['init', 'a', 'b'], "too many arguments for 'init'. Expected 1 argument but got 2."],
  ])('%j is one error, its next step, and exit code 2', async (args, message) => {
    const result = await cli(args);
    const own = message.startsWith('unknown command') ? [] : args.slice(0, args[0] === 'gate' ? 2 : 1);
    expect(result).toEqual({
      code: 2,
      out: '',
      err: `error ${message}\nnext  ${['a7-rt', ...own, '--help'].join(' ')}`,
    });
  });

  test('a wrong action is one JSON document where that was asked for', async () => {
    const { code, out } = await cli(['ledger', 'check', 'shop', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ ok: false, exitCode: 2, nextStep: 'a7-rt ledger verify shop' });
  });

  test('a problem of the machine is one JSON document where that was asked for', async () => {
    const { code, out, err } = await cli(['up', '--json'], { env: { A7_HOME: '/proc/nowhere' } });
    expect([code, err]).toEqual([4, '']);
    expect(JSON.parse(out)).toMatchObject({ ok: false, exitCode: 4, problems: [{}] });
  });

  test('wrong flags are one JSON document where that was asked for', async () => {
    const { code, out, err } = await cli(['run', 'shop', '--modle', 'x', '--json']);
    expect([code, err.split('\n')[0]]).toEqual([2, "error unknown option '--modle'"]);
    const problems = [{ message: "unknown option '--modle'", suggestion: 'Did you mean --model?' }];
    expect(JSON.parse(out)).toEqual({ ok: false, exitCode: 2, problems, nextStep: 'a7-rt --help' });
  });
});
