/** Honest suites and builders of one small node, judged in either tier by the real gate. */
import { readdirSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { suiteHashText } from '../../core/gate/suite/locked-suite.ts';
import { pythonModule, tierFor } from '../../core/gate/code/wall.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import { WallScan, type WallChoice } from '../../schemas/gate-wall.ts';
import type { GateReport, GateTier, LockedSuite } from '../../schemas/report.ts';
import type { TestId } from '../../schemas/runner-report.ts';
import { gateContract } from '../support/gate-contract.ts';
import { quickPlan, type GateWorld } from '../gate/gate-world.ts';
import { inFolder, PYTHON_DIR, runSuite } from '../runner/run-runner.ts';

export const SUITE_PATH = 'tests/shop_thing/test_it.py';
const CODE_PATH = 'shop/thing.py';

const Head = z.strictObject({
  exports: z.array(z.string()),
  imports: z.array(z.string()).default([]),
  raises: z.array(z.string()).default([]),
});

/** One honest node: its module and its suite file have names of their own, so that many fit into one tree. */
export interface WallCase {
  readonly name: string;
  readonly contract: ResolvedContract;
  readonly codePath: string;
  readonly code: string;
  readonly suitePath: string;
  readonly suite: string;
}

/** Files of `test/wall/honest`: a JSON head, then code, then suite, both of a module `shop.thing`. */
export function honestCases(): WallCase[] {
  const folder = join(process.cwd(), 'test/wall/honest');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .toSorted()
    .map((file) => {
      const [head = '', rest = ''] = readFileSync(join(folder, file), 'utf8').split('--- code\n');
      const [code = '', suite = ''] = rest.split('--- suite\n');
      return honestCase(file.replace('.txt', ''), Head.parse(JSON.parse(head)), code, suite);
    });
}

/** Files of `test/wall/lies`: a JSON head, a suite, then code of many kinds; the kind `honest` passes, and no other. */
export function lieCases(): WallCase[] {
  const folder = join(process.cwd(), 'test/wall/lies');
  return readdirSync(folder)
    .toSorted()
    .flatMap((file, place) => {
      const [head = '', rest = ''] = readFileSync(join(folder, file), 'utf8').split('--- suite\n');
      const [suite = '', ...codes] = rest.split(/^(?=--- )/mu);
      return codes.map((text, at) => {
        const [, kind = '', code = ''] = /^--- (.*)\n([\s\S]*)$/u.exec(text) ?? [];
        const stem = `lie-${String(place)}-${String(at)}`;
        const made = honestCase(stem, Head.parse(JSON.parse(head)), code, suite);
        return { ...made, name: `${file.replace('.txt', '')}: ${kind}` };
      });
    });
}

function honestCase(name: string, declared: z.infer<typeof Head>, code: string, suite: string): WallCase {
  const stem = name.replaceAll('-', '_');
  const named = (text: string): string => text.replaceAll('shop.thing', `shop.${stem}`);
  const codePath = `shop/${stem}.py`;
  const contract = thingContract(declared, {
    id: `shop.${stem}`,
    files: [codePath],
    contentFile: codePath,
    importLine: `import shop.${stem}`,
  });
  const suitePath = `tests/shop_thing/test_${stem}.py`;
  return { name, contract, codePath, code: named(code), suitePath, suite: named(suite) };
}

/** A node `shop.thing` with these declarations. */
export function thingContract(
  declared: Partial<ResolvedContract['interface']>,
  change: Partial<ResolvedContract> = {},
): ResolvedContract {
  const none = { exports: [], imports: [], raises: [], guarantees: [], assumptions: [], inert: [] };
  return gateContract({
    id: 'shop.thing',
    files: [CODE_PATH],
    tests: ['tests/shop_thing/**'],
    contentFile: CODE_PATH,
    importLine: 'import shop.thing',
    interface: { ...none, ...declared },
    wall: 'required',
    ...change,
  });
}

/** A suite to be scanned: contract, text and path. */
export type Scanned = readonly [contract: ResolvedContract, suite: string, path: string];

/** The scan of many suites by one Python; each lies in a folder of its own. */
const SCAN_ALL = `import io, json, os, sys
sys.path.insert(0, sys.argv[1])
import wall_scan
for folder, request in json.load(sys.stdin):
    os.chdir(folder)
    sys.stdin = io.StringIO(json.dumps(request))
    wall_scan.main()
`;

/** The tiers that the scans of suites fix; a scan reads only and runs on the host. */
export async function choicesOf(suites: readonly Scanned[]): Promise<WallChoice[]> {
  const files = suites.map(([, suite, path], at) => [`${String(at)}/${path}`, suite] as const);
  return inFolder(Object.fromEntries(files), async (folder) => {
    const requests = suites.map(([contract, , path], at) => {
      const { exports } = contract.interface;
      const request = {
        files: [path],
        modules: [pythonModule(contract.contentFile)],
        otherModules: [],
        exports,
      };
      return [join(folder, 'work', String(at)), request];
    });
    const input = JSON.stringify(requests);
    const { stdout } = await execa('python3', ['-s', '-P', '-B', '-c', SCAN_ALL, PYTHON_DIR], {
      input,
    });
    const scans = stdout.split('\n').map((line) => WallScan.parse(JSON.parse(line)));
    return suites.map(([contract], at) => tierFor(contract, scans[at] ?? null));
  });
}

/** The tier of one suite. */
export async function choiceOf(
  contract: ResolvedContract,
  suite: string,
  path = SUITE_PATH,
): Promise<WallChoice> {
  const [choice] = await choicesOf([[contract, suite, path]]);
  return choice!;
}

/** A lock with the tests that were seen, for a tier. */
export function lockOf(suite: string, ids: readonly TestId[], tier: GateTier): LockedSuite {
  return lockOfFiles({ [SUITE_PATH]: suite }, ids, tier);
}

/** The same for a suite of several files. */
export function lockOfFiles(
  suite: Readonly<Record<string, string>>,
  ids: readonly TestId[],
  tier: GateTier,
): LockedSuite {
  const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
  const files = Object.entries(suite).map(([path, text]) => ({ path, hash: sha256(text) }));
  const unknown: TestId = {
    file: Object.keys(suite)[0] ?? SUITE_PATH,
    nesting: [],
    name: 'unknown',
    ordinal: 0,
  };
  const tests = (ids.length > 0 ? ids : [unknown]).map((id) => ({ id, reached: [], clauses: ['E1'] }));
  return { suiteHash: sha256(suiteHashText(files)), tests, wall: { tier, reasons: [] } };
}

/** A case in one process on the host: its ids and how each went. */
export async function runInside(
  each: Pick<WallCase, 'code' | 'suite'>,
): Promise<{ readonly ids: readonly TestId[]; readonly outcomes: readonly string[] }> {
  const files = { [SUITE_PATH]: each.suite, [CODE_PATH]: each.code, 'shop/__init__.py': '' };
  const run = await runSuite(files, { testFiles: [SUITE_PATH] });
  return { ids: run.tests.map((line) => line.id), outcomes: run.tests.map((line) => line.outcome) };
}

/** The gate's report on code in a tier. */
export async function judged(
  world: GateWorld,
  contract: ResolvedContract,
  texts: { readonly code: string; readonly suite: string },
  locked: LockedSuite,
  limits: Parameters<typeof quickPlan>[1] = {},
): Promise<{ readonly report: GateReport; readonly logs: string }> {
  const files = { 'shop/__init__.py': '', [CODE_PATH]: texts.code, [SUITE_PATH]: texts.suite };
  const { report, artifacts } = await world.code(contract, files, locked, quickPlan(contract, limits));
  const logs = artifacts.map((item) => new TextDecoder().decode(item.bytes)).join('\n');
  return { report, logs };
}
