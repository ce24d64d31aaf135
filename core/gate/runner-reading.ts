/**
 * Reads the runner's report file (gate.md parts 4, 5 and 11). The file was written in a process that ran hostile code:
 * it is bounded, parsed line by line, and anything that does not add up makes it worthless as a whole.
 */
import { RunnerLine } from '../../schemas/runner-report.ts';
import type { Failure, ImpureCall, LoadedFile, TestId } from '../../schemas/runner-report.ts';
import { idKey } from './test-id.ts';

type TestLine = Extract<RunnerLine, { kind: 'test' }>;

/** A run as its report tells it, complete and consistent in itself. */
export interface RunnerRun {
  readonly collected: readonly TestId[];
  readonly collectErrors: readonly { readonly file: string; readonly failure: Failure }[];
  readonly tests: readonly TestLine[];
  readonly lateErrors: readonly {
    readonly reason: 'uncaught' | 'refused' | 'internal';
    readonly failure: Failure;
  }[];
  /** By test file: what it builds and never gives to the code. Absent: nothing. */
  readonly apart?: Readonly<Record<string, readonly (readonly [number, number])[]>>;
  /** Absent: nothing of it was seen, or nobody looked. */
  readonly impure?: readonly ImpureCall[];
  /** Absent: the runner does not record it. */
  readonly loaded?: { readonly files: readonly LoadedFile[]; readonly children: boolean };
}

export type BrokenReason = 'missing' | 'second' | 'broken';

export type ReportReading =
  | { readonly kind: 'complete'; readonly run: RunnerRun }
  | { readonly kind: 'broken'; readonly reason: BrokenReason; readonly detail: string };

export interface ReadingInput {
  /** What came back from `/out`, paths relative to it. */
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
  /** Entries of `/out` that the sandbox refused to hand over. */
  readonly refusedPaths: readonly string[];
  readonly reportName: string;
  readonly nonce: string;
  readonly maxBytes: number;
}

const LINES_MAX = 100_000;
const SKIPPED_MODULE = '<module>';

/** The run that a report tells of, or why it tells nothing. */
export function readRunnerReport(input: ReadingInput): ReportReading {
  const report = input.files.find((file) => file.path === input.reportName);
  const others = [...input.files.map((file) => file.path), ...input.refusedPaths].filter(
    (path) => path !== input.reportName,
  );
  if (input.refusedPaths.includes(input.reportName)) return broken('broken', 'the report is no regular file');
  if (report === undefined) return broken('missing', 'no report was written');
  if (others.length > 0) return broken('second', `${others.length} more files lie beside the report`);
  if (report.bytes.byteLength > input.maxBytes) {
    return broken(
      'broken',
      `the report has ${report.bytes.byteLength} bytes, the limit is ${input.maxBytes}`,
    );
  }
  const lines = parseLines(report.bytes);
  return typeof lines === 'string' ? broken('broken', lines) : assemble(lines, input.nonce);
}

function parseLines(bytes: Uint8Array): RunnerLine[] | string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return 'the report is not UTF-8';
  }
  const raw = text.split('\n');
  if (raw.pop() !== '') return 'the last line of the report is torn';
  if (raw.length > LINES_MAX) return `the report has ${raw.length} lines, the limit is ${LINES_MAX}`;
  const lines: RunnerLine[] = [];
  for (const [index, line] of raw.entries()) {
    const parsed = parseLine(line);
    if (parsed === null) return `line ${index + 1} of the report does not parse`;
    lines.push(parsed);
  }
  return lines;
}

function parseLine(line: string): RunnerLine | null {
  try {
    const parsed = RunnerLine.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

function assemble(lines: readonly RunnerLine[], nonce: string): ReportReading {
  const starts = lines.filter((line) => line.kind === 'start');
  const ends = lines.filter((line) => line.kind === 'end');
  const collections = lines.filter((line) => line.kind === 'collected');
  if (starts.length > 1 || ends.length > 1 || collections.length > 1)
    return broken('second', 'a second report follows the first');
  const [start, end, collection] = [starts[0], ends[0], collections[0]];
  if (start === undefined || lines[0] !== start)
    return broken('broken', 'the report does not begin with its start');
  if (end === undefined) return broken('missing', 'the report has no end');
  if (lines.at(-1) !== end) return broken('second', 'lines follow the end of the report');
  if (start.nonce !== nonce || end.nonce !== nonce)
    return broken('broken', 'the report carries the nonce of another run');
  if (collection === undefined) return broken('broken', 'the report names no collected tests');
  const tests = lines.filter((line) => line.kind === 'test');
  const loaded = lines.filter((line) => line.kind === 'loaded');
  const apart = lines.filter((line) => line.kind === 'apart');
  const impure = lines.filter((line) => line.kind === 'impure');
  const run: RunnerRun = {
    collected: collection.ids,
    collectErrors: lines.filter((line) => line.kind === 'collect_error'),
    tests,
    lateErrors: lines.filter((line) => line.kind === 'late_error'),
    ...(apart.length === 0
      ? {}
      : { apart: Object.fromEntries(apart.map(({ file, places }) => [file, places])) }),
    ...(impure.length === 0 ? {} : { impure: impure.map(({ kind: _, ...call }) => call) }),
    ...(loaded.length === 0
      ? {}
      : {
          loaded: {
            files: loaded.flatMap((line) => line.files),
            children: loaded.some((line) => line.children),
          },
        }),
  };
  if (hasDuplicates(run.collected) || hasDuplicates(tests.map((test) => test.id))) {
    return broken('broken', 'the report names one test twice');
  }
  // A file that is skipped as a whole is told as a test that never ran.
  const ran = tests.filter((test) => test.id.name !== SKIPPED_MODULE).length;
  if (end.collected !== run.collected.length || end.ran !== ran) {
    return broken('broken', 'the counts at the end of the report differ from its lines');
  }
  return { kind: 'complete', run };
}

function hasDuplicates(ids: readonly TestId[]): boolean {
  return new Set(ids.map(idKey)).size !== ids.length;
}

function broken(reason: BrokenReason, detail: string): ReportReading {
  return { kind: 'broken', reason, detail };
}
