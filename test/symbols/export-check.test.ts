/** The export check on sources of five languages: every defect with its place, every honest form accepted (gate.md part 2). */
import { describe, expect, test } from '@jest/globals';
import { checkExports } from '../../core/gate/exports/export-check.ts';
import { sealedInterface } from '../../core/gate/exports/sealed-interface.ts';
import type { Language } from '../../schemas/ids.ts';
import { gateContract } from '../support/gate-contract.ts';
import { check, symbolCases, symbols, wallCases } from './symbol-cases.ts';

const LANGUAGES: readonly (readonly [Language, number])[] = [
  ['python', 25],
  ['javascript', 25],
  ['typescript', 25],
  ['go', 12],
  ['rust', 12],
];

describe.each(LANGUAGES)('checkExports() of %s', (language, fewest) => {
  const cases = symbolCases(language);
  const honest = cases.filter((entry) => entry.kind === 'honest');
  const wrong = cases.filter((entry) => entry.kind === 'wrong');

  test('has enough cases of both kinds, each with a name of its own', () => {
    expect(Math.min(honest.length, wrong.length)).toBeGreaterThanOrEqual(fewest);
    expect(new Set(cases.map((entry) => `${entry.kind} ${entry.name}`)).size).toBe(cases.length);
  });

  test.each(honest)('accepts $name', ({ declared, source }) => {
    expect(check(language, declared, source).findings).toEqual([]);
  });

  test.each(wrong)('finds $name', ({ declared, source, expected }) => {
    expect(check(language, declared, source).findings.toSorted()).toEqual(expected.split(',').toSorted());
  });
});

describe('checkExports()', () => {
  const PARSE = 'def parse(text: str) -> int: ...';

  test('finds an exception that the contract makes and the source lacks', () => {
    const source = 'def parse(text): pass';
    expect(check('python', [PARSE], source, ['PriceError(ValueError)']).findings).toEqual([
      'export_missing@1',
    ]);
  });

  test('finds an exception whose base is not the one that the contract names', () => {
    const source = 'class PriceError(Exception): pass\ndef parse(text): pass';
    expect(check('python', [PARSE], source, ['PriceError(ValueError)']).findings).toEqual(['export_kind@1']);
  });

  test('lists extra exports, and forms that the syntax does not show, without failing them', () => {
    const source = 'import os\nLIMIT = 3\ndef _own(): pass\ndef helper(): pass\nparse = make()';
    expect(check('python', [PARSE], source)).toEqual({
      findings: [],
      warnings: ['export_unchecked:parse', 'export_extra:LIMIT', 'export_extra:helper'],
    });
  });

  test('judges a re-export in the file of the node that defines it', () => {
    const contract = gateContract({ contentFile: 'price/money/__init__.py' });
    const entry = symbols.module(
      'python',
      'price/money/__init__.py',
      'from .impl import parse as parse_money',
    );
    const other = symbols.module('python', 'price/money/impl.py', '\n\ndef parse(words): return 1');
    const { findings } = checkExports({
      contract,
      declared: symbols.declaration('python', 'def parse_money(text: str) -> int: ...') ?? [],
      modules: [entry, other],
      entryFile: entry.file,
    });
    expect(findings.map(({ code, place }) => ({ code, place }))).toEqual([
      { code: 'export_arity', place: { file: 'price/money/impl.py', line: 3 } },
    ]);
  });

  test('accepts the honest code of every suite of the glass wall', () => {
    const cases = wallCases();
    expect(cases.length).toBeGreaterThan(30);
    for (const { name, exports, raises, code } of cases)
      expect([name, check('python', exports, code, raises).findings]).toEqual([name, []]);
  });

  test('takes all files of a Go package as one', () => {
    const contract = gateContract({ language: 'go', contentFile: 'price/money/money.go' });
    const first = symbols.module(
      'go',
      'price/money/money.go',
      'package money\n\ntype Money struct{ Cents int }\n',
    );
    const second = symbols.module(
      'go',
      'price/money/add.go',
      'package money\n\nfunc (m Money) Add(o Money, n int) Money { return m }\n',
    );
    const declared = [
      'type Money struct { Cents int }',
      'func (m Money) Add(o Money) Money',
      'func Zero() Money',
    ];
    const { findings } = checkExports({
      contract,
      declared: declared.flatMap((text) => symbols.declaration('go', text) ?? []),
      modules: [first, second],
      entryFile: first.file,
    });
    expect(findings.map((found) => `${found.code} ${found.text}`)).toEqual([
      'export_arity "Money.Add" takes 2 parameters; the contract declares: func (m Money) Add(o Money) Money',
      'export_missing "Zero" is not defined in price/money/money.go; the contract declares: func Zero() Money',
    ]);
  });
});

describe('sealedInterface()', () => {
  test('gives public names with their public members, without imports, and the words of the contract', () => {
    const source =
      'import os\nfrom x import y\nclass Money:\n    cents: int\n    def add(self, other: int) -> int:\n        return 1\n    def _own(self): pass\nasync def load(\n    url: str,\n) -> bytes:\n    return b""\ndef _hidden(): pass\n';
    expect(sealedInterface(gateContract(), [symbols.module('python', 'a.py', source)])).toEqual({
      exports: [
        'class Money',
        'Money: cents: int',
        'Money: def add(self, other: int) -> int',
        'async def load( url: str, ) -> bytes',
      ],
      raises: ['ValueError'],
      guarantees: ['Exactly two decimals, else ValueError'],
      assumptions: [],
    });
  });
});
