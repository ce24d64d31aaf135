/** What a test command printed of the tests that failed, by the format that the plan names. */
import type { TestCount } from '../../schemas/repository-steps.ts';

type Format = Extract<TestCount, { by: 'format' }>['format'];

const CHARS_MAX = 3000;

/** Null where the output names no failed test: then its end is all there is to show. */
export function failureLines(format: Format, stdout: string): string | null {
  const text = OF_FORMAT[format](stdout);
  return text.trim() === '' ? null : text.trim().slice(0, CHARS_MAX);
}

const OF_FORMAT: Readonly<Record<Format, (stdout: string) => string>> = {
  go_json: ofGo,
  libtest: ofLibtest,
  tap: ofTap,
  // Jest tells of failures on its other stream.
  jest_json: () => '',
};

/** All output of each test that failed. */
function ofGo(stdout: string): string {
  const events = stdout.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      return [JSON.parse(line) as { Action?: unknown; Test?: unknown; Output?: unknown }];
    } catch {
      return [];
    }
  });
  const failed = new Set(events.flatMap(({ Action, Test }) => (Action === 'fail' ? [Test] : [])));
  failed.delete(undefined);
  return events
    .flatMap(({ Action, Test, Output }) =>
      Action === 'output' && failed.has(Test) && typeof Output === 'string' ? [Output] : [],
    )
    .filter((output) => !output.startsWith('=== '))
    .join('');
}

/** From the first captured output to the list of names. */
function ofLibtest(stdout: string): string {
  const [, from = ''] = stdout.split(/^failures:$/m);
  return from;
}

function ofTap(stdout: string): string {
  const lines = stdout.split('\n').filter((line) => line.startsWith('not ok'));
  return lines.join('\n');
}
