/** What a person is told where the clean room lacks a package. */
import { describe, expect, test } from '@jest/globals';
import { repositoryFinding } from '../../core/repository/finding.ts';
import { missingPackageStep, withMissingPackages } from '../../core/repository/missing-package.ts';

describe('missingPackageStep()', () => {
  test.each([
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'ms' imported from /work/index.js", '"ms@VERSION"'],
    ["Error: Cannot find module 'left-pad/lib/x'\nRequire stack:", '"left-pad@VERSION"'],
    ["Cannot find package '@scope/name' imported from /work/a.js", '"@scope/name@VERSION"'],
    ["Cannot find module '@scope/name/sub'", '"@scope/name@VERSION"'],
    ["No module named 'yaml.nodes'", 'Python module "yaml"'],
    ['/usr/bin/python3: No module named tox', 'Python module "tox"'],
  ])('names the package of %j', (text, named) => {
    expect(missingPackageStep(text)).toContain(named);
  });

  test.each([
    "Cannot find module './own.js'",
    "Cannot find module '/work/own.js' imported from /work/index.js",
    'assert 1 == 2',
  ])('says nothing of %j', (text) => {
    expect(missingPackageStep(text)).toBeNull();
  });
});

describe('withMissingPackages()', () => {
  test('adds a next step where there is none', () => {
    const excerpt = "Cannot find package 'ms' imported from /work/index.js";
    const plain = repositoryFinding('collection_error', 'L1', 'Cannot load a', { excerpt });
    const told = repositoryFinding('command_failed', 'L1', 'b', { excerpt, nextStep: 'Do that' });
    const found = withMissingPackages([plain, told]).map((each) => each.nextStep);
    expect(found).toEqual([expect.stringContaining('environment.dependencies.node'), 'Do that']);
  });
});
