/** What Temporal's pages know of a session, asked through the server's API; and what `why` and `report` tell of refusals without a report. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection, type WorkflowExecutionDescription } from '@temporalio/client';
import { openBrowser } from '../support/chromium.ts';
import { removeHome, tempHome } from '../support/server.ts';
import { honestScript, makeSession, scriptedModel, type TestSession } from '../support/session.ts';

const RUN = ['run', '--model', 'scripted', '--manager', 'policy'];

let home = '';
let session: TestSession;
let connection: Connection;
let client: Client;
let rested: WorkflowExecutionDescription;

/** The first call is refused by the endpoint; the author's first submission does not fit its form. */
beforeAll(async () => {
  home = await tempHome();
  session = await makeSession({ home });
  const noKey = await scriptedModel(honestScript([{ kind: 'status', status: 401, message: 'no such key' }]));
  expect((await session.at(RUN, noKey.env)).code).toBe(3);
  await noKey.close();
  const { port } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { port: number };
  connection = await Connection.connect({ address: `127.0.0.1:${String(port)}` });
  client = new Client({ connection });
  rested = await client.workflow.getHandle(stageId()).describe();
  const model = await scriptedModel(firstWithoutCovers());
  const built = await session.at(RUN, model.env);
  expect([built.code, built.err]).toEqual([0, expect.stringContaining('Stage core is sealed')]);
  await model.close();
}, 240_000);
afterAll(async () => {
  await connection.close();
  await session.remove();
  await removeHome(home);
});

function firstWithoutCovers(): ReturnType<typeof honestScript> {
  const script = honestScript();
  const [author, builder] = script.rules;
  const [write, submit] = author?.answer?.tool_calls ?? [];
  if (author === undefined || builder === undefined || write === undefined || submit === undefined)
    throw new Error('The honest script has changed');
  const bare = { ...submit, arguments: { ...submit.arguments, covers: 'all of it' } };
  const { answer: _, ...rest } = author;
  return {
    ...script,
    rules: [{ ...rest, turns: [{ tool_calls: [write, bare] }, { tool_calls: [submit] }] }, builder],
  };
}

const sessionId = (): string =>
  (JSON.parse(readFileSync(session.path('.a7/session.json'), 'utf8')) as { id: string }).id;
const stageId = (): string => `a7/sums-${sessionId().slice(0, 8)}/core`;

/** Keywords of one workflow, as the list of the page shows them. */
function keywords({ typedSearchAttributes }: WorkflowExecutionDescription): Record<string, unknown> {
  return Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
}

describe('the pages of Temporal', () => {
  test('an end that is no failure says which end it is, and why, when nothing runs any more', async () => {
    expect(rested.status.name).toBe('COMPLETED');
    expect(keywords(rested)).toMatchObject({ A7Stage: 'core', A7Outcome: 'rested' });
    expect(rested.memo).toEqual({ outcome: expect.stringMatching(/^rested \(\w+\): .*no such key/) });
    const sealed = await client.workflow.getHandle(stageId()).describe();
    expect(keywords(sealed)).toMatchObject({ A7Outcome: 'sealed' });
    expect(sealed.memo).toEqual({ outcome: expect.stringMatching(/^sealed /) });
    expect(await sealed.staticSummary()).toBe('Stage core of sums');
    expect(await sealed.staticDetails()).toContain(`a7-rt status ${session.dir}`);
  });

  test('agents are found by node, role and verdict, and their ids can be read', async () => {
    const found: string[] = [];
    const query = `A7Node = 'sum.add' AND A7Role = 'test_author' AND A7Verdict = 'completed'`;
    for await (const { workflowId } of client.workflow.list({ query })) found.push(workflowId);
    expect(found).toEqual([expect.stringMatching(new RegExp(`^${stageId()}/sum\\.add\\.t\\d+/r\\d+$`))]);
    const agent = await client.workflow.getHandle(found[0] ?? '').describe();
    expect(await agent.staticDetails()).toMatch(
      /^The test author of `sum\.add`.*\n[^]*a7-rt why .+ sum\.add/,
    );
  });

  test('summaries of ledger lines name the nodes', async () => {
    const { events } = await client.workflow.getHandle(stageId()).fetchHistory();
    const summaries = (events ?? []).flatMap(({ userMetadata }) => {
      const data = userMetadata?.summary?.data;
      return data === null || data === undefined ? [] : [JSON.parse(Buffer.from(data).toString()) as string];
    });
    expect(summaries).toContainEqual(expect.stringMatching(/^Ledger \d+: .*dispatched sum\.add/));
  });
});

// As a person sees it: needs Chromium, so it is asked for (A7_TEST_CHROMIUM=1). What the page is fed with is tested above.
if (process.env['A7_TEST_CHROMIUM'] === '1')
  test('the pages as Chromium shows them', async () => {
    const { uiPort } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { uiPort: number };
    const pages = `http://127.0.0.1:${String(uiPort)}/namespaces/default/workflows`;
    const at = (id: string, tab: string): string =>
      `${pages}/${encodeURIComponent(id)}/${describedRuns.get(id) ?? ''}/${tab}`;
    const sealed = await client.workflow.getHandle(stageId()).describe();
    const describedRuns = new Map([[stageId(), sealed.runId]]);
    const browser = await openBrowser();
    try {
      expect(await browser.text(pages, /runAgent/)).toContain(stageId());
      expect(await browser.text(at(stageId(), 'memo'), /outcome/)).toMatch(/"outcome": "sealed /);
      expect(await browser.text(at(stageId(), 'search-attributes'), /A7Stage/)).toMatch(
        /"A7Outcome": "sealed"/,
      );
    } finally {
      await browser.close();
    }
  }, 120_000);

test('a database of an older version gets the attributes that came since', async () => {
  const namespace = 'default';
  const searchAttributes = ['A7Role', 'A7Outcome'];
  await connection.operatorService.removeSearchAttributes({ namespace, searchAttributes });
  const unused = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'unused' };
  expect((await session.at(RUN, unused)).code).toBe(0);
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  expect(Object.keys(customAttributes)).toEqual(expect.arrayContaining(searchAttributes));
});

describe('a submission that no gate judged', () => {
  test('is told by why and report, with its reasons', async () => {
    const why = await session.at(['why', 'sum.add']);
    expect(why.out).toMatch(
      /- refused before any gate, sum\.add\.t\d+ turn 1: The arguments of submit_pr do not fit:\n  covers: /,
    );
    const report = await session.at(['report']);
    expect(report.out).toMatch(
      /^REPORT [^]+\nRefused before any gate, without a report:\n- sum\.add, sum\.add\.t\d+ turn 1: /,
    );
    const rows = JSON.parse((await session.at(['report', '--json'])).out) as object[];
    expect(rows).toContainEqual(
      expect.objectContaining({ node: 'sum.add', turn: 1, reasons: expect.any(Array) }),
    );
  });
});
