import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { budgetPath, loadBudget } from '../../adapters/model/budget-file.ts';
import { sumUsage } from '../../adapters/model/usage-report.ts';
import type { ModelServer } from '../../adapters/model-server/server.ts';
import type { ModelOutcome } from '../../core/ports/model.ts';
import type { ChildTask } from '../support/model-crash-child.ts';
import { makeFolder, makeModel, makeRequest, removeFolders, serveScript } from '../support/model-fixtures.ts';

const CHILD = join(import.meta.dirname, '../support/model-crash-child.ts');
const servers: ModelServer[] = [];

async function serve(
  usage: { prompt_tokens: number; completion_tokens: number },
  delayMs = 0,
): Promise<ModelServer> {
  const server = await serveScript({
    rules: [{ repeat: true, answer: { text: 'ok', usage, delay_ms: delayMs } }],
  });
  servers.push(server);
  return server;
}

/** Worst case of one fixture call, as a cap of 0 tells it. */
async function worstCase(price?: null): Promise<number> {
  const sessionDir = await makeFolder();
  const parts = {
    sessionDir,
    baseUrl: 'http://127.0.0.1:1/v1',
    maxCostMicroUsd: 0,
    maxTokensWhenUnpriced: 0,
  };
  const outcome = await makeModel().call(makeRequest({ ...parts, ...(price === null && { price }) }));
  if (outcome.kind !== 'budget') throw new Error(`Expected a budget outcome: ${outcome.kind}`);
  return outcome.worstCase;
}

const count = (outcomes: readonly ModelOutcome[], kind: ModelOutcome['kind']): number =>
  outcomes.filter((outcome) => outcome.kind === kind).length;

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(removeFolders);

describe('budget of a scope', () => {
  test('call() lets agents that run at once in three processes never spend more than the cap', async () => {
    const worst = await worstCase();
    // Each answer costs its worst case, so that one reservation too many would be seen.
    const server = await serve({ prompt_tokens: worst - 200, completion_tokens: 100 }, 300);
    const sessionDir = await makeFolder();
    const parts = { sessionDir, baseUrl: server.url, maxCostMicroUsd: worst * 7 + 1 };
    const children = [
      [10, 11, 12, 13, 14],
      [20, 21, 22, 23, 24],
    ].map((turns) => {
      const task: ChildTask = { parts, turns, strike: null };
      return execa('node', ['--import', 'tsx', CHILD, JSON.stringify(task)], { env: { NODE_OPTIONS: '' } });
    });
    const model = makeModel();
    const own = [30, 31, 32, 33, 34].map((turn) => model.call(makeRequest({ ...parts, turn })));
    const theirs = (await Promise.all(children)).flatMap(
      (child) => JSON.parse(child.stdout) as ModelOutcome[],
    );
    const outcomes = [...(await Promise.all(own)), ...theirs];
    expect({ answered: count(outcomes, 'answered'), refused: count(outcomes, 'budget') }).toEqual({
      answered: 7,
      refused: 8,
    });
    expect(server.requests()).toHaveLength(7);
    const { total } = await sumUsage(sessionDir, 'core');
    expect(total).toMatchObject({ costMicroUsd: worst * 7, reservedMicroUsd: 0, answered: 7, calls: 7 });
  });

  test('call() says what is spent, reserved and asked for when the cap is reached, and goes on under a higher one', async () => {
    const worst = await worstCase();
    const server = await serve({ prompt_tokens: 10, completion_tokens: 5 });
    const sessionDir = await makeFolder();
    const parts = { sessionDir, baseUrl: server.url, maxCostMicroUsd: worst + 19 };
    const model = makeModel();
    await model.call(makeRequest(parts));
    const refused = await model.call(makeRequest({ ...parts, turn: 2 }));
    expect(refused).toEqual({
      kind: 'budget',
      unit: 'micro_usd',
      spent: 20,
      reserved: 0,
      cap: worst + 19,
      worstCase: worst,
    });
    expect(await model.call(makeRequest({ ...parts, turn: 2, maxCostMicroUsd: worst + 20 }))).toMatchObject({
      kind: 'answered',
    });
  });

  test('call() caps an unpriced model by tokens and calls its cost unknown', async () => {
    const worst = await worstCase(null);
    const server = await serve({ prompt_tokens: 10, completion_tokens: 5 });
    const sessionDir = await makeFolder();
    const parts = {
      sessionDir,
      baseUrl: server.url,
      price: null,
      maxTokensWhenUnpriced: worst,
      maxCostMicroUsd: 0,
    };
    const model = makeModel();
    expect(await model.call(makeRequest(parts))).toMatchObject({ kind: 'answered', costMicroUsd: null });
    expect(await model.call(makeRequest({ ...parts, turn: 2 }))).toMatchObject({
      kind: 'budget',
      unit: 'tokens',
      spent: 15,
    });
    const report = await sumUsage(sessionDir);
    expect(report.total).toMatchObject({
      costMicroUsd: null,
      knownMicroUsd: 0,
      inputTokens: 10,
      outputTokens: 5,
    });
    expect(report.byNode['price.money']?.costMicroUsd).toBeNull();
    expect(report.byStage['core']?.calls).toBe(1);
  });

  test('loadBudget() gives the same sum from its index, from a damaged one and from the rows alone', async () => {
    const server = await serve({ prompt_tokens: 10, completion_tokens: 5 });
    const sessionDir = await makeFolder();
    const model = makeModel();
    for (const turn of [1, 2, 3]) await model.call(makeRequest({ sessionDir, baseUrl: server.url, turn }));
    const path = budgetPath(sessionDir, 'core');
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ settledMicroUsd: 40 });
    expect((await loadBudget(sessionDir, 'core')).spent).toEqual({ microUsd: 60, unpricedTokens: 0 });
    await writeFile(path, '{"torn');
    expect((await loadBudget(sessionDir, 'core')).spent).toEqual({ microUsd: 60, unpricedTokens: 0 });
    await rm(path);
    expect((await loadBudget(sessionDir, 'core')).spent).toEqual({ microUsd: 60, unpricedTokens: 0 });
  });
});
