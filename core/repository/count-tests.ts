/** How many tests a command's output shows, by the format that the plan names. What cannot be read counts nothing. */
import type { TestCount } from '../../schemas/repository-steps.ts';

export interface Counted {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface RanNames {
  readonly ran: readonly string[];
  readonly red: readonly string[];
}

const NOTHING: Counted = { passed: 0, failed: 0, skipped: 0 };
/** Lines longer than this are no proof of ours. */
const LINE_CHARS_MAX = 100_000;

/** Counts of an output; zero where nothing shows a test. */
export function countTests(
  count: Extract<TestCount, { by: 'format' | 'line' }>,
  stdout: string,
  stderr: string,
): Counted {
  if (count.by === 'line') return countByLine(count.line, `${stdout}\n${stderr}`);
  const lines = stdout
    .split('\n')
    .filter((line) => count.format === 'jest_json' || line.length <= LINE_CHARS_MAX);
  switch (count.format) {
    case 'go_json':
      return sum(lines.map(goEvent));
    case 'libtest':
      return sum(lines.map(libtestLine));
    case 'jest_json':
      return sum(lines.map(jestLine));
    case 'tap':
      return sum(lines.map(tapLine));
  }
}

/** Names of the tests that ran, and which of them failed, where the format tells them; null where it does not. */
export function ranNames(format: string, stdout: string): RanNames | null {
  const lines = stdout.split('\n').filter((line) => line.length <= LINE_CHARS_MAX);
  if (format !== 'libtest' && format !== 'go_json') return null;
  const rows = lines.flatMap(format === 'libtest' ? libtestName : goName);
  return {
    ran: rows.map(({ name }) => name),
    red: rows.filter(({ isRed }) => isRed).map(({ name }) => name),
  };
}

interface Named {
  readonly name: string;
  readonly isRed: boolean;
}

function libtestName(line: string): Named[] {
  const [, name, result] = /^test (.{1,1000}) \.\.\. (ok|FAILED)(?:,.*)?$/.exec(line.trimEnd()) ?? [];
  return name === undefined ? [] : [{ name, isRed: result === 'FAILED' }];
}

function goName(line: string): Named[] {
  const event = goEvent(line);
  if (event === null || event.passed + event.failed !== 1) return [];
  const { Package: of, Test: test } = JSON.parse(line) as { Package?: unknown; Test: string };
  return [{ name: `${typeof of === 'string' ? of : ''}::${test}`, isRed: event.failed === 1 }];
}

function sum(parts: readonly (Counted | null)[]): Counted {
  return parts.reduce<Counted>(
    (total, part) =>
      part === null
        ? total
        : {
            passed: total.passed + part.passed,
            failed: total.failed + part.failed,
            skipped: total.skipped + part.skipped,
          },
    NOTHING,
  );
}

/** `go test -json`: an event of a package has no `Test`, and a package without tests is no test. */
function goEvent(line: string): Counted | null {
  if (!line.startsWith('{')) return null;
  try {
    const event = JSON.parse(line) as { Action?: unknown; Test?: unknown };
    if (typeof event.Test !== 'string') return null;
    return one(event.Action === 'pass', event.Action === 'fail', event.Action === 'skip');
  } catch {
    return null;
  }
}

/** `test name ... ok`, as libtest prints it for each test. The line of totals is not trusted on its own. */
function libtestLine(line: string): Counted | null {
  const [, result] = /^test .{1,1000} \.\.\. (ok|FAILED|ignored)(,.*)?$/.exec(line.trimEnd()) ?? [];
  return result === undefined ? null : one(result === 'ok', result === 'FAILED', result === 'ignored');
}

/** The one line of jest's `--json`: its counts stand at the start, before what each test printed. */
function jestLine(line: string): Counted | null {
  if (!line.startsWith('{"numFailedTestSuites":')) return null;
  const of = (name: string): number =>
    Number(new RegExp(`"${name}":(\\d{1,9})[,}]`).exec(line.slice(0, 2000))?.[1] ?? 0);
  // A file that could not be loaded holds no test of its own, and is none that passed.
  const failed = of('numFailedTests') + of('numRuntimeErrorTestSuites');
  return { passed: of('numPassedTests'), failed, skipped: of('numPendingTests') + of('numTodoTests') };
}

/** TAP: subtests are indented and belong to the test around them. A skip or an open item is no pass. */
function tapLine(line: string): Counted | null {
  const [, not, rest = ''] = /^(not )?ok\b(.*)$/.exec(line) ?? [];
  if (!/^(not )?ok\b/.test(line)) return null;
  const isSkipped = /#\s*(skip|to-?do)\b/i.test(rest);
  return one(not === undefined && !isSkipped, not !== undefined && !isSkipped, isSkipped);
}

function one(passed: boolean, failed: boolean, skipped: boolean): Counted | null {
  if (!passed && !failed && !skipped) return null;
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

/** Numbers in the place of `{count}`, over all lines that hold the words around it. */
function countByLine(pattern: string, output: string): Counted {
  const [before = '', after = ''] = pattern.split('{count}');
  let passed = 0;
  for (const line of output.split('\n')) {
    if (line.length > LINE_CHARS_MAX) continue;
    passed += numberBetween(line, before, after);
  }
  return { ...NOTHING, passed: Math.min(passed, Number.MAX_SAFE_INTEGER) };
}

/** The first number of a line that stands right between the two texts; 0 where there is none. */
function numberBetween(line: string, before: string, after: string): number {
  for (const match of line.matchAll(/\d{1,9}/g)) {
    const start = match.index;
    const end = start + match[0].length;
    const isPart = /\d/.test(line[start - 1] ?? '') || /\d/.test(line[end] ?? '');
    if (!isPart && line.slice(0, start).endsWith(before) && line.slice(end).startsWith(after))
      return Number(match[0]);
  }
  return 0;
}
