/** What is shown of failed tests, by the form in which their runner prints. */
import { describe, expect, test } from '@jest/globals';
import { failureLines } from '../../core/repository/failure-lines.ts';

describe('failureLines()', () => {
  test.each([
    [
      'go_json',
      '{"Action":"output","Test":"A","Output":"=== RUN A\\n"}\n{"Action":"output","Test":"A","Output":"a_test.go:7: wrong\\n"}\n' +
        '{"Action":"fail","Test":"A"}\n{"Action":"output","Test":"B","Output":"fine\\n"}\n{"Action":"pass","Test":"B"}\n',
      'a_test.go:7: wrong',
    ],
    [
      'libtest',
      'test a ... FAILED\n\nfailures:\n\n---- a stdout ----\nleft: 42\n\nfailures:\n    a\n',
      '---- a stdout ----\nleft: 42',
    ],
    ['tap', 'ok 1 - a\nnot ok 2 - b\n', 'not ok 2 - b'],
    [
      'tap',
      'ok 1 - a\n  noise\nnot ok 2 - b\n  ---\n  actual: 1\n\n  expected: 2\n  ...\n# said\n  more\nnot ok 3 - c # SKIP\nnot ok 4 - d\n',
      'not ok 2 - b\n  ---\n  actual: 1\n\n  expected: 2\n  ...\nnot ok 4 - d',
    ],
    [
      'jest_json',
      `{"numFailedTestSuites":2,"testResults":${JSON.stringify([
        {
          assertionResults: [
            { status: 'passed', fullName: 'a', failureMessages: [] },
            {
              status: 'failed',
              fullName: 'b c',
              failureMessages: ['Expected: \u001b[32m1\u001b[39m\nReceived: 2\n'],
            },
          ],
        },
        { status: 'failed', message: 'Cannot find module x', assertionResults: [] },
      ])}}\n`,
      'b c\nExpected: 1\nReceived: 2\nCannot find module x',
    ],
    ['jest_json', '{"numFailedTestSuites":1,"testResults":[{"status":5}', null],
    [
      'tap',
      `not ok 1 - a\n ${'x'.repeat(5000)}\nnot ok 2 - b\n`,
      `not ok 1 - a\n ${'x'.repeat(1485)}…\nnot ok 2 - b`,
    ],
    ['go_json', 'a.go:1: syntax error\n', null],
  ] as const)('%s', (format, output, expected) => {
    expect(failureLines(format, output)).toBe(expected);
  });
});
