/** A JavaScript suite and code on both sides of the wall as host processes, without a room: a quarter of a second each, our own fixtures only. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { wallInput } from '../../activities/gate/wall-room.ts';
import { readRunnerFiles } from '../../adapters/runner-files/runner-files.ts';
import { RunnerLine } from '../../schemas/runner-report.ts';
import { quickPlan } from '../gate/gate-world.ts';
import { scriptContract } from './script-world.ts';

const ENV = { PATH: process.env['PATH'] ?? '', TZ: 'UTC' };
const PROGRAMS = {
  suite: 'javascript/suite/runner.cjs',
  examples: 'javascript/suite/examples.mjs',
} as const;

export type TestLine = Extract<RunnerLine, { kind: 'test' }>;

export interface HostRun {
  readonly lines: readonly RunnerLine[];
  readonly tests: readonly TestLine[];
  /** Outcome and failure by name of the test. */
  readonly told: Readonly<Record<string, string>>;
}

export interface HostWall {
  /** Runs `suite`, which imports `../../shop/thing.mjs`, against `code` with these exports; `program` examples reads them from `told`. */
  run(exports: readonly string[], code: string, suite: string, options?: HostOptions): Promise<HostRun>;
  close(): Promise<void>;
}

export interface HostOptions {
  readonly ending?: 'mjs' | 'cjs' | 'ts';
  readonly raises?: readonly string[];
  readonly program?: keyof typeof PROGRAMS;
  readonly told?: Readonly<Record<string, unknown>>;
  /** What the suite expects is built in another process, as in the second run of the gate. */
  readonly hasTwin?: boolean;
}

/** Lays the programs once. */
export async function openHostWall(): Promise<HostWall> {
  const folder = await mkdtemp(join(tmpdir(), 'a7-host-wall-'));
  const programs = join(folder, 'programs');
  for (const file of (await readRunnerFiles('sandbox/runner')).files('typescript'))
    await lay(programs, file.path, file.bytes);
  let count = 0;
  return {
    async run(exports, code, suite, options = {}) {
      const run = (told: HostOptions['told'] = {}): Promise<HostRun> => {
        const own = join(folder, String((count += 1)));
        return hostRun({ programs, own, exports, code, suite, options: { ...options, told } });
      };
      const first = await run(options.told);
      const apart = first.lines.filter((line) => line.kind === 'apart');
      if (options.hasTwin !== true || apart.length === 0) return first;
      return run({
        ...options.told,
        apart: Object.fromEntries(apart.map(({ file, places }) => [file, places])),
      });
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

interface Job {
  readonly programs: string;
  readonly own: string;
  readonly exports: readonly string[];
  readonly code: string;
  readonly suite: string;
  readonly options: HostOptions;
}

async function hostRun({ programs, own, exports, code, suite, options }: Job): Promise<HostRun> {
  const { ending = 'mjs', raises = [], program = 'suite', told = {} } = options;
  const contentFile = `shop/thing.${ending}`;
  const testFile = `tests/shop_thing/it.test.${ending}`;
  for (const root of ['code', 'work']) await lay(join(own, root), 'package.json', '{"type":"module"}\n');
  await lay(join(own, 'code'), contentFile, code);
  await lay(join(own, 'work'), testFile, suite);
  const contract = scriptContract(contentFile, exports, raises);
  const limits = quickPlan(contract).steps.flatMap((step) =>
    step.kind === 'suite' ? [step.limits] : [],
  )[0]!;
  const reportPath = join(own, 'report.jsonl');
  const config = {
    nonce: 'n'.repeat(32),
    mode: 'run',
    testFiles: [testFile],
    suiteFiles: [],
    reportPath,
    stub: null,
    testTimeoutMs: limits.testTimeoutMs,
    workDir: join(own, 'work'),
    contentFile,
    wall: wallInput(contract, [], limits),
    ...told,
  };
  await bothSides(
    join(programs, PROGRAMS[program]),
    programs,
    join(own, 'code'),
    JSON.stringify(config),
    'apart' in told,
  );
  const text = await readFile(reportPath, 'utf8').catch(() => '');
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => RunnerLine.parse(JSON.parse(line)));
  const tests = lines.filter((line) => line.kind === 'test');
  const toldOf = ({ outcome, failure }: TestLine): string =>
    failure === null ? outcome : `${outcome}: ${failure.message}`;
  return { lines, tests, told: Object.fromEntries(tests.map((line) => [line.id.name, toldOf(line)])) };
}

/** Ends when the suite's side has; what is left of the other side is killed with its group. */
async function bothSides(
  program: string,
  programs: string,
  codeDir: string,
  input: string,
  hasTwin: boolean,
): Promise<void> {
  const loop = join(programs, 'javascript/wall/builder_side/loop.sh');
  const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] as const;
  const builders = Array.from({ length: hasTwin ? 2 : 1 }, () =>
    spawn('sh', [loop, codeDir, '512'], { cwd: codeDir, env: ENV, stdio: [...stdio], detached: true }),
  );
  const pipes = builders.flatMap(({ stdio: [, , , to, from] }) => {
    if (!to || !from) throw new Error('No pipes');
    return [from, to];
  });
  const side = spawn('node', [program], {
    env: ENV,
    stdio: ['pipe', 'ignore', 'ignore', ...pipes],
  });
  side.stdin?.end(input);
  for (const pipe of pipes) pipe.destroy();
  await new Promise((resolve) => side.once('close', resolve));
  for (const { pid } of builders) {
    try {
      process.kill(-(pid ?? 0), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

async function lay(root: string, path: string, content: string | Uint8Array): Promise<void> {
  const full = join(root, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, content);
}
