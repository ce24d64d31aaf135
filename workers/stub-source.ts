/** Stubs as test authors see them: built in the sandbox from the contract, once for each contract. */
import { createHash, randomUUID } from 'node:crypto';
import { buildStubs } from '../adapters/stubs/build-stubs.ts';
import { stubSandbox } from '../adapters/stubs/run-in-sandbox.ts';
import type { StubBuild } from '../adapters/stubs/stub-build.ts';
import type { StubSource } from '../activities/agent/open-agent.ts';
import type { ResolvedContract } from '../schemas/contract.ts';
import type { Machine } from './machine.ts';

/** The `raise` stubs: signatures are true, and whoever calls one sees that nothing is built yet. `image` has the packages that they may import. */
export function createStubSource(machine: Machine, image: () => Promise<string>): StubSource {
  const built = new Map<string, Promise<StubBuild>>();
  return {
    async files(contract) {
      const key = createHash('sha256').update(JSON.stringify(contract)).digest('hex').slice(0, 24);
      const pending =
        built.get(key) ??
        image().then((layered) =>
          buildContractStubs(
            { ...machine, image: layered },
            contract,
            `stubs-${contract.id}-${randomUUID()}`,
          ),
        );
      built.set(key, pending);
      pending.catch(() => built.delete(key));
      const stubs = await pending;
      if (!stubs.ok) return [];
      return stubs.stubs.raise
        .filter((file) => !file.path.endsWith('__init__.py'))
        .map((file) => ({ path: file.path, text: Buffer.from(file.bytes).toString('utf8') }));
    },
  };
}

/** One stub build in a sandbox of its own. @throws when the sandbox was lost. */
export function buildContractStubs(
  machine: Machine,
  contract: ResolvedContract,
  key: string,
): Promise<StubBuild> {
  const { sandbox, image, runners } = machine;
  return buildStubs(
    contract,
    stubSandbox({ sandbox, image, owner: 'stubs', key, runnerFiles: runners.files(contract.language) }),
  );
}
