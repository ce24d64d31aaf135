/** What a person is told where the clean room lacks a package. */
import { describe, expect, test } from '@jest/globals';
import { repositoryFinding } from '../../core/repository/finding.ts';
import { ownCode } from '../../core/repository/own-code.ts';
import { missingPackageStep, withMissingPackages } from '../../core/repository/missing-package.ts';

const NONE = ownCode([]);

describe('missingPackageStep()', () => {
  test('never advises to add what the tree holds itself', () => {
    const own = ownCode(
      [
        ['src/shop/__init__.py', ''],
        ['src/shop/money.py', ''],
        ['tests/helpers.py', ''],
        ['packages/a/package.json', '{"name":"@shop/a"}'],
      ].map(([path = '', text]) => ({ path, bytes: new TextEncoder().encode(text) })),
    );
    const steps = [
      "No module named 'shop.money'",
      "No module named 'shop._version'",
      "No module named 'helpers'",
      "Cannot find package '@shop/a' imported from /work/x.js",
    ].map((text) => missingPackageStep(text, own));
    expect(steps).toEqual([
      expect.stringContaining('in "src": name that folder under environment.python_path'),
      expect.stringContaining('"shop._version" is not in the tree: where a build writes it'),
      expect.stringContaining('in "tests"'),
      expect.stringContaining("this repository's own package"),
    ]);
    for (const step of steps) expect(step).not.toContain('VERSION');
  });

  test.each([
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'ms' imported from /work/index.js", '"ms@VERSION"'],
    ["Error: Cannot find module 'left-pad/lib/x'\nRequire stack:", '"left-pad@VERSION"'],
    ["Cannot find package '@scope/name' imported from /work/a.js", '"@scope/name@VERSION"'],
    ["Cannot find module '@scope/name/sub'", '"@scope/name@VERSION"'],
    ["No module named 'yaml.nodes'", 'Python module "yaml"'],
    ['/usr/bin/python3: No module named tox', 'Python module "tox"'],
  ])('names the package of %j', (text, named) => {
    expect(missingPackageStep(text, NONE)).toContain(named);
  });

  test.each([
    ["cannot import name 'OrderedDict' from 'tests' (unknown location)", '__init__.py'],
    ["fixture 'benchmark' not found", 'A plugin'],
    ['locale.Error: unsupported locale setting', 'C.UTF-8, de_DE.UTF-8 and tr_TR.UTF-8 alone'],
    ['go: go.mod file not found in current directory or any parent directory; see', '"go mod init'],
  ])('says what %j is about', (text, says) => {
    expect(missingPackageStep(text, NONE)).toContain(says);
  });

  test.each([
    "Cannot find module './own.js'",
    "Cannot find module '/work/own.js' imported from /work/index.js",
    'assert 1 == 2',
  ])('says nothing of %j', (text) => {
    expect(missingPackageStep(text, NONE)).toBeNull();
  });
});

describe('withMissingPackages()', () => {
  test('adds a next step where there is none', () => {
    const excerpt = "Cannot find package 'ms' imported from /work/index.js";
    const plain = repositoryFinding('collection_error', 'L1', 'Cannot load a', { excerpt });
    const told = repositoryFinding('command_failed', 'L1', 'b', { excerpt, nextStep: 'Do that' });
    const found = withMissingPackages([plain, told], NONE).map((each) => each.nextStep);
    expect(found).toEqual([expect.stringContaining('environment.dependencies.node'), 'Do that']);
  });
});
