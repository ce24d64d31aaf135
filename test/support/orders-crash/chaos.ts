/** Orders whose worker dies at every durable step, or at random instants beside the server; what differs from an undisturbed one. */
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../../core/text/error-text.ts';
import { canonicalJson } from '../../../core/text/canonical.ts';
import { planKills } from '../crash/chaos.ts';
import { serverPid } from '../crash/yard.ts';
import type { SubmitAsked } from '../../../core/ports/order-services.ts';
import { type ServedYard, agentOf, outcome } from './yard.ts';

/** Steps of an order of two iterations, in their order. */
export const STEPS = [
  'appended:run_opened',
  'appended:lease_taken',
  'stored:plan.json',
  'stored:before.json',
  'appended:prepared',
  'appended:build_started',
  'logged:iteration-1/agent.log',
  'stored:iteration-1/build-notes.md',
  'stored:iteration-1/built.json',
  'appended:built',
  'stored:iteration-1/change.patch',
  'stored:iteration-1/snapshot.json',
  'appended:snapshot_taken',
  'stored:iteration-1/report.txt',
  'stored:iteration-1/report.json',
  'appended:verified',
  'stored:iteration-1/feedback.md',
  'appended:feedback_given',
  'stored:iteration-2/built.json',
  'appended:order_ended',
  'stored:summary.md',
] as const;

/** What an order comes to when nothing is killed. */
export async function undisturbedOrder(served: ServedYard): Promise<unknown> {
  await served.serve();
  const { change } = agentOf(served.yard, 'undisturbed', false);
  const id = await served.submit(served.yard.repository('undisturbed'), change);
  const expected = outcome(await served.ended(id));
  await served.kill();
  return expected;
}

/** One order, its worker killed at each of the steps. @param say called when a kill has been made. */
export async function killedAtEach(
  served: ServedYard,
  expected: unknown,
  steps: readonly string[],
  say: (step: string) => void,
): Promise<readonly string[]> {
  await served.serve('kill', steps.slice(0, 1));
  const { change } = agentOf(served.yard, 'steps', false);
  const id = await served.submit(served.yard.repository('steps'), change);
  for (const next of [...steps.slice(1), undefined]) {
    await served.struck();
    say('killed');
    await served.serve('kill', next === undefined ? [] : [next]);
  }
  return differences(served, [id], expected);
}

/** One order, the server killed at each of the steps while the worker lives. */
export async function serverKilledAtEach(
  served: ServedYard,
  expected: unknown,
  steps: readonly string[],
  say: (step: string) => void,
): Promise<readonly string[]> {
  await served.serve('hold', steps);
  const { change } = agentOf(served.yard, 'server', false);
  const id = await served.submit(served.yard.repository('server'), change);
  for (const _step of steps) {
    const point = await served.held();
    killServer(served.yard.home);
    served.go();
    say(point);
  }
  return differences(served, [id], expected);
}

/** One order, and a disk that is full at each of the steps, once. */
export async function fullAtEach(
  served: ServedYard,
  expected: unknown,
  steps: readonly string[],
  change: Partial<SubmitAsked>,
): Promise<readonly string[]> {
  await served.serve('full', steps);
  const id = await served.submit(served.yard.repository('full'), change);
  return differences(served, [id], expected);
}

/** An order a step, cancelled there; the next one on the same workspace goes on. */
export async function cancelledAtEach(
  served: ServedYard,
  expected: unknown,
  steps: readonly string[],
  say: (step: string) => void,
): Promise<readonly string[]> {
  const { change } = agentOf(served.yard, 'cancelled', false);
  const repo = served.yard.repository('cancelled');
  const found: string[] = [];
  for (const step of steps) {
    await served.serve('hold', [step]);
    const id = await served.submit(repo, change);
    await served.held();
    const cancelled = served.yard.services.cancel(id, `at ${step}`);
    await served.until(id, ({ cancel, end }) => cancel !== null || end !== null);
    served.go();
    await cancelled;
    const { status } = await served.ended(id);
    // What has ended is not cancelled any more.
    if (status !== 'CANCELED' && step !== 'appended:order_ended' && step !== 'stored:summary.md')
      found.push(`${id}: ${status} at ${step}`);
    await served.kill();
    say(step);
  }
  await served.serve();
  const last = await served.submit(repo, change);
  return [...found, ...(await differences(served, [last], expected))];
}

/** Orders on two workspaces, worker or server killed at random instants. */
export async function killedAtRandom(
  served: ServedYard,
  expected: unknown,
  { seed, index, kills, orders }: { seed: number; index: number; kills: number; orders: number },
): Promise<{ readonly plan: string; readonly findings: readonly string[] }> {
  const { yard } = served;
  const repos = ['one', 'two'].map((name) => yard.repository(`${name}-${String(index)}`));
  const { change } = agentOf(yard, 'random', false);
  await served.serve();
  const ids: string[] = [];
  for (let each = 0; each < orders; each += 1)
    ids.push(await served.submit(repos[each % repos.length] ?? '', change));
  const told: string[] = [];
  for (const { victim, at } of planKills(seed, index, kills)) {
    const waitMs = at * RANGE_MS;
    await delay(waitMs);
    told.push(`${victim} after ${(waitMs / 1000).toFixed(2)} s`);
    if (victim === 'server') killServer(yard.home);
    else {
      await served.kill();
      await served.serve();
    }
  }
  const findings = await differences(served, ids, expected);
  await served.kill();
  return { plan: told.join(', '), findings };
}

const RANGE_MS = 6_000;

async function differences(
  served: ServedYard,
  ids: readonly string[],
  expected: unknown,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const id of ids) {
    const is = canonicalJson(outcome(await served.ended(id)));
    const wanted = canonicalJson(expected);
    if (is !== wanted) found.push(`${id}: ${is} instead of ${wanted}`);
  }
  return [...found, ...(await served.left())];
}

function killServer(home: string): void {
  try {
    process.kill(serverPid(home), 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
