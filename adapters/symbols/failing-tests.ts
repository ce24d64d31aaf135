/** Tests of a repository, each with edits that make it fail (core/ports/expectations.ts). Only text is changed, and nothing of it is run here. */
import { drawChanges } from '../../core/gate/code/changed-suite.ts';
import type { Dice, Expectation, FailingTest } from '../../core/ports/expectations.ts';
import { ecmaExpectations } from './ecma-expectations.ts';
import { ecmaPlants } from './ecma-plants.ts';
import type { Plant } from './plant.ts';
import { pythonExpectations } from './python-expectations.ts';
import { pythonPlants } from './python-plants.ts';
import { errorLines, parseRoot } from './syntax.ts';
import { goPlants, rustPlants } from './text-plants.ts';

const SOURCE_MAX = 200_000;
const GRAMMARS: readonly (readonly [RegExp, string])[] = [
  [/\.py$/u, 'python'],
  [/\.[cm]?jsx?$/u, 'JavaScript'],
  [/\.[cm]?ts$/u, 'TypeScript'],
  [/\.tsx$/u, 'Tsx'],
];

/** Empty where the text does not parse, is too large, or is of a language whose tests are not known. */
export function failingTestsOf(file: string, text: string, dice: Dice): readonly FailingTest[] {
  if (text.length > SOURCE_MAX) return [];
  if (file.endsWith('_test.go')) return joined(goPlants(text, dice), new Map());
  if (file.endsWith('.rs')) return joined(rustPlants(text, dice), new Map());
  const grammar = GRAMMARS.find(([ending]) => ending.test(file))?.[1];
  if (grammar === undefined) return [];
  const root = parseRoot(grammar, text);
  if (errorLines(root).length > 0) return [];
  const isPython = grammar === 'python';
  const given = { classes: new Set<string>(), makers: new Set<string>(), dice };
  const expected = isPython ? pythonExpectations(root, given) : ecmaExpectations(root, given);
  const plants = isPython ? pythonPlants(root, text, dice) : ecmaPlants(root, dice);
  return joined(plants, drawnOf(file, expected, dice));
}

/** What each test is made to expect: no two of them change the same text in two ways. */
function drawnOf(file: string, found: readonly Expectation[], dice: Dice): Drawn {
  const values = found.filter(({ kind, doubt }) => kind === 'value' && doubt === null);
  return new Map(drawChanges(file, values, dice).map((each) => [keyOf(each), each]));
}

type Drawn = ReadonlyMap<string, NonNullable<FailingTest['value']>>;

/** One test of each name: where two bear it, both are made to fail. */
function joined(plants: readonly Plant[], drawn: Drawn): FailingTest[] {
  const byName = new Map<string, Plant[]>();
  for (const each of plants) byName.set(keyOf(each), [...(byName.get(keyOf(each)) ?? []), each]);
  return [...byName].flatMap(([key, own]) => {
    const [first] = own;
    if (first === undefined) return [];
    const { nesting, name } = first;
    return [
      {
        nesting,
        name,
        value: drawn.get(key) ?? null,
        plant: own.map(({ plant }) => plant),
        neutral: own.map(({ neutral }) => neutral),
        isPlain: own.every(({ isPlain }) => isPlain),
      },
    ];
  });
}

function keyOf({ nesting, name }: Pick<Plant, 'nesting' | 'name'>): string {
  return JSON.stringify([nesting, name]);
}
