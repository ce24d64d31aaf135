import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { access, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { callFolder } from '../../adapters/model/call-files.ts';
import type { CallStep } from '../../adapters/model/call-step.ts';
import { currentOwner } from '../../adapters/model/process-owner.ts';
import { sumUsage } from '../../adapters/model/usage-report.ts';
import type { ModelServer } from '../../adapters/model-server/server.ts';
import { createObjectFiles } from '../../adapters/store/objects.ts';
import type { ModelOutcome } from '../../core/ports/model.ts';
import type { ProcessOwner, SentRow } from '../../schemas/model-call.ts';
import type { ModelScriptInput } from '../../schemas/model-script.ts';
import type { ChildTask } from '../support/model-crash-child.ts';
import {
  PRICE,
  makeFolder,
  makeModel,
  makeRequest,
  removeFolders,
  serveScript,
} from '../support/model-fixtures.ts';

const CHILD = join(import.meta.dirname, '../support/model-crash-child.ts');
const ANSWER: ModelScriptInput['rules'] = [{ repeat: true, answer: { text: 'the answer' } }];
const SLOW: ModelScriptInput['rules'] = [{ repeat: true, answer: { text: 'late', delay_ms: 2_500 } }];

const servers: ModelServer[] = [];
const children: ReturnType<typeof runChild>[] = [];

async function serve(rules = ANSWER): Promise<ModelServer> {
  const server = await serveScript({ rules });
  servers.push(server);
  return server;
}

function startChild(task: ChildTask): ReturnType<typeof runChild> {
  const child = runChild(task);
  children.push(child);
  return child;
}

function runChild(task: ChildTask) {
  const argv = ['--import', 'tsx', CHILD, JSON.stringify(task)];
  return execa('node', argv, { reject: false, env: { NODE_OPTIONS: '' } });
}

async function waitForFile(path: string): Promise<void> {
  for (let tries = 0; tries < 2_400; tries += 1) {
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return;
    await sleep(25);
  }
  throw new Error(`No file "${path}" after a minute`);
}

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(removeFolders);

/** Kills a process at `step` of a call, then makes the same call here. */
async function killAt(step: CallStep) {
  const server = await serve();
  const sessionDir = await makeFolder();
  const marker = join(sessionDir, 'marker');
  const parts = { sessionDir, baseUrl: server.url };
  const child = await startChild({ parts, turns: [1], strike: { step, with: 'SIGKILL', marker } });
  expect({ marker: await readFile(marker, 'utf8'), signal: child.signal }).toEqual({
    marker: step,
    signal: 'SIGKILL',
  });
  const outcome = await makeModel().call(makeRequest(parts));
  const { total } = await sumUsage(sessionDir);
  const leftovers = (await readdir(callFolder(sessionDir, 'core/price.money/1/1'))).filter((name) =>
    name.startsWith('answer'),
  );
  return { server, outcome, total, leftovers };
}

describe('call store after SIGKILL', () => {
  test('call() sends a call anew whose process died before it was sent', async () => {
    const { server, outcome, total } = await killAt('reserved');
    expect(outcome).toMatchObject({ kind: 'answered', stored: false, unknownAttempts: 0 });
    expect(total).toMatchObject({ unknownAttempts: 0, attempts: 1 });
    expect(server.requests()).toHaveLength(1);
  });

  test.each(['sent', 'first_byte'] as const)(
    'call() names an unknown when its process died at %s',
    async (step) => {
      const { server, outcome, total } = await killAt(step);
      expect(outcome).toMatchObject({ kind: 'answered', stored: false, unknownAttempts: 1 });
      expect(total).toMatchObject({ unknownAttempts: 1, attempts: 2, answered: 1 });
      const repeated = server.requests().length - 1;
      expect(repeated).toBeLessThanOrEqual(total.unknownAttempts);
    },
  );

  test.each(['answer_arrived', 'answer_stored', 'received'] as const)(
    'call() finds the paid answer when its process died at %s',
    async (step) => {
      const { server, outcome, total, leftovers } = await killAt(step);
      expect(outcome).toMatchObject({
        kind: 'answered',
        stored: true,
        unknownAttempts: 0,
        summary: { textChars: 10 },
      });
      expect(total).toMatchObject({ unknownAttempts: 0, attempts: 1, answered: 1 });
      expect(server.requests()).toHaveLength(1);
      if (step !== 'received') expect(leftovers).toEqual([]);
    },
  );
});

describe('call store with a living owner', () => {
  test('call() waits for the answer of another process', async () => {
    const server = await serve(SLOW);
    const sessionDir = await makeFolder();
    const parts = { sessionDir, baseUrl: server.url };
    const child = startChild({ parts, turns: [1], strike: null });
    await waitForFile(join(callFolder(sessionDir, 'core/price.money/1/1'), 'sent-1.json'));
    const phases = new Set<string>();
    const outcome = await makeModel().call(makeRequest(parts), {
      onProgress: ({ phase }) => phases.add(phase),
    });
    const [theirs] = JSON.parse((await child).stdout) as ModelOutcome[];
    expect(theirs).toMatchObject({ kind: 'answered', stored: false });
    expect(outcome).toEqual({ ...theirs, stored: true });
    expect(phases).toContain('attached');
    expect(server.requests()).toHaveLength(1);
  });

  test('call() waits for a process that is stopped, and uses its answer', async () => {
    const server = await serve(SLOW);
    const sessionDir = await makeFolder();
    const parts = { sessionDir, baseUrl: server.url };
    const marker = join(sessionDir, 'marker');
    const child = startChild({ parts, turns: [1], strike: { step: 'first_byte', with: 'SIGSTOP', marker } });
    await waitForFile(marker);
    const waiting = makeModel().call(makeRequest(parts));
    expect(await Promise.race([waiting, sleep(1500, 'still waiting')])).toBe('still waiting');
    child.kill('SIGCONT');
    expect(await waiting).toMatchObject({ kind: 'answered', stored: true, unknownAttempts: 0 });
    expect(server.requests()).toHaveLength(1);
  });
});

describe('call store owners', () => {
  async function callAfter(owner: Partial<ProcessOwner>, deadlineMs: number, signal?: AbortSignal) {
    const server = await serve();
    const sessionDir = await makeFolder();
    const request = makeRequest({ sessionDir, baseUrl: server.url });
    // Another run's rows, under the hash that this request has.
    await makeModel().call({ ...request, key: 'core/probe', cap: request.cap });
    const probe = join(callFolder(sessionDir, 'core/probe'), 'sent-1.json');
    const sent = JSON.parse(await readFile(probe, 'utf8')) as SentRow;
    const folder = callFolder(sessionDir, request.key);
    await mkdir(folder, { recursive: true });
    const { key, coordinates } = request;
    await writeFile(
      join(folder, 'reserved.json'),
      JSON.stringify({ kind: 'reserved', key, scope: 'core', coordinates, atMs: 1 }),
    );
    const row = { ...sent, price: PRICE, owner: { ...(await currentOwner()), ...owner }, deadlineMs };
    await writeFile(join(folder, 'sent-1.json'), JSON.stringify(row));
    return makeModel().call(request, signal && { signal });
  }

  test('call() does not take a process that has the pid of a dead owner for that owner', async () => {
    const outcome = await callAfter({ pid: process.ppid, startTime: '1' }, Date.now() + 60_000);
    expect(outcome).toMatchObject({ kind: 'answered', unknownAttempts: 1 });
  });

  test('call() takes an owner of an earlier boot for dead', async () => {
    const outcome = await callAfter({ bootId: 'another-boot' }, Date.now() + 60_000);
    expect(outcome).toMatchObject({ kind: 'answered', unknownAttempts: 1 });
  });

  test('call() waits for an owner whom it cannot see, but not beyond its deadline', async () => {
    const stranger = { namespace: 'pid:[1]' };
    expect(await callAfter(stranger, Date.now() + 60_000, AbortSignal.timeout(1_000))).toEqual({
      kind: 'cancelled',
      sent: false,
    });
    expect(await callAfter(stranger, 1)).toMatchObject({
      kind: 'answered',
      unknownAttempts: 1,
    });
  });
});

describe('call store within one process', () => {
  test('call() shares one request between attempts that overlap, and leaves it running when one is cancelled', async () => {
    const server = await serve(SLOW);
    const sessionDir = await makeFolder();
    const request = makeRequest({ sessionDir, baseUrl: server.url });
    const first = makeModel();
    const abort = new AbortController();
    const cancelled = first.call(request, { signal: abort.signal });
    await waitForFile(join(callFolder(sessionDir, request.key), 'sent-1.json'));
    const joined = makeModel().call(request);
    await sleep(50);
    abort.abort();
    expect(await cancelled).toEqual({ kind: 'cancelled', sent: true });
    expect(first.inFlight()).toBe(1);
    expect(await joined).toMatchObject({ kind: 'answered' });
    expect(first.inFlight()).toBe(0);
    expect(server.requests()).toHaveLength(1);
  });

  test('call() keeps an answer that a full disk refused, and stores it at the next attempt', async () => {
    const server = await serve();
    const sessionDir = await makeFolder();
    let isFull = true;
    const objectsOf = (dir: string) => {
      const files = createObjectFiles({ dir: join(dir, 'objects') });
      return {
        ...files,
        put: (content: Uint8Array | string) =>
          isFull ? Promise.reject(new Error('ENOSPC')) : files.put(content),
      };
    };
    const model = makeModel({ objectsOf });
    const request = makeRequest({ sessionDir, baseUrl: server.url });
    await expect(model.call(request)).rejects.toThrow('ENOSPC');
    isFull = false;
    expect(await model.call(request)).toMatchObject({ kind: 'answered', stored: true });
    expect(server.requests()).toHaveLength(1);
  });

  test('call() sends nothing without the fence, and stores an answer that came after it was lost', async () => {
    const server = await serve();
    const sessionDir = await makeFolder();
    const request = makeRequest({ sessionDir, baseUrl: server.url });
    expect(await makeModel().call(request, { checkFence: async () => false })).toEqual({
      kind: 'fence_lost',
    });
    expect(server.requests()).toHaveLength(0);
    let checks = 0;
    const losing = await makeModel().call(request, { checkFence: async () => (checks += 1) === 1 });
    expect(losing).toEqual({ kind: 'fence_lost' });
    expect(await makeModel().call(request)).toMatchObject({ kind: 'answered', stored: true });
    expect(server.requests()).toHaveLength(1);
  });

  test('close() waits for what was sent, then abandons it as unknown', async () => {
    const server = await serve(SLOW);
    const sessionDir = await makeFolder();
    const patient = makeModel();
    const kept = patient.call(makeRequest({ sessionDir, baseUrl: server.url }));
    await waitForFile(join(callFolder(sessionDir, 'core/price.money/1/1'), 'sent-1.json'));
    expect(await patient.close(10_000)).toBe(0);
    expect(await kept).toMatchObject({ kind: 'answered' });
    const hasty = makeModel();
    const lost = hasty.call(makeRequest({ sessionDir, baseUrl: server.url, turn: 2 }));
    await waitForFile(join(callFolder(sessionDir, 'core/price.money/1/2'), 'sent-1.json'));
    expect(await hasty.close(20)).toBe(1);
    expect(await lost).toEqual({ kind: 'unknown', reason: 'Abandoned by its process', attempts: 1 });
  });
});
