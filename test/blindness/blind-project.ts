/** A project of two nodes, run by the real program against a scripted model: what every role was sent, and what the session kept. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { startModelServer } from '../../adapters/model-server/server.ts';
import { CODE_MARK, CODE_PATTERN, SPY_SIGN, SUITE_PATTERN } from './canaries.ts';

const CLI = resolve('bin', 'a7-rt.mjs');

/** Two nodes, the second on the first. */
export const SIGN_CONTRACTS = `version: 1
project: { name: blind, language: python }
stages: [{ id: core }]
nodes:
  - id: num.sign
    stage: core
    description: 'sign(n) -> int: -1, 0 or 1'
    interface: { exports: ['def sign(n: int) -> int: ...'], guarantees: ['-1 below 0, 0 for 0, 1 above'] }
  - id: num.abs
    stage: core
    description: 'magnitude(n) -> int: n without its sign'
    interface: { exports: ['def magnitude(n: int) -> int: ...'], guarantees: ['Never below 0'] }
    structural_deps: [num.sign]
`;

const SIGN = ['def sign(n: int) -> int: ...'];
const ABS = ['def magnitude(n: int) -> int: ...'];
const WRONG = 'def sign(n: int) -> int:\n    return 1\n';
const HONEST = `def sign(n: int) -> int:
    # ${CODE_MARK} in a comment
    ${CODE_MARK}_local = "${CODE_MARK}_literal"
    return (n > 0) - (n < 0) if ${CODE_MARK}_local else 0
`;
const ABS_CODE = 'from num.sign import sign\n\n\ndef magnitude(n: int) -> int:\n    return n * sign(n)\n';
const ABS_SUITE =
  'from num.abs import magnitude\n\n\ndef test_magnitude():\n    assert magnitude(-3) == 3\n    assert magnitude(0) == 0\n';

const call = (name: string, input: object = {}) => ({ name, arguments: input });
const write = (path: string, content: string) => call('write_file', { path, content });
const submit = (exports: readonly string[], more: object = {}) =>
  call('submit_pr', { status: 'grounded', interface: { exports }, ...more });
/** Every way to look that an agent has. */
const looks = (pattern: string) => [
  call('list_files'),
  call('list_files', { glob: '**' }),
  call('grep_content', { pattern }),
  call('get_current_state'),
];
const covers = { covers: [{ clause: 'G1', tests: ['*'] }] };

function scriptOf(suite: Readonly<Record<string, string>>) {
  const files = Object.entries(suite).map(([path, content]) => write(path, content));
  return {
    version: 1,
    rules: [
      { role: 'test_author', node: 'num.sign', turns: [{ tool_calls: [...files, submit(SIGN, covers)] }] },
      {
        role: 'builder',
        node: 'num.sign',
        turns: [
          {
            hostile: true,
            tool_calls: [...looks(SUITE_PATTERN), write('num/sign.py', SPY_SIGN), call('run_test')],
          },
          { tool_calls: [submit(SIGN)] },
          { tool_calls: [write('num/sign.py', WRONG), submit(SIGN)] },
          { tool_calls: [write('num/sign.py', HONEST), ...looks(SUITE_PATTERN), submit(SIGN)] },
        ],
      },
      {
        role: 'test_author',
        node: 'num.abs',
        turns: [
          {
            hostile: true,
            tool_calls: [
              ...looks(CODE_PATTERN),
              call('read_file', { path: 'num/sign.py' }),
              write('tests/num_abs/test_abs.py', ABS_SUITE),
              call('run_test'),
            ],
          },
          { tool_calls: [submit(ABS, covers)] },
        ],
      },
      {
        role: 'builder',
        node: 'num.abs',
        turns: [
          {
            hostile: true,
            tool_calls: [...looks(SUITE_PATTERN), write('num/abs.py', ABS_CODE), submit(ABS)],
          },
        ],
      },
    ],
  };
}

export interface BlindRun {
  readonly dir: string;
  /** Bodies of the requests of a role for a node, in order, as they were sent. */
  sent(role: string, node: string): readonly string[];
}

/** Builds the project in `root/name` with a suite; `home` is shared by all runs of a test. */
export async function runBlind(
  root: string,
  name: string,
  suite: Readonly<Record<string, string>>,
): Promise<BlindRun> {
  const dir = join(root, name, 'blind');
  const record = join(root, name, 'record');
  mkdirSync(join(root, name));
  const script = join(root, name, 'script.json');
  writeFileSync(script, JSON.stringify(scriptOf(suite)));
  const model = await startModelServer({ script: { path: script }, recordDir: record });
  const env = { A7_HOME: join(root, 'home'), OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'scripted' };
  const command = (...args: string[]) => execa('node', [CLI, ...args], { env });
  try {
    await command('init', dir);
    writeFileSync(join(dir, 'contracts.yaml'), SIGN_CONTRACTS);
    writeFileSync(join(dir, '.a7', 'config.toml'), 'sandbox = "bubblewrap"\n');
    await command('seed', dir);
    await command('run', dir, '--model', 'scripted', '--manager', 'policy', '--backend', 'bubblewrap');
  } finally {
    await model.close();
  }
  const requests = model.requests();
  const refused = requests.filter((request) => request.outcome !== 'answer');
  if (refused.length > 0) throw new Error(`Cannot use run "${name}": ${JSON.stringify(refused)}`);
  return {
    dir,
    sent: (role, node) =>
      requests
        .filter(({ coordinates }) => coordinates.role === role && coordinates.node === node)
        .map((request) =>
          readFileSync(join(record, 'bodies', `${request.requestHash.slice('sha256:'.length)}.json`), 'utf8'),
        ),
  };
}
