/** Runs a runner program as a host process on a trusted fixture suite in a temp folder; sandboxing is tested elsewhere. */
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { RunnerLine } from '../../schemas/runner-report.ts';
import { runnerCommand } from '../../core/stubs/runner-command.ts';
import type { StubVariant } from '../../schemas/runner-report.ts';
import type { RunnerCommand, RunnerProgram } from '../../core/stubs/runner-command.ts';

export const RUNNER_DIR = resolve('sandbox/runner');
/** The Python programs as a room has them: in one folder. */
export const PYTHON_DIR = flatPrograms(join(RUNNER_DIR, 'python'));
const WALL_MS = 60_000;

export type Files = Readonly<Record<string, string>>;
type TestLine = Extract<RunnerLine, { kind: 'test' }>;

export interface SuiteRun {
  readonly lines: readonly RunnerLine[];
  readonly tests: readonly TestLine[];
  readonly ended: boolean;
  readonly nonce: string;
  readonly exitCode: number | undefined;
  readonly output: string;
  /** Outcome by test name. */
  readonly outcomes: Readonly<Record<string, string>>;
  /** Messages of `late_error` lines with reason `refused`. */
  readonly refused: readonly string[];
}

export interface SuiteOptions {
  readonly program?: RunnerProgram;
  /** Another copy of sandbox/runner. */
  readonly runnerDir?: string;
  readonly mode?: 'collect' | 'run';
  readonly stub?: 'raise' | 'none' | 'wrong' | null;
  readonly variant?: StubVariant;
  readonly testFiles?: readonly string[];
  readonly suiteFiles?: readonly string[];
  readonly testTimeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly extra?: Readonly<Record<string, unknown>>;
}

const TEST_FILE = /(^|\/)(test_[^/]*\.py|[^/]*_test\.py|[^/]*\.(test|spec)\.[cm]?js)$/;

/** Writes `files` into a fresh folder and hands it to `use`; the folder is removed afterwards. */
export async function inFolder<T>(files: Files, use: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'a7-runner-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, 'work', path)), { recursive: true });
      await writeFile(join(dir, 'work', path), text);
    }
    await mkdir(join(dir, 'work'), { recursive: true });
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Runs a suite and returns its checked report lines. */
export async function runSuite(files: Files, options: SuiteOptions = {}): Promise<SuiteRun> {
  return inFolder(files, async (dir) => {
    const nonce = randomBytes(16).toString('hex');
    const reportPath = join(dir, 'report.jsonl');
    const { argv, env } = commandHere(options.program ?? 'pytest', options.runnerDir);
    const config = {
      nonce,
      mode: options.mode ?? 'run',
      testFiles: options.testFiles ?? Object.keys(files).filter((path) => TEST_FILE.test(path)),
      reportPath,
      stub: options.stub ?? null,
      ...(options.variant === undefined ? {} : { variant: options.variant }),
      testTimeoutMs: options.testTimeoutMs ?? 20_000,
      workDir: join(dir, 'work'),
      suiteFiles: options.suiteFiles ?? [],
      ...options.extra,
    };
    const [file, ...args] = argv;
    const run = await execa(pythonOverride(file ?? ''), args, {
      cwd: join(dir, 'work'),
      input: JSON.stringify(config),
      env: { ...env, PATH: process.env['PATH'] ?? '', ...options.env },
      extendEnv: false,
      reject: false,
      all: true,
      timeout: WALL_MS,
    });
    const report = await readFile(reportPath, 'utf8').catch(() => '');
    return summary(report, nonce, run.exitCode, run.all);
  });
}

/** As `runnerCommand`, with the programs of this checkout. */
export function commandHere(program: RunnerProgram, runnerDir?: string): RunnerCommand {
  const isPython = runnerCommand(program).argv.at(-1)?.endsWith('.py') === true;
  return runnerCommand(program, runnerDir ?? (isPython ? PYTHON_DIR : RUNNER_DIR));
}

/** In the home that global set-up made and removes: a test worker that is ended says no farewell. */
function flatPrograms(folder: string): string {
  const flat = mkdtempSync(join(process.env['A7_HOME'] ?? tmpdir(), 'a7-programs-'));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && /\.(?:py|ini)$/u.test(entry.name))
      copyFileSync(join(entry.parentPath, entry.name), join(flat, entry.name));
  return flat;
}

/** `A7_TEST_PYTHON` runs the same tests on another interpreter, for example one with the pytest of the image. */
function pythonOverride(file: string): string {
  return file.includes('python') ? (process.env['A7_TEST_PYTHON'] ?? file) : file;
}

function summary(report: string, nonce: string, exitCode: number | undefined, output: string): SuiteRun {
  const lines = report
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => RunnerLine.parse(JSON.parse(line)));
  const tests = lines.filter((line) => line.kind === 'test');
  return {
    lines,
    tests,
    ended: lines.some((line) => line.kind === 'end' && line.nonce === nonce),
    nonce,
    exitCode,
    output,
    outcomes: Object.fromEntries(tests.map((line) => [label(line), line.outcome])),
    refused: lines.flatMap((line) =>
      line.kind === 'late_error' && line.reason === 'refused' ? [line.failure.message] : [],
    ),
  };
}

function label(line: TestLine): string {
  const { nesting, name, ordinal } = line.id;
  return [...nesting, ordinal === 0 ? name : `${name}#${String(ordinal)}`].join(' > ');
}
