/**
 * Real coding agents on the toy repository: refused, repaired, PASS. Their model is scripted, all else is real. `native` always,
 * the registry's programs with A7_TEST_AGENTS=1 (`a7-rt agents --install NAME` brings each).
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { cacheFolder } from '../../adapters/toolchain/index.ts';
import { layAcpLibrary } from '../support/acp-library.ts';
import { serveScript, TEST_KEY } from '../support/model-fixtures.ts';
import { type OrderYard, orderYard } from '../support/orders.ts';
import { ACP, isTested, REAL, toyStory } from '../support/real-agents.ts';

const MINUTES = 60_000;

/** A package and what it needs, once. */
async function npmInstall(folder: string, wanted: string): Promise<void> {
  if (existsSync(join(folder, 'node_modules'))) return;
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', wanted];
  await execa('npm', args, { cwd: folder });
}

let yard: OrderYard;
beforeAll(async () => {
  layAcpLibrary();
  yard = await orderYard({ OPENAI_API_KEY: TEST_KEY });
});
afterAll(() => yard.close());

describe('a work order by a real coding agent', () => {
  for (const agent of REAL.filter(isTested))
    test(
      `${agent} is refused, repaired and passed`,
      async () => {
        const server = await serveScript({ rules: toyStory(agent), api_key: TEST_KEY });
        try {
          const done = await yard.run(yard.repository(agent), {
            agent,
            model: 'gpt-5.5',
            baseUrl: server.url,
            command: agent === 'acp' ? ACP.command : null,
            files: agent === 'acp' ? ACP.files : null,
          });
          const { state, id } = done;
          const told = server.requests().map(({ outcome, detail }) => `${outcome} ${detail}`);
          expect([state?.status, state?.iterations.map(({ verdict, end }) => [verdict, end?.kind])]).toEqual([
            'SUCCEEDED',
            [
              ['FAIL', 'ok'],
              ['PASS', 'ok'],
            ],
          ]);
          expect(told.filter((line) => !line.startsWith('answer'))).toEqual([]);
          expect(state?.usage.calls).toBe(server.requests().length);
          expect(
            yard.read(id, 'iteration-1/agent.log') + yard.read(id, 'iteration-1/calls.jsonl'),
          ).not.toContain(TEST_KEY);
        } finally {
          await server.close();
        }
      },
      3 * MINUTES,
    );

  if (process.env['A7_TEST_AGENTS'] === '1')
    test(
      'a real adapter of the Agent Client Protocol is refused, repaired and passed; its requests are answered',
      async () => {
        const files = join(cacheFolder(), 'test-packages', 'claude-agent-acp-0.23.1');
        await npmInstall(files, '@zed-industries/claude-agent-acp@0.23.1');
        const server = await serveScript({ rules: toyStory('claude-code'), api_key: TEST_KEY });
        try {
          const { state, id } = await yard.run(yard.repository('adapter'), {
            agent: 'acp',
            model: 'gpt-5.5',
            baseUrl: server.url,
            command: 'node /opt/agent/node_modules/@zed-industries/claude-agent-acp/dist/index.js',
            files,
          });
          const log = yard.read(id, 'iteration-1/agent.log');
          expect([
            state?.status,
            state?.iterations.map(({ verdict, end }) => [verdict, end?.kind]),
            log.slice(-2000),
          ]).toEqual([
            'SUCCEEDED',
            [
              ['FAIL', 'ok'],
              ['PASS', 'ok'],
            ],
            expect.stringMatching(/"type":"permission".*"answer":"allow_once"/),
          ]);
        } finally {
          await server.close();
        }
      },
      5 * MINUTES,
    );

  test(
    'a7-check tells the agent what the plan would say, as often as it asks; what is hidden is not in it',
    async () => {
      const command =
        'a7-check; echo before $?; python3 /opt/agent/repair.py; a7-check; echo after $?; cat $(command -v a7-check)';
      const { state, id } = await yard.run(yard.repository('check'), { agent: 'command', command });
      expect(state?.status).toBe('SUCCEEDED');
      const [first, second] = [1, 2].map((n) => yard.read(id, `iteration-${String(n)}/agent.log`));
      expect(first).toMatch(
        /PASS unit tests[^]*before 0\n[^]*FAIL unit tests: exit code 1, wanted 0[^]*assert 100 == 900[^]*after 1\n/,
      );
      expect(second).toMatch(/FAIL unit tests[^]*before 1\n[^]*PASS unit tests[^]*after 0\n/);
      expect([first, second].join('')).not.toContain('Ada');
      expect(yard.read(id, 'iteration-1/prompt.md')).toContain('`a7-check` runs these commands here');
    },
    2 * MINUTES,
  );

  test(
    'an endpoint that lets nobody in ends the order at once, and says so',
    async () => {
      const faults = Array.from({ length: 20 }, () => ({ kind: 'status' as const, status: 401 }));
      const server = await serveScript({
        rules: [{ repeat: true, answer: { text: 'never', faults } }],
        api_key: TEST_KEY,
      });
      try {
        const agent = {
          agent: 'native',
          model: 'gpt-5.5',
          baseUrl: server.url,
          command: null,
          files: null,
        } as const;
        const { state } = await yard.run(yard.repository('locked'), agent);
        expect([state?.status, state?.end?.code, state?.iterations.length]).toEqual([
          'FAILED',
          'endpoint',
          1,
        ]);
        expect(state?.end?.message).toContain("the model's endpoint answers 401");
        expect(server.requests().length).toBeLessThan(4);
      } finally {
        await server.close();
      }
    },
    2 * MINUTES,
  );

  if (process.env['A7_TEST_AGENTS'] === '1')
    test(
      'aider, whose edits are text, is refused, repaired and passed',
      async () => {
        const edit = (path: string, from: string, to: string): string =>
          `${path}\n\`\`\`python\n<<<<<<< SEARCH\n${from}=======\n${to}>>>>>>> REPLACE\n\`\`\`\n`;
        const last = '    return sum(line["quantity"] * line["price"] for line in lines)\n';
        const end = (value: string): string => `    whole = total(lines)\n    return ${value}\n`;
        // Found once only, however often it is answered.
        const added = `${last.replaceAll('line', 'each').replace('eachs', 'lines')}\n\ndef total_with_discount(lines, percent):\n${end('whole')}`;
        const suite =
          "from invoice.total import total_with_discount\n\n\ndef test_ten_percent_off():\n    assert total_with_discount([{'quantity': 1, 'price': 1000}], 10) == 900\n";
        const wrong = edit('invoice/total.py', last, added) + edit('tests/test_discount.py', '', suite);
        const right = edit('invoice/total.py', end('whole'), end('whole - (whole * percent + 50) // 100'));
        // It takes the files that an answer names into its chat, and asks again: the words of its task tell which one is meant.
        const always = (text: string, told?: string) => ({
          repeat: true,
          ...(told === undefined ? {} : { told }),
          answer: { text, hostile: true },
        });
        const rules = [always(right, 'Iteration 1 did not pass'), always(wrong)];
        const server = await serveScript({ rules, api_key: TEST_KEY });
        try {
          const agent = {
            agent: 'aider',
            model: 'gpt-5.5',
            baseUrl: server.url,
            command: null,
            files: null,
          } as const;
          const { state, id } = await yard.run(yard.repository('aider'), agent);
          expect([
            state?.status,
            state?.iterations.map(({ verdict, end: left }) => [verdict, left?.kind]),
            yard.read(id, 'iteration-2/agent.log').slice(-1500),
          ]).toEqual([
            'SUCCEEDED',
            [
              ['FAIL', 'ok'],
              ['PASS', 'ok'],
            ],
            expect.stringContaining('Applied edit to'),
          ]);
        } finally {
          await server.close();
        }
      },
      5 * MINUTES,
    );
});
