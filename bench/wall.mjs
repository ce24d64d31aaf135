// The glass wall against the same suite in one process: the commands' own time, and the time of one call that crosses.
import { figure, median } from './support/figures.mjs';
import { openGate, pythonNode } from './support/gate.mjs';

const LIGHT_CALLS = 20;
const HEAVY_CALLS = 2000;
const RATIO_MAX = { light: 1.3, heavy: 3 };
const CALL_MAX_US = 100;

/** Medians of commands of one verdict each, tiers taking turns so that a busy machine slows both. */
export async function measure(lab, { quick }) {
  const gate = await openGate(lab, 'bubblewrap');
  try {
    const rounds = quick ? 2 : 7;
    const light = await compare(gate, 'light', LIGHT_CALLS, rounds);
    const heavy = await compare(gate, 'heavy', HEAVY_CALLS, rounds);
    const walled = heavy.wallMs - light.wallMs - (heavy.insideMs - light.insideMs);
    return [
      row('light', LIGHT_CALLS, light),
      row('heavy', HEAVY_CALLS, heavy),
      figure({
        measure: 'one call through the wall',
        value: (walled / (HEAVY_CALLS - LIGHT_CALLS)) * 1000,
        unit: 'us',
        aim: { of: 'value', max: CALL_MAX_US },
      }),
    ];
  } finally {
    await gate.close();
  }
}

function row(kind, calls, { wallMs, insideMs }) {
  return figure({
    measure: `glass wall, suite of ${calls} calls`,
    value: wallMs,
    unit: 'ms',
    baseline: { name: 'the same in one process', value: insideMs },
    aim: { of: 'ratio', max: RATIO_MAX[kind] },
  });
}

async function compare(gate, kind, calls, rounds) {
  const nodeOf = (wall) =>
    pythonNode({
      name: `plus_${kind}`,
      declaration: `def plus_${kind}(a: int, b: int) -> int: ...`,
      test: `def test_answer():\n    for n in range(${calls}):\n        assert plus_${kind}(n, 1) == n + 1\n`,
      body: '    return a + b\n',
      wall,
    });
  const [walled, inside] = [nodeOf('required'), nodeOf('in_process')];
  const locks = { walled: await gate.lock(walled), inside: await gate.lock(inside) };
  const times = { walled: [], inside: [] };
  for (let round = 0; round < rounds; round += 1) {
    const outer = await gate.code(walled, locks.walled);
    if (outer.report.tier !== 'glass_wall')
      throw new Error(`Judged ${outer.report.tier}, not behind the wall`);
    times.walled.push(outer.commandMs);
    times.inside.push((await gate.code(inside, locks.inside)).commandMs);
  }
  return { wallMs: median(times.walled), insideMs: median(times.inside) };
}
