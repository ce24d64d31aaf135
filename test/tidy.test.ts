import { describe, expect, test } from '@jest/globals';
import { checkFile, findUntidy } from './support/tidy.ts';

const root = new URL('..', import.meta.url).pathname;

describe('tidy', () => {
  test('findUntidy() finds nothing in this repository', () => {
    const findings = findUntidy(root).map(({ path, line, message }) => `${path}:${line} ${message}`);
    expect(findings).toEqual([]);
  });

  test.each([
    ['core/a.ts', '// TODO later', 'Leftover note: do it, or open an issue'],
    ['adapters/a.ts', 'execSync("ls")', 'Blocking process call: use execa'],
    ['test/a.test.ts', 'test.only("x", f)', 'A test that does not run: remove it or let it run'],
    ['core/a.ts', 'process.exit(1)', 'Ends the process: throw, or return a value'],
    ['scripts/a.mjs', 'const x = "/home/me/x"', 'Path of one machine: make it relative or a setting'],
    ['core/a.ts', '// @ts-ignore', 'Silenced type error: fix the type'],
  ])('checkFile() names the rule for %s: %s', (path, text, message) => {
    expect(checkFile(path, `const a = 1;\n${text}\n`)).toEqual([{ path, line: 2, message }]);
  });

  test('checkFile() counts lines and looks at the name', () => {
    expect(checkFile('core/badName.ts', 'x\n'.repeat(251))).toEqual([
      {
        path: 'core/badName.ts',
        line: 0,
        message: 'Too long: at most 250 lines, current count is 251; split it by subject',
      },
      { path: 'core/badName.ts', line: 0, message: 'File name: use kebab-case' },
    ]);
    expect(checkFile('core/good-name.ts', 'x\n'.repeat(250))).toEqual([]);
  });
});
