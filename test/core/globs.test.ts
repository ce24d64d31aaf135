import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkGlob, foldPath, globsOverlap, matchesAnyGlob, matchesGlob } from '../../core/globs.ts';

describe('matchesGlob()', () => {
  test.each([
    ['auth/jwt.py', 'auth/jwt.py', true],
    ['auth/jwt.py', 'auth/jwt_py', false],
    ['auth/*.py', 'auth/jwt.py', true],
    ['auth/*.py', 'auth/.py', true],
    ['auth/*.py', 'auth/a/jwt.py', false],
    ['auth/**', 'auth/a.py', true],
    ['auth/**', 'auth/a/b.py', true],
    ['auth/**', 'auth', false],
    ['auth/**', 'authx/a.py', false],
    ['auth/**/a.py', 'auth/a.py', true],
    ['auth/**/a.py', 'auth/x/y/a.py', true],
    ['auth/**/a.py', 'auth/x/y/b.py', false],
    ['**', 'a.py', true],
    ['**/*.py', 'a.py', true],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b*', 'xxbxxaxx', false],
    ['Auth/a.py', 'auth/a.py', false],
    ['a.c', 'abc', false],
  ])('of %s and %s is %s', (glob, path, expected) => {
    expect(matchesGlob(glob, path)).toBe(expected);
  });

  test('answers at once for a glob that makes regular expressions slow', () => {
    expect(matchesGlob(`${'*a'.repeat(200)}b`, 'a'.repeat(400))).toBe(false);
  });

  test('matchesAnyGlob() needs one of them', () => {
    expect(matchesAnyGlob(['x/**', '*.py'], 'a.py')).toBe(true);
    expect(matchesAnyGlob([], 'a.py')).toBe(false);
  });
});

describe('globsOverlap()', () => {
  test.each([
    ['auth/**', 'auth/jwt.py', true],
    ['auth/**', 'auth', false],
    ['auth/**', 'auth/**', true],
    ['auth/**', 'author/**', false],
    ['auth/jwt.py', 'auth/jwt/**', false],
    ['auth/JWT.py', 'auth/jwt.py', true],
    ['caf\u00e9.py', 'cafe\u0301.py', true],
    ['a/*.py', 'a/b*', true],
    ['a/*.py', 'a/*.js', false],
    ['**/x.py', 'a/**', true],
    ['**/x.py', 'a/b/y.py', false],
    ['**', 'a', true],
    ['a/**/b', 'a/b', true],
    ['*', '**', true],
  ])('of %s and %s is %s, both ways', (a, b, expected) => {
    expect([globsOverlap(a, b), globsOverlap(b, a)]).toEqual([expected, expected]);
  });

  const segment = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '*b', '**');
  const glob = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  const path = fc
    .array(fc.constantFrom('a', 'b', 'ab', 'ba'), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join('/'));

  test('is true for every two globs that match one path', () => {
    fc.assert(
      fc.property(glob, glob, path, (a, b, p) => {
        if (matchesGlob(a, p) && matchesGlob(b, p)) expect(globsOverlap(a, b)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  test('of a glob and a path without wildcards is the match itself', () => {
    fc.assert(fc.property(glob, path, (a, p) => expect(globsOverlap(a, p)).toBe(matchesGlob(a, p))));
  });
});

describe('checkGlob()', () => {
  test.each([
    ['auth/**', null],
    ['.github/*.yml', null],
    ['', 'it must not be empty'],
    ['/etc/passwd', 'it must be relative to the project'],
    ['C:/x', 'it must be relative to the project'],
    ['a\\b', 'folders are separated by "/"'],
    ['../x', 'it must not contain ".."'],
    ['a/./b', 'it must not contain "."'],
    ['a//b', 'it must not contain an empty folder name or end with "/"'],
    ['a/', 'it must not contain an empty folder name or end with "/"'],
    ['a**', '"**" must stand alone between two "/"'],
    ['*.{py,js}', 'only "*" and "**" are wildcards, "{" is not supported; write one glob a line'],
    ['a\u0000b', 'it must not contain control characters'],
  ])('of %j answers %j', (glob, expected) => {
    expect(checkGlob(glob)).toBe(expected);
  });
});

test('foldPath() gives one form to names that a file system may take for the same', () => {
  expect(foldPath('Stra\u00dfe/Cafe\u0301')).toBe(foldPath('STRASSE/caf\u00c9'));
});
