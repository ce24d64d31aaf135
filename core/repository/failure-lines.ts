/** What a test command printed of the tests that failed, by the format that the plan names. */
import { JestResults } from '../../schemas/jest-results.ts';
import type { TestCount } from '../../schemas/repository-steps.ts';

type Format = Extract<TestCount, { by: 'format' }>['format'];

const CHARS_MAX = 3000;
const EACH_CHARS_MIN = 300;

/** Null where the output names no failed test: then its end is all there is to show. */
export function failureLines(format: Format, stdout: string): string | null {
  const text = OF_FORMAT[format](stdout);
  return text.trim() === '' ? null : text.trim().slice(0, CHARS_MAX);
}

const OF_FORMAT: Readonly<Record<Format, (stdout: string) => string>> = {
  go_json: ofGo,
  libtest: ofLibtest,
  tap: ofTap,
  jest_json: ofJest,
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

/** Each failed test with what stands below it: expected and actual, where the runner says so. */
function ofTap(stdout: string): string {
  const found: string[][] = [];
  let own: string[] | null = null;
  for (const line of stdout.split('\n')) {
    if (/^(?:not )?ok\b/u.test(line))
      own = line.startsWith('not ok') && !/#\s*(?:skip|todo)\b/iu.test(line) ? [line] : null;
    else if (/^(?:\s|$)/u.test(line) && own !== null) own.push(line);
    else own = null;
    if (own?.length === 1) found.push(own);
  }
  return shared(found.map((lines) => lines.join('\n')));
}

/** Messages of each failed test, and of files that could not be loaded. */
function ofJest(stdout: string): string {
  const line = stdout.split('\n').find((each) => each.startsWith('{"numFailedTestSuites":'));
  const read = JestResults.safeParse(jsonOf(line ?? ''));
  if (!read.success) return '';
  const failed = read.data.testResults.flatMap(({ status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0) return status === 'failed' ? [message] : [];
    return tests.map(({ fullName, failureMessages }) => [fullName, ...failureMessages].join('\n'));
  });
  return shared(failed.map((text) => text.replaceAll(COLOUR, '').trim()));
}

const COLOUR = /\u001b\[[\d;]*m/gu;

/** Each text from its start, so that the first one does not leave the others out. */
function shared(texts: readonly string[]): string {
  const each = Math.max(EACH_CHARS_MIN, Math.floor(CHARS_MAX / Math.max(1, texts.length)));
  return texts.map((text) => (text.length <= each ? text : `${text.slice(0, each - 1)}…`)).join('\n');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
