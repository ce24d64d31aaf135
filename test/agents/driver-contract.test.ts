/**
 * One contract for every driver: real rooms, the real forwarder, a scripted endpoint. `command`, `native` and `acp` always; the
 * registry's programs with A7_TEST_AGENTS=1.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AgentYard, agentYard, type Ran } from '../support/agent-yard.ts';
import { CALLING, isTested, patience, type RealAgent, says, shellCall } from '../support/real-agents.ts';

const SECONDS = 1000;
let yard: AgentYard;
beforeAll(async () => {
  yard = await agentYard();
});
afterAll(() => yard.close());

const names = (ran: Ran): string[] => ran.files.map(({ path }) => path);
const tested = CALLING.filter(isTested);

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
    60 * SECONDS * patience(agent),
  );

  test(
    'says done and did nothing: the tree is as it was',
    async () => {
      const ran = await run([]);
      expect([ran.end.kind, names(ran)]).toEqual(['ok', []]);
    },
    60 * SECONDS * patience(agent),
  );

  test(
    'goes on when a tool is refused, when it fails, and when it prints without end',
    async () => {
      const refused = { hostile: true, tool_calls: [{ name: 'launch', arguments: { command: 'echo x' } }] };
      const told = says(agent, ['exit 3', 'echo new > new.txt']).turns ?? [];
      const [ran, flood] = await Promise.all([
        yard.run(agent, [{ turns: [refused, ...told] }]),
        run(['yes | head -c 40000000', 'echo new > new.txt']),
      ]);
      expect([ran.end.kind, names(ran), ran.usage.calls]).toEqual(['ok', ['new.txt'], 4]);
      expect([flood.end.kind, names(flood), flood.usage.calls]).toEqual(['ok', ['new.txt'], 3]);
      if (agent === 'acp') expect(ran.stdout).toContain('"kind":"fetch","answer":"reject_once"');
    },
    120 * SECONDS * patience(agent),
  );

  test.each([400, 401, 429, 500])(
    'ends when the model says %d, and is not charged',
    async (status) => {
      const kind = status === 401 ? 'no_access' : agent === 'command' ? 'crashed' : 'model_error';
      const ran = await yard.run(agent, [failing(status)]);
      expect([ran.end.kind, ran.usage.inputTokens, names(ran)]).toEqual([kind, 0, []]);
    },
    120 * SECONDS * patience(agent),
  );

  test(
    'is ended when its model or its tool stands still, and a tool that kills or ends it is no success',
    async () => {
      const silent = { answer: { text: 'never', faults: [{ kind: 'stall' as const }] } };
      const all = (signal: string): string =>
        `for p in $(ls /proc); do case $p in $$) ;; [0-9]*) kill -${signal} $p 2>/dev/null;; esac; done; sleep 1`;
      const [still, hung, killed, ended] = await Promise.all([
        yard.run(agent, [silent], { wallMs: 6 * SECONDS }),
        run(['echo half > half.txt; sleep 71000'], { wallMs: 8 * SECONDS }),
        run([all('KILL')]),
        run([all('TERM')]),
      ]);
      expect([still.end.kind, hung.end.kind]).toEqual(['timed_out', 'timed_out']);
      expect(killed.end.kind).not.toBe('ok');
      expect(ended.end.kind).not.toBe('ok');
      expect(yard.processes('sleep 71000')).toBe(0);
    },
    120 * SECONDS * patience(agent),
  );

  test(
    'is ended as a whole when its order is cancelled',
    async () => {
      const stop = new AbortController();
      const ran = run(['echo begun; sleep 72000'], { signal: stop.signal, onCall: () => stop.abort() });
      await expect(ran).rejects.toThrow();
      expect(yard.processes('sleep 72000')).toBe(0);
    },
    60 * SECONDS * patience(agent),
  );

  test(
    'stops at the bounds of calls and money, whatever its own loop would do',
    async () => {
      const loop = { repeat: true, answer: shellCall(agent, 'echo again') };
      const price = { inputMicroUsdPerMTok: 1_000_000, outputMicroUsdPerMTok: 1_000_000 };
      // More than one worst case, less than what the bound of calls allows.
      const costMicroUsd = ['claude-code', 'codex', 'opencode'].includes(agent) ? 300_000 : 12_000;
      const [calls, money] = await Promise.all([
        yard.run(agent, [loop], { limits: { requestsMax: 3 } }),
        yard.run(agent, [loop], { limits: { costMicroUsd }, price }),
      ]);
      expect([calls.end, calls.usage.calls]).toMatchObject([
        { kind: 'limit', detail: 'requests an iteration, at most 3' },
        3,
      ]);
      expect([money.end, (money.usage.costMicroUsd ?? 1e9) <= costMicroUsd, money.usage.calls > 0]).toEqual([
        { kind: 'limit', exitCode: money.end.exitCode, detail: expect.stringMatching(/^max-cost /) },
        true,
        true,
      ]);
    },
    120 * SECONDS * patience(agent),
  );
});

/** aider calls no tools: its edits are text, and it runs nothing. */
const edit = (path: string, from: string, to: string): string =>
  `${path}\n\`\`\`\n<<<<<<< SEARCH\n${from}=======\n${to}>>>>>>> REPLACE\n\`\`\`\n`;

if (isTested('aider'))
  describe('driver aider, whose edits are text', () => {
    const answers = (text: string, options: Parameters<AgentYard['run']>[2] = {}): Promise<Ran> =>
      yard.run('aider', [{ repeat: true, answer: { text, hostile: true } }], options);

    test(
      'ends well and leaves its work, or nothing; writes nothing beside it, and outlives a flood of words',
      async () => {
        const fine = edit('new.txt', '', 'new\n');
        const [ran, none, beside, flood] = await Promise.all([
          answers(fine),
          answers('Done, everything works.'),
          answers(edit('../evil', '', 'x\n') + edit('/etc/evil', '', 'x\n')),
          answers(`${'word '.repeat(60_000)}\n${fine}`),
        ]);
        expect([ran.end.kind, names(ran), ran.usage.inputTokens > 0]).toEqual(['ok', ['new.txt'], true]);
        expect([none.end.kind, names(none)]).toEqual(['ok', []]);
        expect(names(beside)).toEqual([]);
        expect([flood.end.kind, names(flood)]).toEqual(['ok', ['new.txt']]);
      },
      180 * SECONDS * patience('aider'),
    );

    test(
      'is told of an edit that fits nowhere, and goes on',
      async () => {
        const wrong = { answer: { text: edit('readme.md', 'nowhere\n', 'x\n'), hostile: true } };
        const right = {
          repeat: true,
          answer: { text: edit('readme.md', 'hello\n', 'hello you\n'), hostile: true },
        };
        const ran = await yard.run('aider', [wrong, right]);
        expect([ran.end.kind, ran.files.map(({ bytes }) => Buffer.from(bytes).toString())]).toEqual([
          'ok',
          ['hello you\n'],
        ]);
      },
      120 * SECONDS * patience('aider'),
    );

    test.each([400, 401, 429, 500])(
      'ends when the model says %d, and is not charged',
      async (status) => {
        const kind = status === 401 ? 'no_access' : 'model_error';
        const ran = await yard.run('aider', [failing(status)]);
        expect([ran.end.kind, ran.usage.inputTokens, names(ran)]).toEqual([kind, 0, []]);
      },
      180 * SECONDS * patience('aider'),
    );

    test(
      'is ended when its model stands still, when it is killed or ended, when its order is cancelled, and at its bounds',
      async () => {
        const silent = { answer: { text: 'never', faults: [{ kind: 'stall' as const }] } };
        const stop = new AbortController();
        const cancelled = yard.run('aider', [silent], { signal: stop.signal, onCall: () => stop.abort() });
        await expect(cancelled).rejects.toThrow();
        const met = (signal: NodeJS.Signals) =>
          yard.run('aider', [silent], { onCall: () => yard.signal('aider.main', signal) });
        for (const signal of ['SIGKILL', 'SIGTERM'] as const)
          expect([signal, (await met(signal)).end.kind]).toEqual([signal, 'crashed']);
        const wrong = edit('readme.md', 'nowhere\n', 'x\n');
        const price = { inputMicroUsdPerMTok: 1_000_000, outputMicroUsdPerMTok: 1_000_000 };
        const [still, calls, money] = await Promise.all([
          yard.run('aider', [silent], { wallMs: 40 * SECONDS }),
          answers(wrong, { limits: { requestsMax: 1 } }),
          answers(wrong, { limits: { costMicroUsd: 10 }, price }),
        ]);
        expect([still.end.kind, calls.end.kind, money.end.kind]).toEqual(['timed_out', 'limit', 'limit']);
        expect(yard.signal('aider.main', 'SIGKILL')).toBe(0);
      },
      240 * SECONDS * patience('aider'),
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
