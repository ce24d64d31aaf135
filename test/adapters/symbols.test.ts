/** The symbols port and the export check on it: every defect with its place, every honest form accepted (gate.md part 2). */
import { describe, expect, test } from '@jest/globals';
import { createSymbols } from '../../adapters/symbols/symbols.ts';
import { checkExports } from '../../core/gate/export-check.ts';
import { exportSignatures } from '../../core/gate/signatures.ts';
import type { Language } from '../../schemas/ids.ts';
import { gateContract } from '../support/gate-contract.ts';

const symbols = createSymbols();

const FILES: Partial<Record<Language, string>> = {
  python: 'shop/price.py',
  javascript: 'shop/price.js',
  typescript: 'shop/price.ts',
};

function check(
  language: Language,
  declared: readonly string[],
  source: string,
  raises: readonly string[] = [],
) {
  const file = FILES[language] ?? '';
  const contract = gateContract({
    id: 'shop.price',
    language,
    contentFile: file,
    interface: {
      exports: [...declared],
      imports: [],
      raises: [...raises],
      guarantees: [],
      assumptions: [],
      inert: [],
    },
  });
  const result = checkExports({
    contract,
    declared: declared.flatMap((text) => symbols.declaration(language, text) ?? []),
    modules: [symbols.module(language, file, source)],
    entryFile: file,
  });
  return {
    findings: result.findings.map((found) => `${found.code}@${found.place?.line ?? 0}`),
    warnings: result.warnings.map((found) => `${found.code}:${found.exportName ?? ''}`),
  };
}

const PARSE = 'def parse(text: str) -> int: ...';
const ASYNC_PARSE = 'async def parse(text: str) -> int: ...';
const MONEY = 'class Money:\n    cents: int\n    def add(self, other: "Money") -> "Money": ...';

describe('export check, Python defects', () => {
  test.each<[string, string, string, string]>([
    ['a missing function', PARSE, 'def other(text): pass', 'export_missing@0'],
    ['a name only in a comment', PARSE, '# def parse(text): pass\nx = 1', 'export_missing@0'],
    ['a name only in a string', PARSE, 'x = "def parse(text): pass"', 'export_missing@0'],
    ['a nested function', PARSE, 'def outer():\n    def parse(text): pass', 'export_missing@0'],
    ['a function deleted later', PARSE, 'def parse(text): pass\n\ndel parse', 'export_deleted@3'],
    ['a rebinding to a value', PARSE, 'def parse(text): pass\nparse = 3', 'export_kind@2'],
    ['a missing parameter', PARSE, 'def parse(): pass', 'export_arity@1'],
    ['a parameter too many', PARSE, '\ndef parse(text, base): pass', 'export_arity@2'],
    ['a lost keyword', 'def f(*, deep: bool = False) -> int: ...', 'def f(): pass', 'export_arity@1'],
    ['a lost default', 'def f(a: int = 1) -> int: ...', 'def f(a): pass', 'export_arity@1'],
    ['sync for async', ASYNC_PARSE, 'def parse(text): return 1', 'export_async@1'],
    ['async for sync', PARSE, 'async def parse(text): return 1', 'export_async@1'],
    ['a wrong parameter annotation', PARSE, 'def parse(text: int): pass', 'export_annotation@1'],
    ['a wrong return annotation', PARSE, 'def parse(text) -> str: pass', 'export_annotation@1'],
    ['a value for a class', MONEY, 'Money = 3', 'export_kind@1'],
    ['a function for a class', MONEY, 'def Money(): pass', 'export_kind@1'],
    ['a missing method', MONEY, 'class Money:\n    cents = 0', 'export_member@1'],
    ['a value for a method', MONEY, 'class Money:\n    cents = 0\n    add = 3', 'export_member@1'],
    [
      'a method of wrong arity',
      MONEY,
      'class Money:\n    cents = 0\n    def add(self): pass',
      'export_arity@1',
    ],
    ['a source that does not parse', PARSE, 'def parse(text):\n    return (', 'source_unparsable@1'],
  ])('finds %s', (_name, declared, source, expected) => {
    expect(check('python', [declared], source).findings).toEqual([expected]);
  });

  test('finds an exception that the contract makes and the source lacks', () => {
    expect(check('python', [PARSE], 'def parse(text): pass', ['PriceError(ValueError)']).findings).toEqual([
      'export_missing@0',
    ]);
  });

  test('lists extra exports without failing them', () => {
    const source = 'import os\nLIMIT = 3\ndef _own(): pass\ndef helper(): pass\ndef parse(text): pass';
    expect(check('python', [PARSE], source)).toEqual({
      findings: [],
      warnings: ['export_extra:LIMIT', 'export_extra:helper'],
    });
  });
});

describe('export check, honest Python', () => {
  test.each<[string, string, string]>([
    ['no annotations', PARSE, 'def parse(text): return 1'],
    ['more optional parameters', PARSE, 'def parse(text, base=10, *, deep=False): return 1'],
    ['any arguments', PARSE, 'def parse(*args, **kwargs): return 1'],
    ['a lambda', PARSE, 'parse = lambda text: 1'],
    ['a binding assigned later', PARSE, 'def _impl(text): return 1\nparse = _impl'],
    [
      'a decorated function',
      PARSE,
      'import functools\n@functools.lru_cache(maxsize=None)\ndef parse(text): return 1',
    ],
    ['a decorator of its own', PARSE, 'def d(f): return f\n@d\ndef parse(anything, at, all): return 1'],
    ['a re-export', PARSE, 'from ._impl import parse'],
    [
      'a conditional definition',
      PARSE,
      'try:\n    from fast import parse\nexcept ImportError:\n    def parse(text): return 1',
    ],
    [
      'a generator for an iterator',
      'def f() -> Iterator[int]: ...',
      'def f() -> "Generator[int, None, None]":\n    yield 1',
    ],
    ['a subclass', MONEY, 'class Base:\n    pass\nclass Money(Base):\n    pass'],
    [
      'an attribute made in __init__',
      'class P:\n    x: int',
      'class P:\n    def __init__(self):\n        self.x = 1',
    ],
    ['a member assigned outside', MONEY, 'class Money:\n    cents = 0\nMoney.add = lambda self, other: self'],
    [
      'a method made by a decorator',
      MONEY,
      'def d(f): return f\nclass Money:\n    cents = 0\n    @d\n    def add(self, other): return self',
    ],
    ['async through a coroutine', ASYNC_PARSE, 'import asyncio\ndef parse(text): return asyncio.sleep(0, 1)'],
    ['a constant', 'LIMIT: int', 'LIMIT = 3'],
    ['a computed constant', 'LIMIT: int', 'LIMIT = int("3")'],
    ['a name bound by other means', PARSE, 'globals()["parse"] = lambda text: 1'],
    ['a deletion before a new definition', PARSE, 'def parse(): pass\ndel parse\ndef parse(text): return 1'],
    ['a class for a function', PARSE, 'class parse:\n    def __new__(cls, text): return 1'],
  ])('accepts %s', (_name, declared, source) => {
    expect(check('python', [declared], source).findings).toEqual([]);
  });
});

const TS_PARSE = 'export function parse(text: string): number;';
const TS_MONEY =
  'export class Money { constructor(cents: number); static zero(): Money; add(other: Money): Money; }';

describe('export check, JavaScript and TypeScript defects', () => {
  test.each<[string, Language, string, string, string]>([
    ['a missing export', 'javascript', TS_PARSE, 'function parse(text) { return 1 }', 'export_missing@0'],
    [
      'a name only in a comment',
      'javascript',
      TS_PARSE,
      '// export function parse(text) {}',
      'export_missing@0',
    ],
    [
      'a name only in a string',
      'javascript',
      TS_PARSE,
      'const x = "export function parse(text) {}"',
      'export_missing@0',
    ],
    ['a value for a function', 'javascript', TS_PARSE, 'export const parse = 3;', 'export_kind@1'],
    [
      'a rebinding to a value',
      'javascript',
      TS_PARSE,
      'export let parse = (t) => 1;\nparse = null;',
      'export_kind@2',
    ],
    ['a lost parameter', 'javascript', TS_PARSE, 'export function parse() { return 1 }', 'export_arity@1'],
    [
      'a demanded parameter',
      'typescript',
      TS_PARSE,
      'export function parse(a: string, b: string) { return 1 }',
      'export_arity@1',
    ],
    [
      'a wrong annotation',
      'typescript',
      TS_PARSE,
      'export function parse(text: number): number { return 1 }',
      'export_annotation@1',
    ],
    [
      'sync for async',
      'javascript',
      'export function f(a: string): Promise<number>;',
      'export function f(a) { return 1 }',
      'export_async@1',
    ],
    [
      'async for sync',
      'javascript',
      TS_PARSE,
      'export async function parse(text) { return 1 }',
      'export_async@1',
    ],
    [
      'a missing method',
      'javascript',
      TS_MONEY,
      'export class Money { static zero() {} }',
      'export_member@1',
    ],
    [
      'a missing type',
      'typescript',
      'export interface Rate { value: number }',
      'export const x = 1;',
      'export_missing@0',
    ],
    [
      'a deleted CommonJS export',
      'javascript',
      TS_PARSE,
      'exports.parse = (t) => 1;\ndelete exports.parse;',
      'export_deleted@2',
    ],
  ])('finds %s', (_name, language, declared, source, expected) => {
    expect(check(language, [declared], source).findings).toEqual([expected]);
  });
});

describe('export check, honest JavaScript and TypeScript', () => {
  test.each<[string, Language, string, string]>([
    ['an arrow constant', 'javascript', TS_PARSE, 'export const parse = (text) => 1;'],
    ['a single arrow parameter', 'javascript', TS_PARSE, 'export const parse = text => 1;'],
    ['an export list', 'javascript', TS_PARSE, 'function parse(text) { return 1 }\nexport { parse };'],
    ['a renamed export', 'javascript', TS_PARSE, 'function p(text) { return 1 }\nexport { p as parse };'],
    ['a re-export', 'javascript', TS_PARSE, "export { parse } from './other.js';"],
    ['a star export', 'javascript', TS_PARSE, "export * from './other.js';"],
    [
      'a default export',
      'javascript',
      'export default function parse(text: string): number;',
      'export default (text) => 1;',
    ],
    [
      'a named default',
      'javascript',
      'export default function parse(text: string): number;',
      'function parse(text) {}\nexport default parse;',
    ],
    ['a binding assigned later', 'javascript', TS_PARSE, 'export let parse;\nparse = (text) => 1;'],
    ['a destructured export', 'javascript', TS_PARSE, 'export const { parse } = make();'],
    ['a default parameter', 'typescript', TS_PARSE, "export function parse(text = '1'): number { return 1 }"],
    ['a rest parameter', 'javascript', TS_PARSE, 'export function parse(...all) { return 1 }'],
    [
      'a promise without async',
      'javascript',
      'export function f(a: string): Promise<number>;',
      'export const f = (a) => Promise.resolve(1);',
    ],
    [
      'a static member assigned outside',
      'javascript',
      TS_MONEY,
      'export class Money { add(o) {} }\nMoney.zero = () => new Money();',
    ],
    [
      'a constructor function',
      'javascript',
      TS_MONEY,
      'export function Money(cents) { return { add(o) {} } }',
    ],
    [
      'a constructor that returns another object',
      'javascript',
      TS_MONEY,
      'export class Money { constructor(c) { return make(c) } }',
    ],
    ['a subclass', 'javascript', TS_MONEY, 'export class Money extends Base {}'],
    [
      'a class constant',
      'javascript',
      TS_MONEY,
      'export const Money = class { static zero() {} add(o) {} };',
    ],
    ['CommonJS', 'javascript', TS_PARSE, 'module.exports = { parse(text) { return 1 } };'],
    ['CommonJS by reference', 'javascript', TS_PARSE, 'function parse(text) {}\nmodule.exports = { parse };'],
    [
      'a type of its own',
      'typescript',
      'export interface Rate { value: number }',
      'export type Rate = { value: number };',
    ],
    ['a type in JavaScript', 'javascript', 'export interface Rate { value: number }', 'export const x = 1;'],
    [
      'overloads',
      'typescript',
      TS_PARSE,
      'export function parse(t: string): number;\nexport function parse(t: string, b: string): number;\nexport function parse(...a: string[]): number { return 1 }',
    ],
  ])('accepts %s', (_name, language, declared, source) => {
    expect(check(language, [declared], source).findings).toEqual([]);
  });
});

describe('exportSignatures()', () => {
  test('gives public names with their public members, without imports', () => {
    const source =
      'import os\nfrom x import y\nclass Money:\n    cents: int\n    def add(self, other: int) -> int:\n        return 1\n    def _own(self): pass\nasync def load(\n    url: str,\n) -> bytes:\n    return b""\ndef _hidden(): pass\n';
    expect(exportSignatures([symbols.module('python', 'a.py', source)])).toEqual([
      'class Money',
      'Money: cents: int',
      'Money: def add(self, other: int) -> int',
      'async def load( url: str, ) -> bytes',
    ]);
  });
});
