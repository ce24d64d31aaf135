import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker, bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { quietWorkers, workflowBundle } from '../support/worker-bundle.ts';

const FOLDER = join(import.meta.dirname, '../histories');
const quiet = new DefaultLogger('ERROR', () => undefined);

let codePath = '';
beforeAll(async () => {
  quietWorkers();
  codePath = await workflowBundle();
});

interface Recorded {
  readonly workflowId: string;
  readonly history: unknown;
}

function recorded(): Recorded[] {
  return ['buildStage', 'runAgent', 'workOrder'].flatMap((workflow) =>
    readdirSync(join(FOLDER, workflow)).map((name) => ({
      workflowId: `${workflow}/${name}`,
      history: JSON.parse(readFileSync(join(FOLDER, workflow, name), 'utf8')) as unknown,
    })),
  );
}

/** Errors by workflow id; the replay needs no server. */
async function replay(histories: readonly Recorded[]): Promise<Record<string, string>> {
  const failures: Record<string, string> = {};
  for await (const result of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories)) {
    if (result.error !== undefined) failures[result.workflowId] = String(result.error);
  }
  return failures;
}

describe('recorded histories', () => {
  test('all replay without a difference on the workflows of today', async () => {
    const histories = recorded();
    expect(histories.length).toBeGreaterThanOrEqual(25);
    expect(await replay(histories)).toEqual({});
  }, 180_000);

  test('a history whose steps were changed does not replay, so that the check can fail', async () => {
    const [first] = recorded().filter(({ workflowId }) => workflowId === 'buildStage/happy.json');
    const text = JSON.stringify(first?.history).replaceAll('"openStage"', '"closeStage"');
    const changed = { workflowId: 'changed', history: JSON.parse(text) as unknown };
    expect(Object.keys(await replay([changed]))).toEqual(['changed']);
  });
});

describe('workflow bundle', () => {
  test.each([
    "import 'node:fs';",
    "import { execa } from 'execa'; execa('ls');",
    "import { readFile } from 'fs'; readFile('x');",
  ])('refuses %s anywhere below a workflow', async (line) => {
    const folder = await mkdtemp(join(tmpdir(), 'a7-bundle-'));
    const workflowsPath = join(folder, 'index.ts');
    await writeFile(workflowsPath, `${line}\nexport async function impure() { return 1; }\n`);
    try {
      await expect(bundleWorkflowCode({ workflowsPath, logger: quiet })).rejects.toThrow();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('holds both workflows and no builtin of Node', () => {
    const code = readFileSync(codePath, 'utf8');
    expect(code).toContain('buildStage');
    expect(code).toContain('runAgent');
    expect(code).not.toMatch(/require\(["']node:/);
  });
});
