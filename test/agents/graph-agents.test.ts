/** Coding agents as builder and test author of nodes: blind in rooms of their own, refused and repaired, counted, and never paid twice. */
import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { LedgerLine } from '../../schemas/ledger.ts';
import { SIGN_CONTRACTS } from '../blindness/blind-project.ts';
import { CODE_MARK, SUITE_MARK } from '../blindness/canaries.ts';
import { auditSession } from '../support/audit.ts';
import { serveScript, TEST_KEY } from '../support/model-fixtures.ts';
import { says, shellCall } from '../support/real-agents.ts';
import { CLI, honestScript, makeSession, SUM_CONTRACTS, type TestSession } from '../support/session.ts';

const MINUTES = 60_000;

let home: string;
const sessions: TestSession[] = [];
beforeAll(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), 'a7-graph-'));
});
afterAll(async () => {
  await execa('node', [CLI, 'down'], { env: { A7_HOME: home }, reject: false });
  for (const each of sessions) await each.remove();
  rmSync(home, { recursive: true, force: true });
});

async function session(contracts: string): Promise<TestSession> {
  const made = await makeSession({ home, contracts });
  sessions.push(made);
  return made;
}

function eventsOf(at: TestSession, type: string): Record<string, never>[] {
  return readFileSync(at.path('events.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => LedgerLine.parse(JSON.parse(line)))
    .filter((line) => line.type === type)
    .map((line) => line.data as Record<string, never>);
}

interface Returned {
  readonly nodeId: string;
  readonly dispatchId: string;
  readonly program?: string;
  readonly result: {
    readonly status: string;
    readonly attempts?: number;
    readonly submission: { readonly prNote: string; readonly files: readonly string[] };
    readonly usage: { readonly calls: number; readonly costMicroUsd: number | null };
  };
}

/** The whole of the spy as one shell command, for whatever program runs it. */
const SPY = `cat > /tmp/spy.py <<'END'
${readFileSync(resolve('test/agents/programs/spy.py'), 'utf8')}END
python3 /tmp/spy.py < "$A7_PROMPT"`;
const BUILDER = 'You are the builder of one node';
const AUTHOR = 'You are the test author of one node';

/** A session whose agents look for what they must not see, are refused, told why, and repair. */
async function spied(
  builder: 'native' | 'codex',
  author: 'claude-code' | null,
  programs: readonly [author: string, builder: string],
): Promise<void> {
  const at = await session(SIGN_CONTRACTS);
  const rules = [
    ...[1, 2, 3].map(() => says(builder, [SPY], BUILDER)),
    ...(author === null ? [] : [1, 2].map(() => says(author, [SPY], AUTHOR))),
  ];
  const server = await serveScript({ rules, api_key: TEST_KEY });
  try {
    const by = author ?? 'command:python3 /opt/agent/spy.py';
    const agents = ['--builder-agent', builder, '--author-agent', by];
    const ran = await at.at(['run', '--model', 'gpt-5.5', '--manager', 'policy', ...agents], {
      OPENAI_BASE_URL: server.url,
      OPENAI_API_KEY: TEST_KEY,
      ...(author === null ? { A7_AGENT_FILES: resolve('test/agents/programs') } : {}),
    });
    const told = server.requests().map(({ outcome, detail }) => `${outcome} ${detail}`);
    expect([
      ran.code,
      ran.err.split('\n').slice(-12),
      told.filter((line) => !line.startsWith('answer')),
    ]).toEqual([0, expect.anything(), []]);
    const returned = eventsOf(at, 'returned') as unknown[] as Returned[];
    expect(
      returned.map(({ nodeId, program, result }) => [nodeId, program, result.status, result.attempts]),
    ).toEqual([
      ['num.sign', programs[0], 'submitted', undefined],
      ['num.sign', programs[1], 'submitted', 2],
      ['num.abs', programs[0], 'submitted', undefined],
      ['num.abs', programs[1], 'submitted', undefined],
    ]);
    for (const { result, dispatchId } of returned)
      expect([dispatchId, JSON.parse(result.submission.prNote)]).toEqual([
        dispatchId,
        { seen: [], control: 1, told: false, uid: expect.any(Number) },
      ]);
    // What was not theirs was put back; the marks were there to be found.
    const tree = (await execa('git', ['-C', at.path('content'), 'ls-tree', '-r', '--name-only', 'main']))
      .stdout;
    expect(tree.split('\n')).not.toContain('tests/num_sign/test_more.py');
    const grep = (mark: string) => execa('git', ['-C', at.path('content'), 'grep', '-il', mark, 'main']);
    expect([(await grep(SUITE_MARK)).stdout, (await grep(CODE_MARK)).stdout]).toEqual([
      'main:tests/num_sign/test_num_sign.py',
      'main:num/sign.py',
    ]);
    expect(await auditSession(at.dir)).toMatchObject({ ok: true });
  } finally {
    await server.close();
  }
}

describe('an agent in a room as builder and test author', () => {
  test(
    'sees nothing that its role must not see, is refused, told why, and repaired; the ledger tells who it was',
    () => spied('native', null, ['command 1', 'native 1']),
    4 * MINUTES,
  );

  test(
    'is paid at the door within the cap of its stage; after a kill of its worker no answer is paid twice',
    async () => {
      const at = await session(SUM_CONTRACTS);
      const code =
        "mkdir -p sum; printf 'def add(a: int, b: int) -> int:\\n    return a + b\\n' > sum/add.py";
      const author = honestScript().rules[0];
      if (author === undefined) throw new Error('no author');
      const slow = says('native', ['echo looking', code], 'You are the builder of one node');
      const server = await serveScript({ rules: [author, slow], api_key: TEST_KEY });
      const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: TEST_KEY };
      const asked = () =>
        server.requests().filter(({ coordinates }) => coordinates.role !== 'test_author').length;
      try {
        const args = [
          'run',
          at.dir,
          '--model',
          'gpt-5.5',
          '--builder-agent',
          'native',
          '--manager',
          'policy',
        ];
        const first = execa(process.execPath, [CLI, ...args], {
          env: { ...env, A7_HOME: home, CI: 'true', A7_MUTATION_SECONDS: '0' },
          reject: false,
        });
        while (asked() < 2) await new Promise((next) => setTimeout(next, 10));
        first.kill('SIGKILL');
        await first;
        const second = await at.at(
          args.filter((each) => each !== at.dir),
          env,
        );
        expect([second.code, second.err.split('\n').slice(-8)]).toEqual([0, expect.anything()]);
        // Three calls; the one that the kill may have met is asked once more at most.
        expect([3, 4]).toContain(asked());
        const builder = (eventsOf(at, 'returned') as unknown[] as Returned[]).at(-1);
        expect([builder?.program, builder?.result.status]).toEqual(['native 1', 'submitted']);
        const calls = readdirSync(at.path('calls'), { recursive: true }).map(String);
        expect(calls.filter((path) => /door-\d+\/sent-1\.json$/.test(path))).toHaveLength(asked());
        expect(builder?.result.usage.calls).toBe(asked());
      } finally {
        await server.close();
      }
    },
    4 * MINUTES,
  );

  test(
    'an endpoint that lets nobody in rests the stage at once, and nothing is counted; an agent that is not here is refused',
    async () => {
      const at = await session(SUM_CONTRACTS);
      const faults = Array.from({ length: 20 }, () => ({ kind: 'status' as const, status: 401 }));
      const server = await serveScript({
        rules: [{ repeat: true, answer: { text: 'never', faults } }],
        api_key: TEST_KEY,
      });
      try {
        const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: TEST_KEY, A7_CACHE: '' };
        const ran = await at.at(
          ['run', '--model', 'gpt-5.5', '--author-agent', 'native', '--manager', 'policy'],
          {
            OPENAI_BASE_URL: env.OPENAI_BASE_URL,
            OPENAI_API_KEY: TEST_KEY,
          },
        );
        expect([ran.code, ran.out + ran.err]).toEqual([3, expect.stringContaining('endpoint answers 401')]);
        expect(server.requests().length).toBeLessThan(4);
        expect(eventsOf(at, 'suspended')).toEqual([]);
        const unknown = await at.at(['run', '--builder-agent', 'cursor', '--model', 'm'], env);
        expect([unknown.code, unknown.err]).toEqual([
          2,
          expect.stringContaining('current value is "cursor"'),
        ]);
        const inside = await at.at(['run', '--builder-agent', 'command:true', '--model', 'm'], {
          OPENAI_API_KEY: TEST_KEY,
          A7_AGENT_FILES: at.path('content'),
        });
        expect([inside.code, inside.err]).toEqual([
          2,
          expect.stringContaining('hold nothing of the session'),
        ]);
        // The cap of the stage is met in the middle of a turn: no call passes it, and a person is asked.
        const config = readFileSync(at.path('.a7/config.toml'), 'utf8');
        writeFileSync(at.path('.a7/config.toml'), `max_unpriced_tokens = 40000\n${config}`);
        const looping = await serveScript({
          rules: [{ repeat: true, answer: shellCall('native', 'echo again') }],
          api_key: TEST_KEY,
        });
        const author = ['run', '--model', 'gpt-5.5', '--author-agent', 'native', '--manager', 'policy'];
        const capped = await at.at(author, { OPENAI_BASE_URL: looping.url, OPENAI_API_KEY: TEST_KEY });
        await looping.close();
        const asked = looping.requests().length;
        expect([capped.code, capped.out + capped.err]).toEqual([3, expect.stringContaining('Cap reached')]);
        expect([asked > 1, asked < 30]).toEqual([true, true]);
        // With the one that was answered by 401.
        expect((eventsOf(at, 'returned') as unknown[]).at(-1)).toMatchObject({
          result: { status: 'rested', code: 'BUDGET_REACHED', usage: { calls: asked + 1 } },
        });
      } finally {
        await server.close();
      }
    },
    2 * MINUTES,
  );

  // The registry's programs; `a7-rt agents --install NAME` brings each.
  if (process.env['A7_TEST_AGENTS'] === '1')
    test(
      'claude-code as test author and codex as builder see no more, are refused, told why, and repaired',
      () => spied('codex', 'claude-code', ['claude-code 2.1.330', 'codex 0.169.0']),
      20 * MINUTES,
    );
});
