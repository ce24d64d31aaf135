/** `contract draft`: what a model writes from prose is parsed and linted, mended by the model, and written with consent alone. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Draft } from '../../core/ports/services.ts';
import { draftContracts } from '../../workers/services/contract-draft.ts';
import { init } from '../../workers/services/init.ts';

const contracts = (guarantee: string, extra = ''): string =>
  `version: 1\nproject: {name: shop, language: python}\nstages: [{id: core, kind: pure}]\nnodes:\n  - id: price.money\n    stage: core${extra}\n    description: "parse_money(text) -> int: '12.30' to whole cents"\n    interface:\n      exports: ['def parse_money(text: str) -> int: ...']\n      guarantees: ['${guarantee}']\n`;
const fenced = (text: string): string => `Here it is.\n\`\`\`yaml\n${text}\`\`\`\n`;

let root = '';
let answers: string[] = [];
let asked: string[] = [];
const server = createServer((request, response) => {
  void readAll(request).then((sent) => {
    asked.push(sent);
    const message = { role: 'assistant', content: answers.shift() ?? '' };
    response.writeHead(200, { 'content-type': 'application/json' });
    const usage = { prompt_tokens: 900, completion_tokens: 100, total_tokens: 1000 };
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
  });
});

beforeAll(async () => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'a7-draft-'));
  await init(join(root, 'shop'), null);
  writeFileSync(join(root, 'SPEC.md'), 'Amounts like 12.30 are read as whole cents.\n');
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});

function draft(
  given: readonly string[],
  consent: (draft: Draft) => Promise<boolean | null>,
  maxTokens: number | null = null,
) {
  [answers, asked] = [[...given], []];
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const env = {
    A7_HOME: join(root, 'home'),
    OPENAI_BASE_URL: `http://127.0.0.1:${String(port)}/v1`,
    OPENAI_API_KEY: 'k',
  };
  return draftContracts({ env }, join(root, 'shop'), {
    from: join(root, 'SPEC.md'),
    model: 'tiny',
    maxCostUsd: null,
    maxTokens,
    consent,
  });
}

test('faults and findings go back to the model; the result is shown, and written with consent', async () => {
  const path = join(root, 'shop/contracts.yaml');
  const before = readFileSync(path, 'utf8');
  const given = [
    fenced(contracts('Exactly two decimals', '\n    stagee: core')),
    fenced(contracts('Uses a regular expression')),
    fenced(contracts('A text of other than two decimals raises ValueError')),
  ];
  const shown: Draft[] = [];
  const refused = await draft(given, (each) => {
    shown.push(each);
    return Promise.resolve(false);
  });
  expect(refused).toMatchObject({ ok: false, exitCode: 3 });
  const use = { calls: 3, inputTokens: 2700, outputTokens: 300, costMicroUsd: null };
  expect(shown).toMatchObject([{ nodes: 1, findings: [], rounds: 3, use }]);
  // Paid for, hence kept: the answer can still become yes.
  expect(readFileSync(join(root, 'shop/contracts.draft.yaml'), 'utf8')).toBe(shown[0]?.text);
  expect(asked[0]).toContain('Amounts like 12.30');
  expect(asked[1]).toContain('is not a known field');
  expect(asked[2]).toContain('says how the code is made');
  expect(readFileSync(path, 'utf8')).toBe(before);

  const written = await draft(given.slice(2), () => Promise.resolve(true));
  expect(written).toMatchObject({ ok: true, value: { rounds: 1, kept: 'contracts.before-draft-1.yaml' } });
  expect(readFileSync(path, 'utf8')).toContain('other than two decimals');
  expect(readFileSync(join(root, 'shop/contracts.before-draft-1.yaml'), 'utf8')).toBe(before);
});

test('answers are held to a cap at their worst case, before they are asked for', async () => {
  const refused = await draft([fenced(contracts('x'))], () => Promise.resolve(true), 8_100);
  const told = /^Cannot draft: an answer may cost (\d+) tokens, 0 tokens of 8100 tokens are spent$/;
  expect(refused).toMatchObject({ exitCode: 3, problems: [{ message: expect.stringMatching(told) }] });
  expect(asked).toEqual([]);
  const worst = Number(told.exec(refused.ok ? '' : (refused.problems[0]?.message ?? ''))?.[1]);
  const second = fenced(contracts('Uses a regular expression'));
  const cut = await draft([second, second], () => Promise.resolve(true), worst + 500);
  // The second answer would not fit beside the first: what is there is shown.
  expect([asked.length, cut]).toMatchObject([1, { ok: true, value: { use: { calls: 1 } } }]);
});

test('what can never be read is said, and nothing is written', async () => {
  const path = join(root, 'shop/contracts.yaml');
  const before = readFileSync(path, 'utf8');
  const result = await draft(['I cannot.', 'No.', 'nodes: []'], () => Promise.resolve(true));
  expect(result).toMatchObject({ ok: false, exitCode: 1 });
  expect([readFileSync(path, 'utf8'), existsSync(join(root, 'shop/contracts.before-draft-3.yaml'))]).toEqual([
    before,
    false,
  ]);
});
