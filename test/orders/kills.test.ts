/** What dies while orders move: worker, Temporal server, agent, lease holder. `npm run chaos -- --orders` has every state. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { plainGit } from '../support/git-repo.ts';
import { type ServedYard, agentOf, outcome, servedYard } from '../support/orders-crash/yard.ts';
import { STEPS } from '../support/orders-crash/chaos.ts';
import { serverPid } from '../support/crash/yard.ts';
import { serveScript, TEST_KEY } from '../support/model-fixtures.ts';
import { toyStory } from '../support/real-agents.ts';

let served: ServedYard;
beforeAll(async () => {
  served = await servedYard({ OPENAI_API_KEY: TEST_KEY });
}, 120_000);
afterAll(() => served.close(), 60_000);

/** The toy whose tests take a moment, so that VERIFYING can be met. */
function repository(name: string, seconds = 0): string {
  const repo = served.yard.repository(name);
  writeFileSync(
    join(repo, 'tests', 'test_slow.py'),
    `import time\n\ndef test_slow():\n    time.sleep(${String(seconds)})\n`,
  );
  plainGit(['add', '-A'], { cwd: repo });
  plainGit(['commit', '--quiet', '-m', 'slow'], { cwd: repo });
  return repo;
}

describe('orders whose processes are killed', () => {
  test('end as undisturbed ones do, in the order of their submission, and leave nothing behind', async () => {
    const { yard } = served;
    const quick = agentOf(yard, 'quick', false);
    const worker = await served.serve();
    const undisturbed = await served.ended(await served.submit(repository('undisturbed'), quick.change));
    expect(outcome(undisturbed)).toMatchObject({
      status: 'SUCCEEDED',
      iterations: [{}, { verdict: 'PASS' }],
    });

    // The worker, with an order in BUILDING, one that waits for its workspace, and one in VERIFYING.
    const first = agentOf(yard, 'first', true);
    const shared = repository('shared');
    const building = await served.submit(shared, first.change);
    await served.until(building, ({ status }) => status === 'BUILDING');
    const waiting = await served.submit(shared, quick.change);
    const slow = repository('slow', 2);
    const verifying = await served.submit(slow, { command: 'echo x >> README.md' });
    await served.until(verifying, ({ status }) => status === 'VERIFYING');
    expect(yard.state(waiting).status).toBe('QUEUED');
    const lost = agentOf(yard, 'lost', true);
    const dropped = await served.submit(repository('dropped'), lost.change);
    await served.until(dropped, ({ status }) => status === 'BUILDING');
    const log = join(yard.home, 'orders', dropped, 'iteration-1', 'agent.log');
    while (!existsSync(log) || !readFileSync(log, 'utf8').includes('begin')) await delay(20);
    await served.kill();
    // Nobody serves it: it ends at once, whole, and no later worker goes on with it.
    expect(await yard.services.cancel(dropped, 'no more')).toEqual({
      ok: true,
      value: { id: dropped, status: 'CANCELED' },
    });
    expect(['order.bundle', 'summary.md'].filter((name) => yard.read(dropped, name) === '')).toEqual([]);
    expect(await yard.services.show(building)).toMatchObject({ ok: true, value: { moving: false } });
    // A file that the killed worker was writing.
    for (const name of ['order.json', 'iteration-1/built.json'])
      writeFileSync(
        join(yard.home, 'orders', building, `${name}.${String(worker.pid)}-0123456789ab.tmp`),
        '{',
      );
    await served.serve();
    first.go();
    const built = await served.ended(building);
    const queued = await served.ended(waiting);
    const verified = await served.ended(verifying);
    expect([outcome(built), outcome(queued)]).toEqual([outcome(undisturbed), outcome(undisturbed)]);
    expect(outcome(verified)).toMatchObject({ status: 'SUCCEEDED', iterations: [{ verdict: 'PASS' }] });
    expect(yard.read(building, 'iteration-1/agent.log').match(/^begin$/gm)).toHaveLength(2);
    expect(yard.read(building, 'iteration-2/agent.log').match(/^begin$/gm)).toHaveLength(1);
    const times = (id: string, type: string): string[] =>
      yard
        .read(id, 'events.jsonl')
        .split('\n')
        .filter((line) => line.includes(`"type":"${type}"`))
        .map((line) => (JSON.parse(line) as { at: string }).at);
    expect(times(waiting, 'lease_taken')[0] ?? '').not.toBe('');
    expect(yard.read(dropped, 'iteration-1/agent.log').match(/^begin$/gm)).toHaveLength(1);
    expect((times(building, 'order_ended')[0] ?? '') <= (times(waiting, 'lease_taken')[0] ?? '')).toBe(true);

    // The server, then the agent's own process.
    const held = agentOf(yard, 'held', true);
    const third = await served.submit(repository('server'), held.change);
    await served.until(third, ({ status }) => status === 'BUILDING');
    process.kill(serverPid(yard.home), 'SIGKILL');
    held.go();
    expect(outcome(await served.ended(third))).toEqual(outcome(undisturbed));
    const victim = agentOf(yard, 'victim', true);
    const fourth = await served.submit(repository('agent'), {
      ...victim.change,
      limits: { iterationsMax: 3 },
    });
    await served.until(fourth, ({ status }) => status === 'BUILDING');
    while (killAgent(victim.tag) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    victim.go();
    const killed = await served.ended(fourth);
    expect(killed.iterations[0]).toMatchObject({ end: { kind: 'crashed' }, verdict: 'FAIL' });
    expect(killed).toMatchObject({ status: 'SUCCEEDED', iterations: [{}, { verdict: 'PASS' }] });
    expect(await served.left()).toEqual([]);
  }, 900_000);

  test('come to the same where the disk is full at every step, and no answer is paid twice', async () => {
    const server = await serveScript({ rules: toyStory('native'), api_key: TEST_KEY });
    try {
      await served.kill();
      await served.serve('full', STEPS);
      const change = { agent: 'native', model: 'gpt-5.5', baseUrl: server.url, command: null } as const;
      const id = await served.submit(served.yard.repository('full'), change);
      expect(outcome(await served.ended(id))).toMatchObject({
        status: 'SUCCEEDED',
        iterations: [{ verdict: 'FAIL' }, { verdict: 'PASS' }],
      });
      // Each turn ran more than once: its log and its end could not be stored at first.
      expect(served.yard.read(id, 'iteration-1/agent.log').match(/^--- native/gm)?.length).toBeGreaterThan(1);
      expect(server.requests().map(({ outcome: told }) => told)).toEqual(Array(4).fill('answer'));
      expect(served.yard.read(id, 'iteration-1/calls.jsonl')).toContain('"reused"');
      expect(await served.left()).toEqual([]);
    } finally {
      await server.close();
    }
  }, 900_000);
});

/** Kills the shell that waits in a room; gives how many there were. */
function killAgent(tag: string): number {
  const found = execFileSync('ps', ['-eo', 'pid,args'])
    .toString()
    .split('\n')
    .filter((line) => line.includes(`sh -c : ${tag};`) && !line.includes('bwrap'));
  for (const line of found) process.kill(Number(line.trim().split(' ')[0]), 'SIGKILL');
  return found.length;
}
