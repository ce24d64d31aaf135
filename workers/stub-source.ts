/** Stubs as test authors see them: built in the sandbox from the contract, once for each contract, many in one room. */
import { createHash, randomUUID } from 'node:crypto';
import { buildStubs } from '../adapters/stubs/build-stubs.ts';
import { pythonStubsTogether } from '../adapters/stubs/python-stubs.ts';
import { stubSandbox } from '../adapters/stubs/run-in-sandbox.ts';
import type { RunInSandbox, StubBuild } from '../adapters/stubs/stub-build.ts';
import type { StubSource } from '../activities/agent/stub-files.ts';
import type { ResolvedContract } from '../schemas/contract.ts';
import type { SandboxFile } from '../core/ports/sandbox.ts';
import type { Machine } from './machine.ts';
import { overScaffold } from './scaffold-files.ts';

/** Contracts in one room: who asked first waits for all of them, some 10 ms each. */
const TOGETHER_MAX = 16;

/** The `raise` stubs: signatures are true, and whoever calls one sees that nothing is built yet. `image` has the packages that they may import, `scaffold` the repository's files. */
export function createStubSource(
  machine: Machine,
  image: () => Promise<string>,
  scaffold: () => Promise<readonly SandboxFile[]> = () => Promise.resolve([]),
): StubSource {
  const built = new Map<string, Promise<StubBuild>>();
  const room = async (contract: ResolvedContract): Promise<RunInSandbox> =>
    roomFor(machine, await image(), contract);
  const remember = (contract: ResolvedContract, pending: Promise<StubBuild>): Promise<StubBuild> => {
    const key = keyOf(contract);
    built.set(key, pending);
    pending.catch(() => built.delete(key));
    return pending;
  };
  const alone = async (contract: ResolvedContract): Promise<StubBuild> =>
    buildStubs(contract, overScaffold(await room(contract), await scaffold()));
  const start = (contract: ResolvedContract, soon: readonly ResolvedContract[]): Promise<StubBuild> => {
    const others = soon.filter(
      (each) => isWritten(each) && !built.has(keyOf(each)) && each.id !== contract.id,
    );
    if (!isWritten(contract) || others.length === 0) return remember(contract, alone(contract));
    const group = [contract, ...others.slice(0, TOGETHER_MAX - 1)];
    const together = room(contract).then((run) => pythonStubsTogether(group, run));
    for (const [at, each] of group.entries()) {
      // What the room leaves open is asked for again, alone; at once only for whom somebody waits.
      const own = together.then(async (builds) => {
        const build = builds[at] ?? null;
        if (build === null) throw new Error('no stubs came out');
        // Its declarations may import the repository's files, which the room of many has not.
        return build.ok || (await scaffold()).length === 0 ? build : alone(each);
      });
      void remember(each, each === contract ? own.catch(() => alone(contract)) : own);
    }
    return built.get(keyOf(contract)) ?? alone(contract);
  };
  return {
    async files(contract, soon = []) {
      const stubs = await (built.get(keyOf(contract)) ?? start(contract, soon));
      if (!stubs.ok) return [];
      return stubs.stubs.raise
        .filter((file) => !file.path.endsWith('__init__.py'))
        .map((file) => ({ path: file.path, text: Buffer.from(file.bytes).toString('utf8') }));
    },
  };
}

/** Declarations that a person wrote. What an agent declared (mode B) shares a room with nobody. */
function isWritten({ language, mode, interface: { exports } }: ResolvedContract): boolean {
  return language === 'python' && mode === 'A' && exports.length > 0;
}

function keyOf(contract: ResolvedContract): string {
  return createHash('sha256').update(JSON.stringify(contract)).digest('hex').slice(0, 24);
}

function roomFor(
  { sandbox, runners }: Machine,
  image: string,
  { id, language }: ResolvedContract,
): RunInSandbox {
  const key = `stubs-${id}-${randomUUID()}`;
  return stubSandbox({ sandbox, image, owner: 'stubs', key, runnerFiles: runners.files(language) });
}
