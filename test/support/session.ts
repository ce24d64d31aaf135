/** Sessions, the command line as a process, and a scripted model: what tests of the whole program share. */
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { init } from '../../workers/services/init.ts';
import { seed } from '../../workers/services/seed.ts';
import type { SeedAsk } from '../../core/ports/services.ts';
import type { ModelScriptInput } from '../../schemas/model-script.ts';
import { ModelScript } from '../../schemas/model-script.ts';
import { type ModelServer, startModelServer } from '../../adapters/model-server/server.ts';

export const CLI = join(import.meta.dirname, '../../bin/a7-rt.mjs');
const CLI_TIMEOUT_MS = 150_000;

export interface CliResult {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** Runs `a7-rt` in a pipe, where it prints no colour, also where `CI` is set. `env` is added to a clean environment. */
export async function cli(
  args: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<CliResult> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    CI: 'true',
    A7_MUTATION_SECONDS: '0',
    ...options.env,
  };
  const result = await execa(process.execPath, [CLI, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env,
    extendEnv: false,
    reject: false,
    timeout: CLI_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  return { code: result.exitCode, out: result.stdout, err: result.stderr };
}

/** Contracts of one Mode A node, `sum.add`, of which {@link honestScript} makes an honest product. */
export const SUM_CONTRACTS = `version: 1
project: { name: sums, language: python }
stages: [{ id: core, kind: pure }]
nodes:
  - id: sum.add
    stage: core
    description: 'add(a, b) -> int: the sum of two integers'
    interface:
      exports: ['def add(a: int, b: int) -> int: ...']
      guarantees: ['The result is the sum']
    examples: [{ call: 'add(1, 2)', returns: 3 }]
`;

const SUITE = `from sum.add import add


def test_sum():
    assert add(1, 2) == 3


def test_negative():
    assert add(-1, 1) == 0
`;
const CODE = 'def add(a: int, b: int) -> int:\n    return a + b\n';

type Rule = ModelScriptInput['rules'][number];
type Faults = NonNullable<NonNullable<Rule['answer']>['faults']>;

/** Honest work on `sum.add`; every first request of a place meets `faults` before. */
export function honestScript(faults: Faults = []): ModelScriptInput {
  const declared = { exports: ['def add(a: int, b: int) -> int: ...'] };
  const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });
  const covers = [
    { clause: 'E1', tests: ['test_sum'] },
    { clause: 'G1', tests: ['test_sum', 'test_negative'] },
  ];
  const submit = (more: object) => ({
    name: 'submit_pr',
    arguments: { status: 'grounded', interface: declared, ...more },
  });
  const rule = (role: 'test_author' | 'builder', calls: object[]): Rule =>
    ({ role, repeat: true, answer: { faults, tool_calls: calls } }) as Rule;
  return {
    version: 1,
    rules: [
      rule('test_author', [write('tests/sum_add/test_add.py', SUITE), submit({ covers })]),
      rule('builder', [write('sum/add.py', CODE), submit({})]),
    ],
  };
}

/** A scripted model in this process, and the environment that leads to it. */
export async function scriptedModel(
  script: ModelScriptInput,
): Promise<ModelServer & { readonly env: Readonly<Record<string, string>> }> {
  const server = await startModelServer({ script: ModelScript.parse(script) });
  return { ...server, env: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'scripted' } };
}

/** A seed whose plan a person has agreed to. */
export const CONSENTED: SeedAsk = { adopt: false, planOnly: false, consent: () => Promise.resolve(true) };

export interface TestSession {
  readonly dir: string;
  /** Runs a command on this session: `at(['run', '--model', 'x'])` becomes `run DIR --model x`. */
  at(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CliResult>;
  path(name: string): string;
  remove(): Promise<void>;
}

/** A session folder; seeded unless told otherwise. `home` is its `A7_HOME`. */
export async function makeSession(options: {
  readonly home: string;
  readonly contracts?: string;
  readonly seed?: boolean;
  /** Default bubblewrap, whose rooms start soonest. `auto`: what the product chooses by itself. */
  readonly sandbox?: 'auto' | 'bubblewrap';
  /** The folder it lies in. Default: a temporary one of its own. */
  readonly parent?: string;
}): Promise<TestSession> {
  const parent = options.parent ?? (await mkdtemp(join(await realpath(tmpdir()), 'a7-session-')));
  const dir = join(parent, 'sums');
  // Not through `createServices`, which imports when it is asked: jest refuses an import between two tests, and some make
  // their sessions there.
  await init(dir, null);
  await writeFile(join(dir, 'contracts.yaml'), options.contracts ?? SUM_CONTRACTS);
  const config = join(dir, '.a7', 'config.toml');
  const sandbox = options.sandbox ?? 'bubblewrap';
  await writeFile(config, `sandbox = "${sandbox}"\n${await readFile(config, 'utf8')}`);
  if (options.seed !== false) {
    const seeded = await seed({ env: { ...process.env, A7_HOME: options.home } }, dir, CONSENTED);
    if (!seeded.ok) throw new Error(seeded.problems.map((problem) => problem.message).join('; '));
  }
  return {
    dir,
    at: ([command = '', ...rest], env = {}) =>
      cli([command, 'sums', ...rest], { cwd: parent, env: { A7_HOME: options.home, ...env } }),
    path: (name) => join(dir, name),
    remove: () => rm(parent, { recursive: true, force: true }),
  };
}
