// What the gate costs beside the commands that it runs, with warm rooms, and what a stored verdict costs.
import { figure, median } from './support/figures.mjs';
import { openGate, pythonNode } from './support/gate.mjs';

const OVERHEAD_MAX_MS = { bubblewrap: 100, docker: 350 };
const CACHE_MAX_MS = 20;
/** Verdicts that fill the pool of rooms and the process's caches. */
const WARM_UP = 2;

/** Medians over verdicts of one trivial node, on each backend that is here. */
export async function measure(lab, { quick, once }) {
  const node = pythonNode({
    name: 'answer',
    declaration: 'def answer() -> int: ...',
    suite: 'from bench.answer import answer\n\n\ndef test_answer():\n    assert answer() == 41\n',
    code: 'def answer() -> int:\n    return 41\n',
  });
  const count = once ? 1 : quick ? 3 : 10;
  const warmUp = once ? 0 : WARM_UP;
  const rows = [];
  for (const backend of ['bubblewrap', 'docker']) {
    const gate = await openGate(lab, backend);
    try {
      rows.push(...(await onBackend(gate, backend, node, { count, warmUp })));
    } finally {
      await gate.close();
    }
  }
  return rows;
}

async function onBackend(gate, backend, node, { count, warmUp }) {
  const locked = await gate.lock(node);
  const verdicts = [];
  for (let index = 0; index < warmUp + count; index += 1) verdicts.push(await gate.code(node, locked));
  const warm = verdicts.slice(warmUp);
  await gate.code(node, locked, { useCache: true });
  const hits = [];
  for (let index = 0; index < count; index += 1) hits.push(await gate.code(node, locked, { useCache: true }));
  if (!hits.every(({ cacheHit }) => cacheHit)) throw new Error('A stored verdict was not found');
  return [
    figure({
      measure: `gate beside its commands, ${backend}, median of ${count}`,
      value: median(warm.map(({ ms, commandMs }) => ms - commandMs)),
      unit: 'ms',
      baseline: { name: 'its commands', value: median(warm.map(({ commandMs }) => commandMs)) },
      aim: { of: 'value', max: OVERHEAD_MAX_MS[backend] },
    }),
    figure({
      measure: `verdict from the cache, ${backend}`,
      value: median(hits.map(({ ms }) => ms)),
      unit: 'ms',
      baseline: { name: 'the verdict', value: median(warm.map(({ ms }) => ms)) },
      aim: { of: 'value', max: CACHE_MAX_MS },
    }),
  ];
}
