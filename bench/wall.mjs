// The glass wall against the same suite in one process: the commands' own time, and the time of one call that crosses.
import { figure, median } from './support/figures.mjs';
import { javascriptNode, openGate, pythonNode } from './support/gate.mjs';

const LIGHT_CALLS = 20;
const HEAVY_CALLS = 2000;
const RATIO_MAX = { light: 1.3, heavy: 3 };
const CALL_MAX_US = 100;

const LANGUAGES = { python: pythonPlus, javascript: javascriptPlus };

/** Medians of commands of one verdict each, tiers taking turns so that a busy machine slows both. */
export async function measure(lab, { quick, once }) {
  const gate = await openGate(lab, 'bubblewrap');
  try {
    const sizes = { rounds: once ? 1 : quick ? 2 : 7, heavy: once ? null : HEAVY_CALLS };
    const rows = [];
    for (const [language, nodeOf] of Object.entries(LANGUAGES))
      rows.push(...(await inLanguage(gate, language, nodeOf, sizes)));
    return rows;
  } finally {
    await gate.close();
  }
}

async function inLanguage(gate, language, nodeOf, { rounds, heavy: heavyCalls }) {
  const light = await compare(gate, (wall) => nodeOf('light', LIGHT_CALLS, wall), rounds);
  if (heavyCalls === null) return [row(language, 'light', LIGHT_CALLS, light)];
  const heavy = await compare(gate, (wall) => nodeOf('heavy', heavyCalls, wall), rounds);
  const walled = heavy.wallMs - light.wallMs - (heavy.insideMs - light.insideMs);
  return [
    row(language, 'light', LIGHT_CALLS, light),
    row(language, 'heavy', heavyCalls, heavy),
    figure({
      measure: `one call through the wall, ${language}`,
      value: (walled / (heavyCalls - LIGHT_CALLS)) * 1000,
      unit: 'us',
      aim: { of: 'value', max: CALL_MAX_US },
    }),
  ];
}

function row(language, kind, calls, { wallMs, insideMs }) {
  return figure({
    measure: `glass wall, ${language}, suite of ${calls} calls`,
    value: wallMs,
    unit: 'ms',
    baseline: { name: 'the same in one process', value: insideMs },
    aim: { of: 'ratio', max: RATIO_MAX[kind] },
  });
}

async function compare(gate, nodeOf, rounds) {
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

function pythonPlus(kind, calls, wall) {
  const name = `plus_${kind}`;
  const test = `def test_answer():\n    for n in range(${calls}):\n        assert ${name}(n, 1) == n + 1\n`;
  return pythonNode({
    name,
    declaration: `def ${name}(a: int, b: int) -> int: ...`,
    suite: `from bench.${name} import ${name}\n\n\n${test}`,
    code: `def ${name}(a: int, b: int) -> int:\n    return a + b\n`,
    wall,
  });
}

function javascriptPlus(kind, calls, wall) {
  const name = `plus_${kind}`;
  const suite = [
    `import { test } from 'node:test';`,
    `import assert from 'node:assert/strict';`,
    `import { ${name} } from '../../bench/${name}.js';`,
    `test('answer', () => {`,
    `  for (let n = 0; n < ${calls}; n += 1) assert.equal(${name}(n, 1), n + 1);`,
    `});`,
  ];
  return javascriptNode({
    name,
    declaration: `export function ${name}(a: number, b: number): number;`,
    suite: `${suite.join('\n')}\n`,
    code: `export function ${name}(a, b) {\n  return a + b;\n}\n`,
    wall,
  });
}
