/** The sample project: its contracts, its script, and what the real gate says about every answer in it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkTestContract } from '../../core/contract/test-contract.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { GateReport, LockedSuite } from '../../schemas/report.ts';
import type { SubmitPrInput } from '../../schemas/submit-pr.ts';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import { builderText } from '../../core/gate/report/feedback-text.ts';
import { openGateWorld, type GateWorld } from '../gate/gate-world.ts';
import { answerFiles, type NodeWork, packageFiles, readSample, type Texts } from './sample-work.ts';

const GATE_TIMEOUT_MS = 120_000;

let world: GateWorld;
let nodes: readonly NodeWork[];

beforeAll(async () => {
  world = await openGateWorld();
  nodes = await readSample();
});
afterAll(async () => {
  await world.close();
});

describe('the sample project', () => {
  test('has two stages, feature and glue nodes, both modes, and branches that need nothing of each other', () => {
    const contracts = nodes.map((node) => node.contract);
    expect(contracts.length).toBeGreaterThanOrEqual(8);
    expect([...new Set(contracts.map((contract) => contract.stage))]).toEqual(['core', 'app']);
    expect(new Set(contracts.map((contract) => contract.type))).toEqual(new Set(['feature', 'glue']));
    expect(contracts.filter((contract) => contract.mode === 'B').map((contract) => contract.id)).toEqual([
      'money.text',
      'store.output',
    ]);
    const free = contracts.filter(
      (contract) => contract.stage === 'core' && contract.structural_deps.length === 0,
    );
    expect(free.map((contract) => contract.id)).toEqual(['meter.reading', 'tariff.blocks', 'money.text']);
  });

  test('has a script that uses every file of its answers', () => {
    const { there, named } = answerFiles();
    expect(named).toEqual(there);
  });

  test('has Mode B authors whose test contracts hold', () => {
    for (const { contract, suite } of nodes.filter((node) => node.contract.mode === 'B')) {
      const { test_contract: text, interface: surface } = suite.last.submit;
      expect(checkTestContract(text ?? '', contract.id, surface?.exports ?? [])).toMatchObject({ ok: true });
    }
  });
});

// That every suite is locked and every honest file passes is seen where the demo is built: demo.test.ts.
describe('verifySnapshot() of the slips in the sample', () => {
  test(
    'sends back the suite of tariff.charge that is green on stubs',
    async () => {
      const node = nodeOf('tariff.charge');
      const [slip] = node.suite.slips;
      const { report } = await world.suite(
        node.contract,
        { ...around(node), ...slip?.files },
        coversOf(slip?.submit),
        undefined,
        directDeps(node),
      );
      expect([report.verdict, report.fault]).toEqual(['FAIL', 'author']);
      expect(findingsOf(report)).toContain('not_red');
    },
    GATE_TIMEOUT_MS,
  );

  test(
    'tells the builder of meter.usage which clause its first attempt breaks, and the repair equals the honest file',
    async () => {
      const node = nodeOf('meter.usage');
      const [first, repaired] = node.code.slips;
      const { report } = await judgeCode(node, first?.files ?? {});
      expect([report.verdict, report.fault]).toEqual(['FAIL', 'builder']);
      const told = builderText(builderFeedback(report, node.contract, await lock(node)));
      expect(told).toContain(
        '[G2: A register that went past 999999 began again at 0: from 999990 to 5 are 15 units]',
      );
      expect(told).not.toContain('test_');
      expect(repaired?.files).toEqual(node.code.last.files);
    },
    GATE_TIMEOUT_MS,
  );

  test(
    'finds out every lie of the builder of tariff.blocks and charges it',
    async () => {
      const node = nodeOf('tariff.blocks');
      const verdicts: string[] = [];
      for (const lie of node.code.slips) {
        const { report } = await judgeCode(node, lie.files);
        verdicts.push(`${report.verdict} ${report.fault ?? ''}`);
      }
      // Code that ends its process answers no call: INVALID, and charged.
      expect(verdicts).toEqual(['FAIL builder', 'INVALID builder', 'INVALID builder']);
    },
    GATE_TIMEOUT_MS,
  );
});

async function judgeCode(node: NodeWork, files: Texts) {
  return world.verify({
    kind: 'code',
    contract: node.contract,
    texts: { ...around(node), ...node.suite.last.files, ...files },
    locked: await lock(node),
    dependencies: directDeps(node),
  });
}

const LOCKS = new Map<string, LockedSuite>();

async function lock(node: NodeWork): Promise<LockedSuite> {
  const known = LOCKS.get(node.contract.id);
  if (known !== undefined) return known;
  const { files, submit } = node.suite.last;
  const locked = await world.lock(
    node.contract,
    { ...around(node), ...files },
    coversOf(submit),
    directDeps(node),
  );
  LOCKS.set(node.contract.id, locked);
  return locked;
}

/** The scaffold and the code of all that a node needs: its projection without itself. */
function around(node: NodeWork): Texts {
  const needed = new Set<string>();
  const visit = (id: string): void => {
    for (const dep of nodeOf(id).contract.structural_deps) {
      needed.add(dep);
      visit(dep);
    }
  };
  visit(node.contract.id);
  const code = [...needed].flatMap((id) => Object.entries(nodeOf(id).code.last.files));
  return { ...packageFiles(nodes.map((each) => each.contract)), ...Object.fromEntries(code) };
}

function directDeps(node: NodeWork): ResolvedContract[] {
  return node.contract.structural_deps.map((id) => nodeOf(id).contract);
}

function nodeOf(id: string): NodeWork {
  const node = nodes.find((each) => each.contract.id === id);
  if (node === undefined) throw new Error(`The sample has no node "${id}"`);
  return node;
}

function coversOf(submit: SubmitPrInput | undefined): Record<string, string[]> {
  return Object.fromEntries((submit?.covers ?? []).map((cover) => [cover.clause, cover.tests]));
}

function findingsOf(report: GateReport): string[] {
  return report.levels.flatMap((level) => level.findings.map((found) => found.code));
}
