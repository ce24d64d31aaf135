/** Pins of image layers: exact versions only, one normal form, a hash that knows all that decides (core/layers). */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  layerFolderName,
  layerHashText,
  layerImageTag,
  layerOfTag,
  normalSpec,
  pinProblem,
} from '../../core/layers/layer-spec.ts';
import { wheelPlace } from '../../core/layers/wheel-paths.ts';
import { LayerEcosystem, LayerSpec } from '../../schemas/layer.ts';

describe('pins of a layer', () => {
  test('normalSpec() gives exact pins one form', () => {
    const pins: Readonly<Record<LayerEcosystem, readonly string[]>> = {
      python: ['Foo_Bar[X]==2.0.1rc1', 'attrs==24.2.0', 'attrs==24.2.0'],
      node: ['ms@2.1.3', '@scope/a@1.0.0-rc.1'],
      debian: ['golang-go', 'gcc=4:12.2.0-3'],
      go: ['example.org/Upper/b@v1.2.3-0.20200101000000-abcdefabcdef', 'gopkg.in/a.v2@v2.0.0+incompatible'],
      rust: ['libc@0.2.150', 'libz-sys@1.1.2+zlib.1.2.11'],
    };
    for (const ecosystem of LayerEcosystem.options)
      expect(pins[ecosystem].map((pin) => pinProblem(ecosystem, pin))).toEqual(
        pins[ecosystem].map(() => null),
      );
    const spec = normalSpec(pins);
    expect(spec).toEqual({
      python: ['attrs==24.2.0', 'foo-bar[x]==2.0.1rc1'],
      node: ['@scope/a@1.0.0-rc.1', 'ms@2.1.3'],
      debian: ['gcc=4:12.2.0-3', 'golang-go'],
      go: ['example.org/Upper/b@v1.2.3-0.20200101000000-abcdefabcdef', 'gopkg.in/a.v2@v2.0.0+incompatible'],
      rust: ['libc@0.2.150', 'libz-sys@1.1.2+zlib.1.2.11'],
    });
    // A spec without them has the text that it always had: layers of before are found again.
    expect(Object.keys(normalSpec({ python: ['a==1'], go: [], rust: [] }))).toEqual([
      'python',
      'node',
      'debian',
    ]);
    expect(LayerSpec.parse(spec)).toEqual(spec);
  });

  test.each([
    ['python', 'attrs', 'a bare or unreadable version'],
    ['python', 'attrs>=24', 'a range'],
    ['python', 'attrs==24.*', 'a range'],
    ['python', 'attrs==24.2.0; python_version<"3"', 'a range'],
    ['python', 'attrs @ https://example.org/a.whl', 'a URL'],
    ['python', 'git+https://example.org/a.git', 'a repository'],
    ['python', './attrs', 'a path'],
    ['python', '-r other.txt', 'a bare or unreadable version'],
    ['python', '--index-url=https://example.org', 'a bare or unreadable version'],
    ['node', 'ms', 'a bare or unreadable version'],
    ['node', 'ms@2', 'a bare or unreadable version'],
    ['node', 'ms@1.x', 'a range'],
    ['node', 'ms@^2.1.3', 'a range'],
    ['node', 'ms@latest', 'a range'],
    ['node', 'ms@file:../ms', 'a bare or unreadable version'],
    ['node', 'https://example.org/ms.tgz', 'a URL'],
    ['node', 'ms@npm:left-pad@1.3.0', 'a bare or unreadable version'],
    ['debian', 'golang-go>=1', 'a range'],
    ['debian', './local.deb', 'a path'],
    ['go', 'example.org/a', 'a bare or unreadable version'],
    ['go', 'example.org/a@latest', 'a range'],
    ['go', 'example.org/a@v1.2', 'a bare or unreadable version'],
    ['go', '../a@v1.0.0', 'a path'],
    ['go', 'example.org/a/../b@v1.0.0', 'a bare or unreadable version'],
    ['rust', 'libc', 'a bare or unreadable version'],
    ['rust', 'libc@^0.2.1', 'a range'],
    ['rust', 'libc@0.2.1"\nevil = "1', 'a bare or unreadable version'],
  ] as const)('refuses %s %s as %s', (ecosystem, pin, form) => {
    expect(pinProblem(ecosystem, pin)?.reason).toContain(`, not ${form}`);
  });

  test('refuses another test runner', () => {
    expect(pinProblem('python', 'PyTest==9.0.0')?.reason).toContain('pinned in the image');
  });

  test('takes no text that could be an option of a client or hold two words', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const ecosystem of LayerEcosystem.options) {
          if (pinProblem(ecosystem, text) !== null) continue;
          expect(text).toMatch(/^[A-Za-z0-9@~]/);
          expect(text).not.toMatch(/\s/);
        }
      }),
    );
  });
});

test('a layer is named by spec, base and packages', () => {
  const lock = {
    version: 1 as const,
    spec: { python: ['a==1'], node: [], debian: [] },
    base: 'base:1',
    packages: [],
  };
  expect(layerHashText(lock)).not.toBe(layerHashText({ ...lock, base: 'base:2' }));
  const hash = `sha256:${'ab'.repeat(32)}`;
  expect(layerOfTag(layerImageTag(hash))).toBe(layerFolderName(hash));
  expect(layerOfTag('a7-rt/sandbox:9b1663ab9586')).toBeNull();
});

test.each([
  ['six.py', 'lay'],
  ['pkg/sub/mod.py', 'lay'],
  ['six-1.0.data/purelib/six.py', 'lay'],
  ['six-1.0.data/scripts/six', 'lay'],
  ['six-1.0.data/data/etc/six', 'leave'],
  ['start.pth', 'leave'],
  ['six-1.0.data/purelib/start.PTH', 'leave'],
  ['sitecustomize.py', 'leave'],
  ['usercustomize/__init__.py', 'leave'],
  ['_pytest/hooks.py', 'refuse'],
  ['pytest.py', 'refuse'],
  ['../six.py', 'refuse'],
  ['/etc/passwd', 'refuse'],
  ['a\\b.py', 'refuse'],
  ['a/./b.py', 'refuse'],
  ['six-1.0.data/purelib/../../x.py', 'refuse'],
])('wheelPlace() of %s is to %s', (path, kind) => {
  expect(wheelPlace(path, 0o100644).kind).toBe(kind);
  expect(wheelPlace(path, 0o120777).kind).toBe('refuse');
});
