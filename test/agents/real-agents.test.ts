/**
 * Real coding agents on the toy repository: refused, repaired, PASS. Their model is scripted, all else is real. `native` always,
 * the registry's programs with A7_TEST_AGENTS=1 (`a7-rt agents --install NAME` brings each).
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serveScript, TEST_KEY } from '../support/model-fixtures.ts';
import { type OrderYard, orderYard } from '../support/orders.ts';
import { isTested, REAL, toyStory } from '../support/real-agents.ts';

const MINUTES = 60_000;
let yard: OrderYard;
beforeAll(async () => {
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
            command: null,
            files: null,
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
});
