/** Examples are tried on stubs at `seed`: what cannot be evaluated is refused with its line, and honest forms stay. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { canBe, resultType } from '../../core/contract/example-types.ts';
import { seed } from '../../workers/services/seed.ts';
import { removeHome, tempHome } from '../support/server.ts';
import { CONSENTED, type TestSession, makeSession } from '../support/session.ts';

let home = '';
let session: TestSession;
beforeAll(async () => {
  home = await tempHome();
  session = await makeSession({ home, seed: false });
});
afterAll(async () => {
  await session.remove();
  await removeHome(home);
});

interface NodeText {
  readonly language: 'python' | 'javascript' | 'typescript';
  readonly exports: readonly string[];
  readonly raises?: readonly string[];
  readonly imports?: readonly string[];
  readonly examples: readonly string[];
}

/** One problem a bad example: `LINE: message | suggestion`. */
async function seeded(nodes: readonly NodeText[]): Promise<readonly string[]> {
  const rows = nodes.flatMap((node, at) => [
    `  - id: shop.part${String(at)}`,
    '    stage: core',
    `    description: 'Part ${String(at)} of the shop, for the test of examples'`,
    '    interface:',
    `      exports: ${JSON.stringify(node.exports)}`,
    ...(node.raises === undefined ? [] : [`      raises: ${JSON.stringify(node.raises)}`]),
    ...(node.imports === undefined ? [] : [`      imports: ${JSON.stringify(node.imports)}`]),
    "      guarantees: ['It does what its examples say']",
    '    examples:',
    ...node.examples.map((example) => `      - ${example}`),
  ]);
  const language = nodes[0]?.language ?? 'python';
  const text = [
    'version: 1',
    `project: { name: sums, language: ${language} }`,
    'stages: [{ id: core, kind: pure }]',
    'nodes:',
    ...rows,
    '',
  ].join('\n');
  await writeFile(session.path('contracts.yaml'), text);
  const result = await seed({ env: { ...process.env, A7_HOME: home } }, session.dir, CONSENTED);
  if (result.ok) return [];
  const lines = (await readFile(session.path('contracts.yaml'), 'utf8')).split('\n');
  return result.problems.map(({ place, message, suggestion }) => {
    const line = Number(/:(\d+):\d+$/.exec(place ?? '')?.[1] ?? 0);
    return `${lines[line - 1]?.trim() ?? '?'} | ${message} | ${suggestion ?? ''}`;
  });
}

const PYTHON: NodeText = {
  language: 'python',
  exports: [
    'def count(text: str, least: int = 0) -> int: ...',
    'async def load(name: str) -> list[str]: ...',
    'class Box:\n    def __init__(self, size: int) -> None: ...\n    def grow(self, by: int) -> int: ...',
    'LIMIT: int',
  ],
  raises: ['ValueError', 'TooMany(Exception)'],
  examples: [],
};
const JAVASCRIPT: NodeText = {
  language: 'javascript',
  exports: [
    'export function count(text: string, least?: number): number;',
    'export function load(name: string): Promise<string[]>;',
    'export class Box { constructor(size: number); grow(by: number): number; }',
  ],
  raises: ['RangeError', 'TooMany(Error)'],
  examples: [],
};

describe('seed on examples', () => {
  test('refuses what no code could hold, in Python, each with line and suggestion', async () => {
    const bad = [
      '{ call: "count(\'a\')", returns: seven }',
      '{ call: "count(\'a\')", returns: 1.5 }',
      '{ call: "count(\'a\', 1, 2)", returns: 1 }',
      "{ call: \"cuont('a') + count('b')\", returns: 1 }",
      '{ call: "count(\'\')", raises: ValueEror }',
      '{ call: "count(\'\')", raises: TooMnay }',
      '{ call: "load(\'x\')", returns: [1] }',
      '{ call: "Box(1).grwo(2)", returns: 3 }',
    ];
    const told = await seeded([{ ...PYTHON, examples: bad }]);
    expect(told.join('\n')).toMatch(/declared to return int, the example returns "seven"/);
    expect(told.join('\n')).toMatch(/raises: ValueEror.*Did you mean "ValueError"/);
    expect(told.join('\n')).toMatch(/raises: TooMnay.*Did you mean "TooMany"/);
    expect(told.join('\n')).toMatch(/count\('a', 1, 2\).*Give the arguments that the declaration takes/);
    expect(told.join('\n')).toMatch(/cuont.*Use names that the node exports/);
    expect(told.join('\n')).toMatch(/declared to return list\[str\]/);
    expect(told).toHaveLength(bad.length);
  });

  test('accepts the honest forms of Python', async () => {
    const good = [
      '{ call: "count(\'a\')", returns: 1 }',
      "{ call: \"await load('a')\", returns: ['x'] }",
      "{ call: \"load('a')\", returns: ['x'] }",
      '{ call: "Box(1).grow(2)", returns: 3 }',
      '{ call: "count(None)", raises: TypeError }',
      '{ call: "count(\'\')", raises: ConnectionResetError }',
      '{ call: "sorted([count(c) for c in \'ab\'])", returns: [1, 1] }',
      '{ call: "count(\'x\', least=LIMIT)", returns: 1 }',
    ];
    expect(await seeded([{ ...PYTHON, examples: good }])).toEqual([]);
  });

  test.each(['javascript', 'typescript'] as const)('refuses and accepts the same of %s', async (language) => {
    const bad = [
      '{ call: "count(\'a\' 1)", returns: 1 }',
      '{ call: "count(\'a\')", returns: seven }',
      "{ call: \"cuont('a') + count('b')\", returns: 1 }",
      '{ call: "count(\'\')", raises: RangeEror }',
      '{ call: "await load(\'x\')", returns: x }',
      '{ call: "count.twice(2)", returns: 3 }',
    ];
    const told = await seeded([{ ...JAVASCRIPT, language, examples: bad }]);
    expect(told.map((each) => each.split(' | ')[2])).toEqual([
      'Write a value of the declared type, or correct the declaration',
      'Did you mean "RangeError"? An error of your own is listed in interface.raises',
      'Write a value of the declared type, or correct the declaration',
      "Write one JavaScript expression, such as parseMoney('12.30') or await load('a')",
      'Use names that the node exports, its dependencies export, or interface.imports brings in',
      'Use members that the declarations list',
    ]);
    const good = [
      "{ call: \"await load('a')\", returns: ['x'] }",
      "{ call: \"load('a')\", returns: ['x'] }",
      '{ call: "new Box(1).grow(2)", returns: 3 }',
      '{ call: "count(\'\')", raises: TooMany }',
    ];
    expect(await seeded([{ ...JAVASCRIPT, language, examples: good }])).toEqual([]);
  });
});

describe('canBe()', () => {
  test.each([
    ['int', 1, true],
    ['int', true, false],
    ['int', 1.5, false],
    ['float', 1, true],
    ['Optional[int]', null, true],
    ['int | None', 'x', false],
    ['list[int]', [1, 'x'], false],
    ['tuple[int, str]', [1, 'x'], true],
    ['dict[str, int]', [], false],
    ['Iterator[str]', ['a'], true],
    ['Money', 'anything', true],
    ['"Money"', { cents: 1 }, true],
    ['set[int]', [1], true],
    ["'a' | 'b'", 'c', true],
    ['(string | number)[]', ['a', 1], true],
    ['Promise<number>', 'x', false],
    ['{ a: number }', 'x', true],
    ['Map<string, number>', { a: 1 }, true],
  ])('%s, %j: %j', (type, value, expected) => {
    expect(canBe(type, value)).toBe(expected);
  });

  test('reads the result of a declaration only where it is plain', () => {
    expect(resultType('python', 'async def f(a: dict[str, int] = {}) -> list[int]: ...')).toBe('list[int]');
    expect(resultType('python', 'class A: ...')).toBeNull();
    expect(resultType('typescript', 'export function f(g: (a: number) => string): Promise<string>;')).toBe(
      'Promise<string>',
    );
    expect(resultType('javascript', 'export const f: (a: number) => string;')).toBeNull();
  });
});
