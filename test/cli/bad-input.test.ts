import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { removeHome, tempHome } from '../support/server.ts';
import { type CliResult, type TestSession, cli, makeSession } from '../support/session.ts';

const MODEL = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'none' };
const RUN = ['run', '--model', 'x', '--manager', 'policy'];
const DEAD_SERVER = { ...MODEL, TEMPORAL_ADDRESS: '127.0.0.1:9' };

let home = '';
let session: TestSession;
beforeAll(async () => {
  home = await tempHome();
  session = await makeSession({ home });
});
afterAll(async () => {
  await session.remove();
  await removeHome(home);
});

function failure(code: number, err: string): CliResult {
  return { code, out: '', err };
}

/** Runs `act` with a file changed, and puts it back. */
async function withFile<T>(name: string, text: string | null, act: () => Promise<T>): Promise<T> {
  const path = session.path(name);
  const before = readFileSync(path);
  if (text === null) rmSync(path);
  else writeFileSync(path, text);
  try {
    return await act();
  } finally {
    writeFileSync(path, before);
  }
}

function replaced(name: string, from: string, to: string): string {
  const text = readFileSync(session.path(name), 'utf8');
  if (!text.includes(from)) throw new Error(`${name} holds no "${from}"`);
  return text.replace(from, to);
}

test('a damaged identity of the data folder of orders is named, with what to do', async () => {
  const path = join(home, 'orders', 'data.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '{"version":1');
  const result = await cli(['orders'], { cwd: dirname(session.dir), env: { A7_HOME: home } });
  expect(result.code).toBe(2);
  expect(result.err).toMatch(/^error Cannot read .+data\.json: .+\nnext  Put it back/);
  rmSync(dirname(path), { recursive: true });
});

test('a named pipe, a device and what the kernel makes up are refused where a file is named, not waited for', async () => {
  const pipe = session.path('pipe');
  await execa('mkfifo', [pipe]);
  const asked: readonly (readonly string[])[] = [
    ['lint-contracts', pipe],
    ['lint-contracts', '/proc/self/status'],
    ['model-server', '--script', pipe],
    ['graph', session.dir, '--out', pipe],
  ];
  const told = await Promise.all(
    asked.map((args) => cli(args, { cwd: session.dir, env: { A7_HOME: home, ...MODEL } })),
  );
  for (const { code, err } of told)
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^error .*Cannot .*(?:no regular file|no file on a disk)/),
    ]);
  rmSync(pipe);
});

describe('a folder that is no session', () => {
  test('init never writes into a folder that holds something', async () => {
    const before = readFileSync(session.path('contracts.yaml'), 'utf8');
    const result = await session.at(['init']);
    expect(result.code).toBe(2);
    expect(result.err).toMatch(/^error Cannot init "sums": the folder is not empty \(it holds .+\)\nnext  /);
    expect(readFileSync(session.path('contracts.yaml'), 'utf8')).toBe(before);
  });

  test('a missing folder, a plain one and a damaged one are told apart', async () => {
    const plain = join(dirname(session.dir), 'plain');
    mkdirSync(plain);
    const options = { cwd: dirname(session.dir), env: { A7_HOME: home } };
    expect(await cli(['status', 'nowhere'], options)).toEqual(
      failure(2, 'error Cannot open session "nowhere": there is no such folder\nnext  a7-rt init nowhere'),
    );
    expect(await cli(['status', 'sums/contracts.yaml'], options)).toEqual(
      failure(
        2,
        'error Cannot open session "sums/contracts.yaml": it is a file, a session is a folder\nnext  Name the folder',
      ),
    );
    expect(await cli(['seed', 'plain'], options)).toEqual(
      failure(
        2,
        'error Cannot open session "plain": the folder is no session (it has no .a7/session.json)\nnext  a7-rt init NEW-FOLDER makes one',
      ),
    );
    expect(await withFile('.a7/session.json', '{', () => session.at(['status']))).toEqual(
      failure(
        2,
        'error Cannot open session "sums": its .a7/session.json cannot be read\nnext  a7-rt restore sums gives it an identity of its own',
      ),
    );
    const mended = await withFile('.a7/session.json', '{', async () => [
      (await session.at(['seed', '--adopt'])).code,
      (await session.at(['status'])).code,
    ]);
    expect(mended).toEqual([0, 0]);
  });

  test('a copy is read, and refuses to be changed until it is adopted', async () => {
    const copy = join(dirname(session.dir), 'copy');
    cpSync(session.dir, copy, { recursive: true });
    const options = { cwd: dirname(session.dir), env: { A7_HOME: home } };
    expect((await cli(['status', 'copy'], options)).code).toBe(0);
    const refused = await cli(['seed', 'copy'], options);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('a7-rt seed copy --adopt gives it an identity of its own');
    expect((await cli(['seed', 'copy', '--adopt'], options)).code).toBe(0);
    const idOf = (dir: string): string => readFileSync(join(dir, '.a7/session.json'), 'utf8');
    expect(idOf(copy)).not.toBe(idOf(session.dir));
  });
});

describe('a ledger with a changed line', () => {
  test.each([
    [['status'], 2],
    [['narrative'], 2],
    [['why', 'sum.add'], 2],
    [['input', 'hello'], 2],
    [['seed'], 2],
    [RUN, 2],
    [['doctor'], 4],
  ])('%j names the line and writes nothing', async ([command = '', ...args], code) => {
    const changed = replaced('events.jsonl', '"seq":1', '"seq":7');
    await withFile('events.jsonl', changed, async () => {
      const all = command === 'doctor' ? ['doctor'] : [command, ...args];
      const result = await session.at(all, MODEL);
      expect(result.code).toBe(code);
      if (code === 2)
        expect(result.err).toMatch(
          /^error .*[Ll]ine 1 .*has sequence number 7, expected 1\nnext {2}a7-rt restore/,
        );
      expect(readFileSync(session.path('events.jsonl'), 'utf8')).toBe(changed);
    });
  });

  test('ledger verify says where, with exit code 1', async () => {
    const options = { cwd: dirname(session.dir), env: { A7_HOME: home } };
    const changed = replaced('events.jsonl', '"name":"sums"', '"name":"cars"');
    const result = await withFile('events.jsonl', changed, () =>
      cli(['ledger', 'verify', 'sums', '--json'], options),
    );
    expect(result.code).toBe(1);
    expect(JSON.parse(result.out)).toMatchObject({
      chain: 'broken',
      lines: 0,
    });
  });
});

describe('configuration that is wrong', () => {
  test.each([
    [
      '.a7/config.toml',
      'max_cost = = 3\n',
      'error sums/.a7/config.toml:1:12 Cannot read the configuration: invalid value\n      1 | max_cost = = 3\n                     ^',
    ],
    [
      '.a7/config.toml',
      'max_costs = 3\n',
      'error sums/.a7/config.toml:1:1 Cannot use the configuration: "max_costs" is not a known field. Did you mean "max_cost"?\n      1 | max_costs = 3\n          ^',
    ],
    [
      '.a7/models.toml',
      '[x',
      'error sums/.a7/models.toml:1:2 Cannot read the models: incomplete key-value: cannot find end of key\n      1 | [x\n           ^',
    ],
  ])('%s with %j is shown with line and caret', async (file, text, message) => {
    const result = await withFile(file, text, () => session.at(RUN, MODEL));
    expect(result).toEqual(failure(2, `${message}\nnext  edit sums/.a7/config.toml or models.toml`));
  });

  test('no model and no key are said before anything starts', async () => {
    const none = await session.at(['run']);
    expect(none).toEqual(
      failure(
        2,
        'error Cannot run: no model is configured for role "builder"\nnext  Give --model NAME, or set manager_model and subagent_model in .a7/config.toml',
      ),
    );
    const { err, code } = await session.at(['run', '--model', 'x', '--manager', 'policy']);
    expect([code, err]).toEqual([
      2,
      'error Cannot run: there is no API key for model "x" (role builder)\nnext  Set OPENAI_API_KEY, or write the key into .a7/key (mode 0600)',
    ]);
  });
});

describe('names that the session does not have', () => {
  test.each([
    [[...RUN, '--stage-id', 'nope'], 'Cannot run stage "nope": the session has core'],
    [[...RUN, '--node', 'nope'], 'Cannot build "nope": there is no such node; the session has sum.add'],
    [['why', 'nope'], 'Cannot explain "nope": there is no such node'],
    [['narrative', '--node', 'nope'], 'Cannot tell of "nope": there is no such node'],
    [['input', '/poison', 'nope'], 'Cannot poison "nope": there is no such node'],
    [['input', '/poison'], 'Cannot poison: no node is named; use /poison NODE WHY'],
    [
      ['input', '/explode'],
      'Cannot do "/explode": there is no such command; use /halt WHY, /poison NODE WHY, /verify FROM TO',
    ],
    [['input', 'yes', '--node', 'nope'], 'Cannot answer "nope": there is no such node'],
    [['halt'], 'Cannot halt: no stage is moving'],
  ])('%j is refused and not recorded', async (args, message) => {
    const ledger = readFileSync(session.path('events.jsonl'), 'utf8');
    const result = await session.at(args, MODEL);
    expect(result).toEqual(failure(2, `error ${message}\nnext  a7-rt status sums`));
    expect(readFileSync(session.path('events.jsonl'), 'utf8')).toBe(ledger);
  });

  test('a commit that no node made is not verified', async () => {
    const result = await session.at(['verify', 'HEAD']);
    expect(result.code).toBe(2);
    expect(result.err).toContain(
      'it is no commit of a node, no snapshot, dispatch or report digest of this session',
    );
  });
});

describe('a machine that lacks something', () => {
  const AWAY =
    /^error Cannot reach the Temporal server at 127\.0\.0\.1:9: it does not answer\. .+\nnext {2}a7-rt doctor$/m;

  test.each([[RUN], [['worker']]])('%j with a dead TEMPORAL_ADDRESS ends with exit code 4', async (args) => {
    const result = await session.at(args, DEAD_SERVER);
    expect([result.code, result.out]).toEqual([4, '']);
    expect(result.err).toMatch(AWAY);
  });

  test('init, seed, status and input at rest need no server at all', async () => {
    for (const args of [['seed'], ['status'], ['input', 'hello']])
      expect((await session.at(args, DEAD_SERVER)).code).toBe(0);
  });
});
