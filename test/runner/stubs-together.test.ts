/** Stubs of several contracts made in one room: the same as alone, and none is touched by another. */
import { expect, test } from '@jest/globals';
import { buildStubs } from '../../adapters/stubs/build-stubs.ts';
import { pythonStubsTogether } from '../../adapters/stubs/python-stubs.ts';
import type { SandboxPort, SandboxRequest, SandboxResult } from '../../core/ports/sandbox.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { Machine } from '../../workers/machine.ts';
import { createStubSource } from '../../workers/stub-source.ts';
import { contractOf, runLocally } from './run-locally.ts';

const node = (id: string, exports: readonly string[], imports: readonly string[] = []): ResolvedContract => ({
  ...contractOf('python', `${id.replaceAll('.', '/')}.py`, { exports, imports }),
  id,
});
const price = node('shop.price', ['def price(text: str) -> int: ...', 'class Bad(ValueError): ...']);
const tax = node('shop.tax', ['def tax(amount: int = 3) -> int: ...']);
const refused = node('shop.refused', ['def broken(']);
/** Ends its process while it is imported. */
const ends = node('shop.ends', ['def f(x: int = __import__("os")._exit(0)) -> int: ...'], ['import os']);

test('pythonStubsTogether() gives each contract what it has alone', async () => {
  const contracts = [price, refused, tax];
  const builds = await pythonStubsTogether(contracts, runLocally);
  expect(builds).toEqual(await Promise.all(contracts.map((each) => buildStubs(each, runLocally))));
  expect(builds.map((build) => build?.ok)).toEqual([true, false, true]);
});

test('pythonStubsTogether() proves nothing of a contract that ends its process, and leaves the others as they are', async () => {
  const [, first, other] = await pythonStubsTogether([price, ends, tax], runLocally);
  expect(first).toBeNull();
  expect(other).toEqual(await buildStubs(tax, runLocally));
});

test('createStubSource() asks once for contracts that a person wrote, and alone for what did not come out of that room', async () => {
  const rooms: string[] = [];
  const source = createStubSource(machineOf(rooms), () => Promise.resolve('image'));
  const declared: ResolvedContract = { ...node('shop.made', ['def made() -> int: ...']), mode: 'B' };
  const book = [price, tax, declared, ends];
  const text = (await source.files(price, book)).map((file) => file.text).join('');
  expect(text).toContain('def price(');
  expect(rooms).toEqual(['stubs-shop.price']);
  expect((await source.files(tax, book)).map((file) => file.path)).toEqual(['shop/tax.py']);
  expect(rooms).toHaveLength(1);
  await source.files(declared, book);
  expect(rooms).toEqual(['stubs-shop.price', 'stubs-shop.made']);
  await expect(source.files(ends, book)).rejects.toThrow();
});

test('createStubSource() makes stubs alone where the room of many is lost', async () => {
  const rooms: string[] = [];
  const source = createStubSource(machineOf(rooms, 1), () => Promise.resolve('image'));
  expect(await source.files(price, [price, tax])).toHaveLength(1);
  expect(await source.files(tax, [price, tax])).toHaveLength(1);
  expect(rooms).toEqual(['stubs-shop.price', 'stubs-shop.price', 'stubs-shop.tax']);
});

/** A sandbox on this machine that notes its rooms; the first `lost` of them never come to an end. */
function machineOf(rooms: string[], lost = 0): Machine {
  const run = async (request: SandboxRequest): Promise<SandboxResult> => {
    rooms.push(request.key.slice(0, -37));
    if (rooms.length <= lost) return { ...ENDED, outcome: { kind: 'lost', reason: 'the engine is gone' } };
    const text = await runLocally({
      command: { argv: request.argv, env: request.env ?? {} },
      stdin: Buffer.from(request.stdin ?? []).toString(),
      files: request.mounts.find((mount) => mount.path === '/work')?.files ?? [],
    });
    return { ...ENDED, stdout: { text, bytes: text.length, truncated: false } };
  };
  const sandbox = { run } as unknown as SandboxPort;
  return { sandbox, image: 'image', runners: { all: [], files: () => [] } } as unknown as Machine;
}

const ENDED: SandboxResult = {
  outcome: { kind: 'exited', exitCode: 0 },
  stdout: { text: '', bytes: 0, truncated: false },
  stderr: { text: '', bytes: 0, truncated: false },
  files: {},
  refused: [],
  durationMs: 1,
  cpuMs: 1,
  limitsHit: [],
};
