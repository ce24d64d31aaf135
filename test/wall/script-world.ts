/** Honest suites and builders of small JavaScript and TypeScript nodes; all of them are judged in one room. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { scanScripts } from '../../core/gate/suite/script-scan.ts';
import { tierFor } from '../../core/gate/code/wall.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { WallChoice } from '../../schemas/gate-wall.ts';
import { gateContract } from '../support/gate-contract.ts';

const Head = z.strictObject({
  ending: z.enum(['mjs', 'cjs', 'ts']),
  exports: z.array(z.string()),
  raises: z.array(z.string()).default([]),
});

export interface ScriptCase {
  readonly name: string;
  readonly contract: ResolvedContract;
  readonly codePath: string;
  readonly code: string;
  readonly suitePath: string;
  readonly suite: string;
}

/** Files of `test/wall/honest-script`: a JSON head, then code, then suite. Each has module and suite file of its own. */
export function scriptCases(): ScriptCase[] {
  const folder = resolve('test/wall/honest-script');
  return readdirSync(folder)
    .toSorted()
    .map((file) => {
      const [head = '', rest = ''] = readFileSync(join(folder, file), 'utf8').split('--- code\n');
      const [code = '', suite = ''] = rest.split('--- suite\n');
      return scriptCase(file.replace('.txt', ''), Head.parse(JSON.parse(head)), code, suite);
    });
}

/** One case; the suite imports `../../shop/thing.<ending>`, which becomes a module of its own. */
export function scriptCase(
  name: string,
  head: { readonly ending: string; readonly exports: readonly string[]; readonly raises?: readonly string[] },
  code: string,
  suite: string,
): ScriptCase {
  const stem = `shop/${name.replaceAll('-', '_')}`;
  const codePath = `${stem}.${head.ending}`;
  return {
    name,
    code,
    codePath,
    suite: suite.replaceAll('../../shop/thing.', `../../${stem}.`),
    suitePath: `tests/shop_thing/${name}.test.${head.ending}`,
    contract: scriptContract(codePath, head.exports, head.raises ?? []),
  };
}

/** A node for one module; its suite is the folder of all suites. */
export function scriptContract(
  codePath: string,
  exports: readonly string[],
  raises: readonly string[] = [],
  change: Partial<ResolvedContract> = {},
): ResolvedContract {
  return gateContract({
    id: codePath.replace(/\..*$/u, '').replaceAll('/', '.'),
    language: 'typescript',
    files: [codePath],
    tests: ['tests/shop_thing/**'],
    contentFile: codePath,
    importLine: `import {} from '../../${codePath}'`,
    interface: {
      exports: [...exports],
      imports: [],
      raises: [...raises],
      guarantees: [],
      assumptions: [],
      inert: [],
    },
    wall: 'required',
    ...change,
  });
}

/** The files of cases, for one tree. */
export function treeOf(cases: readonly ScriptCase[]): Record<string, string> {
  const files = cases.flatMap((each): [string, string][] => [
    [each.codePath, each.code],
    [each.suitePath, each.suite],
  ]);
  return { 'package.json': '{"type":"module"}\n', ...Object.fromEntries(files) };
}

/** The tier that the scan of a suite fixes. */
export function scriptChoice(
  contract: ResolvedContract,
  suite: string,
  others: readonly string[] = [],
): WallChoice {
  const file = { path: 'tests/shop_thing/it.test.mjs', text: suite };
  return tierFor(contract, scanScripts([file], [contract], others));
}
