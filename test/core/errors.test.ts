import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { errorTable, exitCodeOf } from '../../core/errors.ts';

describe('errorTable', () => {
  test('is the table of docs/errors.md, code for code', () => {
    const text = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    const expected = Object.entries(errorTable).map(
      ([code, entry]) => `| \`${code}\` | ${entry.exitCode} | ${entry.message} | ${entry.next} |`,
    );
    expect(rows.map((row) => row.replace(/\s+/g, ' '))).toEqual(expected);
  });

  test('exitCodeOf() is 3 for codes that are not in the table', () => {
    expect(['NODES_DONE', 'SEAL_UNVERIFIED', 'HALTED', 'DriverGone', 'toString'].map(exitCodeOf)).toEqual([
      0, 1, 3, 3, 3,
    ]);
  });
});
