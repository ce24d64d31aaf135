/** A plan that demands more isolation than a probe proved is refused before anything runs (G10). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type IsolationProof, TWO_USERS } from '../../core/ports/sandbox.ts';
import { ContractNode } from '../../schemas/contract.ts';
import { isolationLack } from '../../workers/services/isolation-check.ts';
import { openBackend } from '../adapters/sandbox-backends.ts';
import { gateContract } from '../support/gate-contract.ts';
import { locked as lockedSuite } from '../support/gate-runs.ts';
import { openGateWorld, type GateWorld } from './gate-world.ts';

let world: GateWorld;
let proof: IsolationProof;

beforeAll(async () => {
  // A machine without a control group of our own: the probe attempts everything and finds one act open.
  const backend = await openBackend('bubblewrap', { cgroupRoot: null });
  proof = await backend.sandbox.probe(backend.image);
  world = await openGateWorld({ backend, isolation: { backend: proof.backend, level: proof.level } });
});
afterAll(async () => {
  await world.close();
});

describe('isolation that a contract demands', () => {
  test('a probe that fails one act proves "partial" and names the act', () => {
    expect(proof.level).toBe('partial');
    expect(proof.acts.filter((act) => !act.held).map((act) => act.act)).toEqual([
      'limit memory, processes and processor of the whole room',
    ]);
  });

  test.each([
    ['hardened', { verdict: 'INVALID', fault: 'manager', codes: ['isolation_refused'], commands: 0 }],
    ['partial', { verdict: 'INVALID', fault: 'manager', codes: ['suite_changed'], commands: 0 }],
  ] as const)('verifySnapshot() with isolation "%s" on that machine', async (isolation, expected) => {
    const { report } = await world.code(
      gateContract({ isolation }),
      { 'price/__init__.py': '', 'price/money.py': 'def parse_money(text: str) -> int: return 1\n' },
      lockedSuite('test_value'),
      undefined,
    );
    const codes = report.levels.flatMap((level) => level.findings.map((found) => found.code));
    expect({
      verdict: report.verdict,
      fault: report.fault,
      codes,
      commands: report.commands.length,
    }).toEqual(expected);
  });

  test('isolationLack() refuses seed and run with exit code 4 and one message', () => {
    const wall = 'default' as const;
    const contracts = [
      { id: 'price.tax', wall },
      { id: 'price.money', isolation: 'hardened' as const, wall },
    ];
    expect(isolationLack('run', contracts, { proof })).toEqual({
      ok: false,
      exitCode: 4,
      problems: [
        {
          message:
            'Cannot run: node "price.money" is refused, isolation must be "hardened", bubblewrap proved "partial"; not held: limit memory, processes and processor of the whole room',
        },
      ],
      nextStep: 'a7-rt doctor',
    });
    expect(isolationLack('seed', [{ id: 'price.tax', isolation: 'partial', wall }], { proof })).toBeNull();
  });

  test('isolationLack() refuses what is judged behind the wall where a room has one user: nobody is paid for it', () => {
    const acts = [{ act: TWO_USERS, held: false, detail: 'without root a room has one user' }];
    const unprivileged = { proof: { backend: 'bubblewrap', level: 'partial' as const, acts } };
    const inProcess = { id: 'price.tax', wall: 'in_process' as const };
    expect(isolationLack('run', [inProcess], unprivileged)).toBeNull();
    const walled = { id: 'price.money', wall: 'default' as const };
    expect(isolationLack('run', [inProcess, walled], unprivileged)).toEqual({
      ok: false,
      exitCode: 4,
      problems: [
        {
          message:
            'Cannot run: node "price.money" is judged behind the glass wall (wall: default), and bubblewrap cannot keep two users of a room apart here',
        },
      ],
      nextStep: 'run it as root or with a Docker engine, or write "wall: in_process" into the contracts',
    });
  });

  test('a contract may say "partial" or "hardened" and nothing else', () => {
    const node = { id: 'price.money', stage: 'core', description: 'x' };
    expect(ContractNode.parse({ ...node, isolation: 'hardened' }).isolation).toBe('hardened');
    expect(ContractNode.safeParse({ ...node, isolation: 'none' }).success).toBe(false);
  });
});
