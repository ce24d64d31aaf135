/** `lint-contracts` against 60 contracts that were labelled by hand: it finds nine of ten faults, and nine of ten findings are right. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { parseContracts } from '../../adapters/contracts/load.ts';
import { type LintFinding, lintContracts } from '../../core/contract/lint.ts';

interface Labelled {
  readonly name: string;
  readonly expect: readonly string[];
  readonly language?: string;
  readonly nodes: readonly object[];
}

function lint({ language = 'python', nodes }: Pick<Labelled, 'language' | 'nodes'>): readonly LintFinding[] {
  const document = {
    version: 1,
    project: { name: 'lint', language },
    stages: [{ id: 's', kind: 'pure' }],
    nodes: nodes.map((node) => ({ stage: 's', ...node })),
  };
  const loaded = parseContracts(JSON.stringify(document), 'lint');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return lintContracts(loaded.resolved);
}

const pairsOf = (found: readonly LintFinding[]): string[] => [
  ...new Set(found.map(({ nodeId, code }) => `${nodeId} ${code}`)),
];

describe.each([
  ['corpus.yaml', 60],
  ['held-out.yaml', 20],
  ['second-held-out.yaml', 30],
])('lintContracts() on the labelled contracts of %s', (file, count) => {
  const corpus = parse(readFileSync(join(import.meta.dirname, 'lint-contracts', file), 'utf8')) as Labelled[];
  const judged = corpus.map((entry) => ({ ...entry, found: pairsOf(lint(entry)) }));
  const right = judged.reduce(
    (sum, { found, expect: wanted }) => sum + found.filter((pair) => wanted.includes(pair)).length,
    0,
  );
  const share = (count: number): number => (count === 0 ? 1 : right / count);
  const wrong = judged.flatMap(({ name, found, expect: wanted }) => [
    ...found.filter((pair) => !wanted.includes(pair)).map((pair) => `${name}: wrong alarm ${pair}`),
    ...wanted.filter((pair) => !found.includes(pair)).map((pair) => `${name}: missed ${pair}`),
  ]);

  test(`it has at least ${String(count)} contracts`, () => {
    expect(corpus.length).toBeGreaterThanOrEqual(count);
  });

  test('precision and recall are at least 0.9', () => {
    const precision = share(judged.flatMap(({ found }) => found).length);
    const recall = share(judged.flatMap(({ expect: wanted }) => wanted).length);
    const isEnough = precision >= 0.9 && recall >= 0.9;
    expect({ precision, recall, wrong: isEnough ? [] : wrong }).toEqual({ precision, recall, wrong: [] });
  });
});

test('a finding names the node that was meant', () => {
  const nodes = [
    { id: 'book.expense', description: 'add(cents) -> None', interface: { exports: ['def add(cents: int) -> None: ...'], raises: ['ExpenseError(ValueError)'], guarantees: ['Below 0 raises ExpenseError'] } },
    { id: 'app.show', description: 'show(cents) -> str', interface: { exports: ['def show(cents: int) -> str: ...'], raises: ['ExpenseError'], guarantees: ['Below 0 raises ExpenseError'] } },
  ]; // prettier-ignore
  const [finding] = lint({ nodes });
  expect(finding?.suggestion).toMatch(
    /^Did you mean ExpenseError of book\.expense\? Then add "book\.expense"/,
  );
});
