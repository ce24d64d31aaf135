// Work orders: what the loop costs beside agent and gate, orders a minute, and trees of three sizes beside plain git.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { between, git, repositoryOf, serveOrders } from './support/order-lab.mjs';
import { figure, median } from './support/figures.mjs';
import { busyMs } from './support/sandbox-record.mjs';

const LOOPS = 5;
const ORDERS = 20;
const WORKSPACES = 4;
const SIZES = [100, 5_000, 50_000];
/** Of the largest: issue 12 asks for it. */
const BYTES = 500 * 1024 * 1024;

export async function measure(lab, { quick, once }) {
  const served = await serveOrders(lab);
  try {
    const small = repositoryOf(lab, 'order-loop', { files: 100 });
    return [
      ...(await loops(lab, served, small, once ? 1 : quick ? 2 : LOOPS)),
      await aMinute(lab, served, once ? 2 : quick ? 8 : ORDERS),
      ...(await trees(lab, served, once ? [100] : quick ? SIZES.slice(0, 2) : SIZES)),
    ];
  } finally {
    await served.close();
  }
}

/** From LEASED to the end, without what ran in rooms: of the agent, and of the gate. */
async function loops(lab, served, repo, count) {
  const { sandbox } = await lab.machine();
  const rows = [];
  // The first one fills pools and caches.
  for (let loop = 0; loop <= count; loop += 1) {
    sandbox.take();
    const lines = await served.ended(await served.submit(repo));
    const wholeMs = between(lines, 'lease_taken', 'order_ended');
    const roomsMs = busyMs(sandbox.take());
    if (loop > 0 || count === 1) rows.push({ wholeMs, outsideMs: wholeMs - roomsMs });
  }
  return [
    figure({
      measure: `an order with an instant agent, its loop beside agent and gate, median of ${count}`,
      value: median(rows.map(({ outsideMs }) => outsideMs)),
      unit: 'ms',
      baseline: { name: 'the whole loop', value: median(rows.map(({ wholeMs }) => wholeMs)) },
    }),
  ];
}

async function aMinute(lab, served, count) {
  const repos = Array.from({ length: Math.min(WORKSPACES, count) }, (_, at) =>
    repositoryOf(lab, `order-many-${at}`, { files: 20 }),
  );
  const startMs = performance.now();
  const ids = [];
  for (let at = 0; at < count; at += 1) ids.push(await served.submit(repos[at % repos.length]));
  for (const id of ids) await served.ended(id);
  return figure({
    measure: `orders a minute with an instant agent, ${count} on ${repos.length} workspaces`,
    value: (count * 60_000) / (performance.now() - startMs),
    unit: '1/min',
  });
}

/** Each size: submit to BUILDING beside a work tree of git's own, and a snapshot of a change of one file beside its stash. */
async function trees(lab, served, sizes) {
  const rows = [];
  for (const files of sizes) {
    const isLargest = files === SIZES.at(-1);
    const repo = repositoryOf(lab, `order-${files}`, { files, ...(isLargest ? { bytes: BYTES } : {}) });
    const what = `${files} files${isLargest ? ` and ${BYTES / 1024 / 1024} MiB` : ''}`;
    const times = gitTimes(repo);
    const startMs = Date.now();
    const lines = await served.ended(await served.submit(repo));
    const building = lines.find(({ type }) => type === 'build_started');
    rows.push(
      figure({
        measure: `submit to BUILDING, ${what}`,
        value: Date.parse(building.at) - startMs,
        unit: 'ms',
        baseline: { name: 'git worktree add', value: times.worktreeMs },
        aim: isLargest ? { of: 'value', max: 5_000 } : null,
      }),
      figure({
        measure: `snapshot after a change of one file, ${what}`,
        value: between(lines, 'built', 'snapshot_taken'),
        unit: 'ms',
        baseline: { name: 'git stash create', value: times.stashMs },
        aim: isLargest ? { of: 'value', max: 2_000 } : null,
      }),
      figure({
        measure: `the turn of an instant agent: tree laid and taken out, ${what}`,
        value: between(lines, 'build_started', 'built'),
        unit: 'ms',
        baseline: { name: 'git worktree add', value: times.worktreeMs },
      }),
    );
  }
  return rows;
}

/** The same work of plain git, on the same repository. */
function gitTimes(repo) {
  const timed = (...args) => {
    const startMs = performance.now();
    git(repo, ...args);
    return performance.now() - startMs;
  };
  const tree = join(repo, '..', `worktree-${Math.random().toString(36).slice(2)}`);
  const worktreeMs = timed('worktree', 'add', '--quiet', '--detach', tree);
  git(repo, 'worktree', 'remove', '--force', tree);
  appendFileSync(join(repo, 'README.md'), 'edited\n');
  const stashMs = timed('stash', 'create');
  git(repo, 'checkout', '--quiet', 'README.md');
  return { worktreeMs, stashMs };
}
