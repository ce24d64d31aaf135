/**
 * One contract for every driver: real rooms, the real forwarder, a scripted endpoint. `command` and `native` always; the
 * registry's programs with A7_TEST_AGENTS=1.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AgentYard, agentYard, type Ran } from '../support/agent-yard.ts';
import { isTested, REAL, type RealAgent, says, shellCall } from '../support/real-agents.ts';

const SECONDS = 1000;
let yard: AgentYard;
beforeAll(async () => {
  yard = await agentYard();
});
afterAll(() => yard.close());

const names = (ran: Ran): string[] => ran.files.map(({ path }) => path);
const tested = REAL.filter(isTested);

/** A model that fails however often it is asked. */
const failing = (status: number) => ({
  repeat: true,
  answer: {
    text: 'never',
    faults: Array.from({ length: 40 }, () => ({ kind: 'status' as const, status, retry_after_seconds: 0 })),
  },
});

describe.each(tested)('driver %s', (agent: RealAgent) => {
  const run = (commands: readonly string[], options: Parameters<AgentYard['run']>[2] = {}): Promise<Ran> =>
    yard.run(agent, [says(agent, commands)], options);

  test(
    'ends well, leaves its work, nothing beside it, and no process; what it used is counted at the door',
    async () => {
      const marker = String(70_000 + Math.floor(Math.random() * 9_000));
      const ran = await run([
        `echo new > new.txt; echo x > /etc/evil; echo x > ../evil; ln -s /etc/passwd link; (setsid sleep ${marker} >/dev/null 2>&1 &)`,
      ]);
      expect([ran.end.kind, names(ran), ran.usage.calls, ran.usage.inputTokens > 0]).toEqual([
        'ok',
        ['new.txt'],
        2,
        true,
      ]);
      expect(ran.refused.filter((path) => !path.includes('.git'))).toEqual(['/work/link']);
      expect(yard.processes(`sleep ${marker}`)).toBe(0);
    },
    60 * SECONDS,
  );

  test(
    'says done and did nothing: the tree is as it was',
    async () => {
      const ran = await run([]);
      expect([ran.end.kind, names(ran)]).toEqual(['ok', []]);
    },
    60 * SECONDS,
  );

  test.each([
    [401, 'no_access'],
    [429, 'model_error'],
    [500, 'model_error'],
  ])(
    'ends when the model says %d as %s, and is not charged',
    async (status, kind) => {
      const ran = await yard.run(agent, [failing(status)]);
      expect([ran.end.kind, ran.usage.inputTokens, names(ran)]).toEqual([kind, 0, []]);
    },
    120 * SECONDS,
  );

  test(
    'is ended when its model or its tool stands still, and a tool that kills it is no success',
    async () => {
      const silent = { answer: { text: 'never', faults: [{ kind: 'stall' as const }] } };
      const [still, hung, killed] = await Promise.all([
        yard.run(agent, [silent], { wallMs: 6 * SECONDS }),
        run(['echo half > half.txt; sleep 71000'], { wallMs: 8 * SECONDS }),
        run(['for p in $(ls /proc); do case $p in [0-9]*) kill -9 $p 2>/dev/null;; esac; done; sleep 1']),
      ]);
      expect([still.end.kind, hung.end.kind]).toEqual(['timed_out', 'timed_out']);
      expect(killed.end.kind).not.toBe('ok');
      expect(yard.processes('sleep 71000')).toBe(0);
    },
    120 * SECONDS,
  );

  test(
    'is ended as a whole when its order is cancelled',
    async () => {
      const stop = new AbortController();
      const ran = run(['echo begun; sleep 72000'], { signal: stop.signal, onCall: () => stop.abort() });
      await expect(ran).rejects.toThrow();
      expect(yard.processes('sleep 72000')).toBe(0);
    },
    60 * SECONDS,
  );

  test(
    'stops at the bounds of calls and money, whatever its own loop would do',
    async () => {
      const loop = { repeat: true, answer: shellCall(agent, 'echo again') };
      const price = { inputMicroUsdPerMTok: 1_000_000, outputMicroUsdPerMTok: 1_000_000 };
      const [calls, money] = await Promise.all([
        yard.run(agent, [loop], { limits: { requestsMax: 3 } }),
        yard.run(agent, [loop], { limits: { costMicroUsd: 300_000 }, price }),
      ]);
      expect([calls.end, calls.usage.calls]).toMatchObject([
        { kind: 'limit', detail: 'requests an iteration, at most 3' },
        3,
      ]);
      expect([money.end.kind, (money.usage.costMicroUsd ?? 1e9) <= 300_000]).toEqual(['limit', true]);
    },
    120 * SECONDS,
  );
});

describe('driver native, its own loop', () => {
  test('stops at its turns, and where the model only talks', async () => {
    const loop = { repeat: true, answer: shellCall('native', 'echo again') };
    const talk = { repeat: true, answer: { text: 'I think so.' } };
    const [turns, silent] = await Promise.all([
      yard.run('native', [loop], { turnsMax: 2 }),
      yard.run('native', [talk]),
    ]);
    expect([turns.end, turns.usage.calls]).toMatchObject([{ kind: 'limit', detail: 'turns, at most 2' }, 2]);
    expect([silent.end.kind, silent.usage.calls]).toEqual(['refused', 3]);
  });

  test('tells the model of tools that cannot do what it asks, and goes on', async () => {
    const call = (name: string, args: Record<string, string | null>) => ({
      hostile: true,
      tool_calls: [{ name, arguments: args }],
    });
    const ran = await yard.run('native', [
      {
        turns: [
          call('read_file', { path: '/etc/passwd' }),
          call('write_file', { path: '.git/config', content: 'x' }),
          call('edit_file', { path: 'readme.md', old: 'nowhere', new: 'x' }),
          call('edit_file', { path: 'readme.md', old: 'hello', new: 'hello you' }),
          call('search', { pattern: '(', folder: null }),
          call('list_files', {}),
          call('finish', { notes: 'Greeted.' }),
        ],
      },
    ]);
    expect([ran.end.kind, ran.notes, ran.usage.calls]).toEqual(['ok', 'Greeted.', 7]);
    expect(ran.files.map(({ path, bytes }) => `${path}: ${Buffer.from(bytes).toString()}`)).toEqual([
      'readme.md: hello you\n',
    ]);
    for (const said of [
      'is outside of the repository',
      'Files of git',
      'stands 0 times',
      'no regular expression',
    ])
      expect(ran.stdout).toContain(said);
  });
});

describe('driver command', () => {
  test('is judged by its room: crash, flood, what it printed and left', async () => {
    const [crashed, flood, ok] = await Promise.all([
      yard.run('command', [], { command: 'echo half > half.txt; exit 7' }),
      yard.run('command', [], { command: 'yes | head -c 40000000' }),
      yard.run('command', [], { command: 'cat > told.txt; echo notes > $A7_NOTES' }),
    ]);
    expect([crashed.end, names(crashed)]).toMatchObject([{ kind: 'crashed', exitCode: 7 }, ['half.txt']]);
    expect([flood.end.kind, flood.stdout.length <= 33_554_432]).toEqual(['output_limit', true]);
    expect([ok.end.kind, names(ok), ok.notes]).toEqual(['ok', ['told.txt'], 'notes\n']);
  });
});
