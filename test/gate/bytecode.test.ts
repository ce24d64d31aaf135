/** No compiled file of a tree is judged in the place of its source, in nodes and in repositories (core/gate/bytecode.ts). */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { judgeRepository } from '../../activities/repository/judge-repository.ts';
import { parseVerifyProfile } from '../../adapters/contracts/verify-profile.ts';
import { resolveRepositoryPlan } from '../../core/repository/resolve-plan.ts';
import { type Machine, openMachine } from '../../workers/machine.ts';
import { repositoryParts } from '../../workers/services/gate/parts.ts';
import { uncheckedBytecode } from '../support/bytecode.ts';
import { tempFolder, type TempFolder } from '../support/git-repo.ts';
import { lockOf, SUITE_PATH, thingContract } from '../wall/wall-world.ts';
import { openGateWorld, quickPlan, type GateWorld } from './gate-world.ts';

const RIGHT = 'def price(n): return 3 * n\n';
const WRONG = 'def price(n): return 77\n';
const SUITE = 'from shop.thing import price\ndef test_two(): assert price(2) == 6\n';
const COMPILED = uncheckedBytecode(RIGHT);

let machine: Machine;
let home: TempFolder;
let world: GateWorld;

beforeAll(async () => {
  home = await tempFolder();
  machine = await openMachine(home.path, 'bubblewrap');
  world = await openGateWorld();
});

afterAll(async () => {
  await world.close();
  await machine.sandbox.close();
  await home.remove();
});

async function repository(files: Readonly<Record<string, Uint8Array>>): Promise<string> {
  const loaded = parseVerifyProfile('version: 1\ntests: [{ name: unit, runner: pytest }]\n', 'verify.yaml');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded));
  const { report } = await judgeRepository(repositoryParts(machine), {
    subject: { kind: 'work_tree', tree: '0'.repeat(40), commit: null, planFrom: 'verify.yaml' },
    files: Object.entries(files).map(([path, bytes]) => ({ path, bytes })),
    refused: [],
    plan: resolveRepositoryPlan(loaded.read, Object.keys(files)).plan,
    image: machine.image,
    stepKey: `bytecode-${String(Math.random())}`,
    owner: 'bytecode',
    notes: [],
  });
  return report.verdict;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('of a repository', async () => {
  const tests = { 'tests/test_shop.py': bytes('import shop\ndef test_two(): assert shop.price(2) == 6\n') };
  const cached = { [`__pycache__/shop.${COMPILED.tag}.pyc`]: Buffer.from(COMPILED.base64, 'base64') };
  expect(await repository({ ...tests, 'shop.py': bytes(RIGHT), ...cached })).toBe('PASS');
  expect(await repository({ ...tests, 'shop.py': bytes(WRONG), ...cached })).toBe('FAIL');
  // What tests read is theirs: only what lies in the place of a source is taken away.
  const reads = {
    'tests/test_data.py': bytes('def test_it(): assert open("tests/old.pyc", "rb").read(1)\n'),
  };
  const data = { 'tests/old.pyc': Buffer.from(COMPILED.base64, 'base64') };
  expect(await repository({ ...reads, ...data })).toBe('PASS');
});

test.each(['required', 'in_process'] as const)('of a node, %s', async (wall) => {
  const contract = thingContract({ exports: ['def price(n: int) -> int: ...'], raises: [] }, { wall });
  const tier = wall === 'required' ? 'glass_wall' : 'in_process';
  const ids = [{ file: SUITE_PATH, nesting: [], name: 'test_two', ordinal: 0 }];
  const judged = async (source: string, more: Readonly<Record<string, string>>): Promise<string> => {
    const texts = { 'shop/__init__.py': '', [SUITE_PATH]: SUITE, 'shop/thing.py': source, ...more };
    const { report } = await world.code(contract, texts, lockOf(SUITE, ids, tier), quickPlan(contract));
    return report.verdict;
  };
  const cached = { [`shop/__pycache__/thing.${COMPILED.tag}.pyc`]: COMPILED.base64 };
  expect(await judged(RIGHT, cached)).toBe('PASS');
  expect(await judged(WRONG, cached)).toBe('FAIL');
  const beside = { 'shop/inner.pyc': COMPILED.base64 };
  expect(await judged('from shop.inner import price\n', beside)).toBe('FAIL');
});
