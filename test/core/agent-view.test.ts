import { describe, expect, test } from '@jest/globals';
import { visibleToAnalyst } from '../../core/projection/paths.ts';
import { agentView } from '../../core/views/agent-view.ts';
import { analystReport } from '../../core/views/analyst-report.ts';
import { gateContract } from '../support/gate-contract.ts';

const BELOW = gateContract({
  id: 'price.round',
  files: ['price/round.py'],
  tests: ['tests/price_round/**'],
  interface: { ...gateContract().interface, exports: ['def halves(x: int) -> int: ...'] },
  importLine: 'from price.round import halves',
});
const NODE = gateContract({
  structural_deps: ['price.round'],
  examples: [{ call: "parse_money('1.00')", returns: 100 }],
});
const OTHER = gateContract({ id: 'shop.cart', files: ['shop/cart.py'], tests: ['tests/shop_cart/**'] });

function shown(viewSpec: Parameters<typeof agentView>[0]['viewSpec']): string {
  return agentView({
    role: 'builder',
    contract: NODE,
    ...(viewSpec && { viewSpec }),
    dependencies: [BELOW],
    packages: ['attrs: import attr'],
    files: ['price/__init__.py'],
    testContract: null,
    managerNote: null,
    focusOn: [],
    expectedIterations: 5,
    bounds: 'at most 80',
    previousAttempts: ['the first', 'the last'],
    filesWritten: [],
    next: 'write_file',
  });
}

describe('agentView()', () => {
  const parts = {
    files: 'price/__init__.py',
    example: "parse_money('1.00')",
    first: 'Attempt 1',
    last: 'Attempt 2',
    clause: 'G1',
    package: 'attrs',
    declared: 'def halves',
    imported: 'from price.round import halves',
  };
  const has = (text: string): string[] =>
    Object.entries(parts).flatMap(([name, part]) => (text.includes(part) ? [name] : []));

  test('shows as much as view_spec asks for; clauses and import lines always', () => {
    const whole = Object.keys(parts);
    expect(has(shown(undefined))).toEqual(whole);
    expect(has(shown({ target_fidelity: 'full', struct_dep_fidelity: 'signature' }))).toEqual(whole);
    expect(has(shown({ target_fidelity: 'outline' }))).toEqual(
      whole.filter((name) => !['files', 'first'].includes(name)),
    );
    expect(has(shown({ target_fidelity: 'summary', struct_dep_fidelity: 'none' }))).toEqual([
      'last',
      'clause',
      'imported',
    ]);
  });

  test('says of a pure stage what its code may not do', () => {
    const view = (pure: boolean): string =>
      agentView({ ...INPUT, contract: pure ? { ...NODE, pure: true } : NODE });
    expect(view(true)).toContain('Its stage is pure');
    expect(view(false)).not.toContain('pure');
  });
});

const INPUT = {
  role: 'test_author' as const,
  dependencies: [],
  files: [],
  testContract: null,
  managerNote: null,
  focusOn: [],
  expectedIterations: 5,
  bounds: 'at most 80',
  previousAttempts: [],
  filesWritten: [],
  next: '',
};

describe('visibleToAnalyst()', () => {
  const all = [BELOW, NODE, OTHER];
  const paths = [
    'pytest.ini',
    ...all.flatMap(({ files, tests }) =>
      [files[0] ?? '', ...(tests === 'none' ? [] : tests)].map((glob) => glob.replace('**', 'test_x.py')),
    ),
  ];
  const seen = (scope: 'node' | 'project', ids: readonly string[]): string[] =>
    paths.filter(visibleToAnalyst(all, ids, scope));

  test('holds the nodes asked for and what they stand on, or the whole project, and no suite ever', () => {
    expect(seen('node', ['price.money'])).toEqual(['pytest.ini', 'price/round.py', 'price/money.py']);
    expect(seen('node', ['shop.cart'])).toEqual(['pytest.ini', 'shop/cart.py']);
    expect(seen('project', [])).toEqual(['pytest.ini', 'price/round.py', 'price/money.py', 'shop/cart.py']);
  });
});

test('analystReport() takes over what the note says of its confidence', () => {
  const of = (note: string): string => analystReport(note, 'project', []).confidence;
  expect([
    of('Confidence: high. It is so'),
    of('confidence - VOID'),
    of('I am confident'),
    of('Confidence: sure'),
  ]).toEqual(['high', 'void', 'medium', 'medium']);
  expect(analystReport('x', 'external', ['a.py'])).toMatchObject({ scope: 'external', sources: ['a.py'] });
});
