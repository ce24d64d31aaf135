import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { A7Error, errorTable, isA7Error } from '../../core/errors.ts';

describe('errorTable', () => {
  test('is the table of docs/errors.md, code for code', () => {
    const text = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    const expected = Object.entries(errorTable).map(
      ([code, entry]) => `| \`${code}\` | ${entry.exitCode} | ${entry.message} | ${entry.next} |`,
    );
    expect(rows.map((row) => row.replace(/\s+/g, ' '))).toEqual(expected);
  });

  test('isA7Error() knows its own, also across realms', () => {
    expect(isA7Error(new A7Error('HALTED', 'x'))).toBe(true);
    expect(isA7Error({ name: 'A7Error' })).toBe(true);
    expect(isA7Error(new Error('x'))).toBe(false);
    expect(isA7Error(null)).toBe(false);
  });
});
