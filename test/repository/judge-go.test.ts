/** From where Go takes the packages of a test, by its own list, held against the folders of the tree's modules. */
import { describe, expect, test } from '@jest/globals';
import { canBeAnother, goFindings, listingArgv } from '../../core/repository/judge-go.ts';
import { ownCode, packagesOverTree } from '../../core/repository/own-code.ts';
import { newerGo } from '../../core/layers/go-modules.ts';

const MOD = { 'go.mod': 'module example.org/shop\n\ngo 1.21.0\n', 'shop.go': '', 'shop_test.go': '' };
const CORE = {
  ...MOD,
  'core/go.mod': 'module example.org/shop/core\n',
  'core/a.go': '',
  'core/a_test.go': '',
};
const LISTED = [
  ['errors', '/usr/lib/go-1.19/src/errors'],
  ['example.org/shop', '/work'],
  ['example.org/shop [example.org/shop.test]', '/work'],
  ['example.org/shop_test [example.org/shop.test]', '/work'],
  ['example.org/shop.test', ''],
  ['example.org/shop/core', '/work/core'],
  ['example.org/money', '/tmp/go/pkg/mod/example.org/money@v1.0.0'],
] as const;

function filesOf(texts: Readonly<Record<string, string>>): { path: string; bytes: Uint8Array }[] {
  return Object.entries(texts).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));
}

function found(
  texts: Readonly<Record<string, string>>,
  listed: readonly (readonly [string, string])[] | null,
  tested: readonly string[],
): readonly string[] {
  const stdout = tested
    .map((Package) => JSON.stringify({ Action: 'pass', Package, Test: 'TestA' }))
    .join('\n');
  const lines = listed?.map((each) => each.join('\t')).join('\n');
  // The other module of the tree takes the shop from a release: nothing of it was tested.
  const other = '= core\nexample.org/shop/core\t/work/core\nexample.org/shop\t/tmp/mod/shop@v1\n';
  const listing = lines === undefined ? null : `= .\n${lines}\n${other}`;
  const { goModules } = ownCode(filesOf(texts));
  return goFindings('go', { listing, stdout }, goModules, new Set(Object.keys(texts))).map(
    ({ text }) => text,
  );
}

const moved = (name: string, dir: string): [string, string][] =>
  LISTED.map(([each, from]) => [each, each === name ? dir : from]);

describe('goFindings()', () => {
  test('packages of the tree from their own folders are the tree, whatever else they need', () => {
    expect(found(CORE, LISTED, ['example.org/shop', 'command-line-arguments'])).toEqual([]);
    // A module around it that is not of the tree has its own place.
    expect(
      found(MOD, [...LISTED.slice(0, 5), ['example.org/shop2', '/tmp/x']], ['example.org/shop']),
    ).toEqual([]);
  });

  test.each([
    ['a replace', moved('example.org/shop/core', '/work/old'), 'from "old"'],
    [
      'a copy under vendor',
      moved('example.org/shop/core', '/work/vendor/example.org/shop/core'),
      'from "vendor/',
    ],
    [
      'a package of the layer',
      moved('example.org/shop/core', '/tmp/go/pkg/mod/c@v1'),
      'from "/tmp/go/pkg/mod/c@v1"',
    ],
    [
      'another main module',
      moved('example.org/shop [example.org/shop.test]', '/tmp/shop'),
      'from "/tmp/shop"',
    ],
  ])('%s over a module of the tree is named', (_what, listed, says) => {
    expect(found(CORE, listed, ['example.org/shop'])).toEqual([expect.stringContaining(says)]);
  });

  test('passed tests of packages that are not of the tree, or that Go does not list, judge nothing of it', () => {
    expect(found(CORE, LISTED, ['example.org/money'])).toHaveLength(1);
    expect(found(CORE, LISTED, ['example.org/shop/none'])).toHaveLength(1);
    expect(found(CORE, null, ['example.org/shop'])).toHaveLength(1);
  });
});

test('of two folders that declare a module, the one that is named like it is its own', () => {
  const twice = { ...CORE, 'a/go.mod': 'module example.org/shop/core\n' };
  expect([...ownCode(filesOf(twice)).goModules]).toEqual([
    ['example.org/shop', '.'],
    ['example.org/shop/core', 'core'],
  ]);
  const data = { ...MOD, 'testdata/x/go.mod': 'module example.org/x\n' };
  expect(ownCode(filesOf(data)).goModules.size).toBe(1);
});

test('Go is asked where something else could stand for the tree', () => {
  const asked = (texts: Readonly<Record<string, string>>): boolean =>
    canBeAnother(ownCode(filesOf(texts)).goModules, filesOf(texts));
  expect([asked(MOD), asked({ 'a.go': '' })]).toEqual([false, false]);
  const replaced = { ...MOD, 'go.mod': `${MOD['go.mod']}replace example.org/a => ./a\n` };
  expect([asked(CORE), asked(replaced), asked({ ...MOD, 'vendor/modules.txt': '' })]).toEqual([
    true,
    true,
    true,
  ]);
  const { goModules } = ownCode(filesOf(CORE));
  const argv = listingArgv(
    goModules,
    ['go', 'test', '-json', '-tags', 'x y', '-run=A', '-mod=mod', './...'],
    '/out',
  );
  expect(argv.slice(3)).toEqual(['sh', '-tags', 'x y', '-mod=mod']);
});

test('a plan that pins a module of the tree lays a copy over it', () => {
  const own = ownCode(filesOf(CORE));
  const over = (pin: string): readonly string[] =>
    packagesOverTree({ go: [pin] }, [], own, 'verify.yaml:3').map(({ code }) => code);
  expect(over('example.org/shop/core@v1.0.0')).toEqual(['package_over_tree']);
  expect(over('example.org/money@v1.0.0')).toEqual([]);
});

test('newerGo() says which Go a module asks for that the image lacks', () => {
  expect(newerGo(MOD['go.mod'])).toBe('1.21');
  expect([newerGo('go 1.19\n'), newerGo('module a\n'), newerGo('go 2.0\n')]).toEqual([null, null, '2.0']);
});
