/** Each command that a message prints is one of ours, and takes what is put in as one word, whatever it holds. */
import { describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import fc from 'fast-check';
import { createProgram } from '../../client/cli.ts';
import type { RunFlags } from '../../core/ports/services.ts';
import { typed } from '../../core/text/typed.ts';
import { runCommand } from '../../workers/services/next-step.ts';
import { commandProblem, printedCommands } from '../support/printed-commands.ts';

/** Names that are no commands, and moves behind `act`, which `legalMoves` makes. */
const NAMES = ['commit', 'promote', 'contracts', 'a7rt'];
const root = new URL('../..', import.meta.url).pathname;
const parts = {
  loadServices: () => Promise.reject(new Error('not needed')),
  setUp: () => Promise.resolve(0),
  version: '0',
};

describe('commands in messages', () => {
  const printed = printedCommands(root).filter(({ words }) => !NAMES.includes(words.join(' ')));
  const program = createProgram(parts, () => undefined);

  test('are there', () => {
    expect(printed.length).toBeGreaterThan(150);
  });

  test('are commands of ours, with their arguments and flags', () => {
    const wrong = printed.flatMap(({ place, words }) => {
      if (words.join(' ') === 'act VALUE') return [];
      const problem = commandProblem(program, words);
      return problem === null ? [] : [`${place} a7-rt ${words.join(' ')}: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });

  test('take each value as one word of a shell', () => {
    expect(
      printed.filter(({ isRaw }) => isRaw).map(({ place, words }) => `${place} ${words.join(' ')}`),
    ).toEqual([]);
  });
});

describe('typed()', () => {
  test('gives a shell each value as it is', async () => {
    const values = [
      'shop',
      'my shop',
      "it's",
      '$HOME',
      '`id`',
      'a\nb',
      'größe',
      '',
      '*',
      '~',
      '-x',
      'a;b',
      '"',
      '\\',
    ];
    const command = values.map((value) => typed`${value}`).join(' ');
    const { stdout } = await execa('sh', ['-c', `printf '%s\\0' ${command}`], { cwd: '/' });
    expect(stdout.split('\0').slice(0, -1)).toEqual(values);
  });

  test.each([['price.money'], ['shop/content'], ['größe'], ['http://127.0.0.1:1/v1']])(
    'leaves %s as it is',
    (word) => {
      expect(typed`a7-rt status ${word}`).toBe(`a7-rt status ${word}`);
    },
  );
});

test('runCommand() gives a command that reads back as the same flags', () => {
  const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
  const word = fc.constantFrom('shop', 'my shop', "it's", 'größe', 'a.b');
  const flags: fc.Arbitrary<RunFlags> = fc.record({
    stageId: maybe(word),
    nodes: fc.array(word, { maxLength: 2 }),
    manager: maybe(fc.constantFrom('llm', 'policy', 'human')),
    model: maybe(word),
    subagentModel: maybe(word),
    builderAgent: maybe(word),
    authorAgent: maybe(word),
    baseUrl: maybe(fc.constant('http://127.0.0.1:1/v1')),
    maxCostUsd: maybe(fc.constantFrom(0.5, 3)),
    maxTokens: maybe(fc.integer({ min: 1, max: 9_000 })),
    maxTurns: maybe(fc.integer({ min: 1, max: 90 })),
    drainTurn: maybe(fc.integer({ min: 1, max: 90 })),
    maxInFlight: maybe(fc.integer({ min: 1, max: 9 })),
    strictTurns: fc.boolean(),
    requireWall: fc.boolean(),
    backend: maybe(fc.constantFrom('docker', 'bubblewrap')),
    noWait: fc.boolean(),
    fresh: fc.boolean(),
    adopt: fc.constant(false),
  });
  fc.assert(
    fc.property(word, flags, (dir, given) => {
      const program = createProgram(parts, () => undefined);
      const run = program.commands.find((each) => each.name() === 'run');
      let read: unknown = null;
      run?.action((session: string, options: Record<string, unknown>) => {
        read = { session, ...options };
      });
      program.parse(shellWords(runCommand(dir, given)).slice(1), { from: 'user' });
      const { maxCostUsd, nodes, noWait, adopt: _adopt, ...same } = given;
      const told = Object.entries({ ...same, maxCost: maxCostUsd }).filter(
        ([, value]) => value !== null && value !== false,
      );
      expect(read).toEqual({
        session: dir,
        wait: !noWait,
        ...Object.fromEntries(told),
        ...(nodes.length > 0 && { node: nodes }),
      });
    }),
    { numRuns: 200 },
  );
});

function shellWords(command: string): string[] {
  return (command.match(/(?:'[^']*'|\\'|[^\s'])+/gu) ?? []).map((word) =>
    word.replace(/'([^']*)'|\\(.)/gu, (_all, quoted?: string, escaped?: string) => quoted ?? escaped ?? ''),
  );
}
