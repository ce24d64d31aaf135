// The gate alone, on a backend of its own: real rooms and runners, trees in memory, the store of reports in the lab's folder.
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createGate } from '../../dist/activities/gate/verify-snapshot.js';
import { createReportFiles } from '../../dist/adapters/report-files/report-files.js';
import { buildStubs } from '../../dist/adapters/stubs/build-stubs.js';
import { createSymbols } from '../../dist/adapters/symbols/symbols.js';
import { lockedSuiteOf } from '../../dist/core/gate/suite/locked-suite.js';
import { ContractNode } from '../../dist/schemas/contract.js';
import { openMachine } from '../../dist/workers/machine.js';
import { recordSandbox } from './sandbox-record.mjs';

/** A gate on `docker` or `bubblewrap`. */
export async function openGate(lab, choice) {
  const machine = await openMachine(join(lab.home, choice), choice);
  const sandbox = recordSandbox(machine.sandbox);
  const trees = new Map();
  const gate = createGate({
    sandbox,
    isolation: { backend: machine.proof.backend, level: machine.proof.level },
    trees: { files: async (tree) => trees.get(tree) },
    symbols: createSymbols(),
    stubs: { build: buildStubs },
    runners: machine.runners,
    reports: createReportFiles(join(lab.dir, `reports-${choice}`)),
    hash: (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    nonce: randomUUID,
    nowMs: () => performance.now(),
  });
  /** Judges, expects PASS, and gives the report, the time, and the time in which a command ran. */
  const judge = async (contract, texts, more) => {
    const tree = createHash('sha1').update(JSON.stringify(texts)).digest('hex');
    const files = Object.entries(texts).map(([path, text]) => ({ path, bytes: Buffer.from(text) }));
    trees.set(tree, files);
    sandbox.take();
    const startMs = performance.now();
    const { report, cacheHit } = await gate.verifySnapshot({
      contract,
      stepKey: randomUUID(),
      owner: 'bench',
      tree,
      projection: tree,
      image: machine.image,
      dependencies: [],
      changedPaths: null,
      ...more,
    });
    const ms = performance.now() - startMs;
    if (report.verdict !== 'PASS')
      throw new Error(`The gate said ${report.verdict}: ${JSON.stringify(report.findings)}`);
    return { report, cacheHit, ms, commandMs: commandMs(sandbox.take()) };
  };
  return {
    /** What a suite's own gate locks. */
    async lock({ contract, suite, covers }) {
      const { report } = await judge(contract, suite, { kind: 'suite', covers, useCache: false });
      return lockedSuiteOf(report);
    },
    code: ({ contract, suite, code }, locked, { useCache = false, mutationMs = 0 } = {}) =>
      judge(contract, { ...suite, ...code }, { kind: 'code', locked, useCache, mutationMs }),
    close: () => sandbox.end(),
  };
}

/** A Python node of one function, `bench.NAME`; `code` and `suite` are whole files. */
export function pythonNode({ name, declaration, suite, code, wall = 'default' }) {
  const file = `bench/${name}.py`;
  const importLine = `from bench.${name} import ${name}`;
  return {
    contract: contractOf({ name, declaration, file, importLine, wall, language: 'python' }),
    suite: { [`tests/bench_${name}/test_${name}.py`]: suite },
    code: { [file]: code },
    covers: { E1: ['*'] },
  };
}

/** The same in JavaScript. */
export function javascriptNode({ name, declaration, suite, code, wall = 'default' }) {
  const file = `bench/${name}.js`;
  const importLine = `import { ${name} } from '../../${file}';`;
  return {
    contract: contractOf({ name, declaration, file, importLine, wall, language: 'javascript' }),
    suite: {
      'package.json': '{"type":"module"}\n',
      [`tests/bench_${name}/${name}.test.js`]: suite,
    },
    code: { [file]: code },
    covers: { E1: ['*'] },
  };
}

function contractOf({ name, declaration, file, importLine, wall, language }) {
  const parsed = ContractNode.parse({
    id: `bench.${name}`,
    stage: 'core',
    description: `${name}: a function to measure the gate with`,
    interface: { exports: [declaration] },
    wall,
  });
  const tests = [`tests/bench_${name}/**`];
  return { ...parsed, language, mode: 'A', files: [file], tests, contentFile: file, importLine };
}

/** Time in which at least one command ran, by the keeper's clock; each is laid at the end of its room. */
function commandMs(runs) {
  const spans = runs
    .map(({ endMs, commandMs: ms }) => [endMs - ms, endMs])
    .sort((one, other) => one[0] - other[0]);
  let busy = 0;
  let until = -Infinity;
  for (const [from, to] of spans) {
    busy += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return busy;
}
