/** Wrong builders with their suites and candidate patches, and the repair loop over the real gate. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import { clausesOf } from '../../core/gate/suite/clauses.ts';
import { suiteHashText } from '../../core/gate/suite/locked-suite.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { BuilderFeedback } from '../../schemas/feedback.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import { quickPlan, type GateWorld, type Texts } from '../gate/gate-world.ts';
import { gateContract } from '../support/gate-contract.ts';
import { Evidence, nextStep, type Attempt, type Patch } from './repairer.ts';

const Head = z.strictObject({
  language: z.enum(['python', 'javascript']),
  exports: z.array(z.string()),
  raises: z.array(z.string()).default([]),
  guarantees: z.array(z.string()),
  covers: z.record(z.string(), z.array(z.string())),
});

export interface WrongBuilder {
  readonly name: string;
  readonly contract: ResolvedContract;
  readonly covers: Readonly<Record<string, readonly string[]>>;
  readonly code: string;
  readonly suite: string;
  readonly patches: readonly Patch[];
}

/** The wrong code is the first completion attempt; the product's default allows three. */
export const ATTEMPTS_MAX = 3;

/** Files of `test/feedback/cases`: a JSON head, the wrong code, the suite, then patches of lines out and lines in. */
export function wrongBuilders(): WrongBuilder[] {
  const folder = resolve('test/feedback/cases');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .toSorted()
    .map((file) => readCase(file.replace(/\.txt$/u, ''), readFileSync(join(folder, file), 'utf8')));
}

function readCase(name: string, text: string): WrongBuilder {
  const [head = '', code = '', suite = '', ...patches] = text.split(/^--- /mu);
  const { covers, language, ...declared } = Head.parse(JSON.parse(head));
  const ending = language === 'python' ? 'py' : 'js';
  const contract = gateContract({
    id: 'shop.thing',
    language,
    files: [`shop/thing.${ending}`],
    tests: ['tests/shop_thing/**'],
    contentFile: `shop/thing.${ending}`,
    importLine: language === 'python' ? 'import shop.thing' : "import { … } from '../../shop/thing.js';",
    interface: { imports: [], assumptions: [], inert: [], ...declared },
  });
  const body = (part: string): string => part.slice(part.indexOf('\n') + 1);
  return { name, contract, covers, code: body(code), suite: body(suite), patches: patches.map(readPatch) };
}

function readPatch(text: string): Patch {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const [, name = '', evidence = '{}'] = /^patch (\S+) (.*)$/u.exec(head) ?? [];
  const side = (mark: string): string =>
    lines
      .filter((line) => line.startsWith(mark))
      .map((line) => line.slice(1))
      .join('\n');
  return { name, evidence: Evidence.parse(JSON.parse(evidence)), from: side('-'), to: side('+') };
}

export function suitePath({ contract }: WrongBuilder): string {
  return contract.language === 'python' ? 'tests/shop_thing/test_it.py' : 'tests/shop_thing/it.test.js';
}

export function textsOf(each: WrongBuilder, code: string): Texts {
  const scaffold =
    each.contract.language === 'python'
      ? { 'shop/__init__.py': '' }
      : { 'package.json': '{"type":"module"}' };
  return {
    ...scaffold,
    [suitePath(each)]: each.suite,
    ...(code === '' ? {} : { [each.contract.contentFile]: code }),
  };
}

/** The suite locked without the gate on suites: ids as they are collected, clauses as the case says. */
export async function quickLock(
  world: GateWorld,
  each: WrongBuilder,
  tier: 'in_process' | 'glass_wall',
): Promise<LockedSuite> {
  const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
  const suiteHash = sha256(suiteHashText([{ path: suitePath(each), hash: sha256(each.suite) }]));
  const lockOf = (tests: LockedSuite['tests']): LockedSuite => ({
    suiteHash,
    tests,
    wall: { tier: 'in_process', reasons: [] },
  });
  const nobody = {
    id: { file: suitePath(each), nesting: [], name: 'nobody', ordinal: 0 },
    reached: [],
    clauses: [],
  };
  const repaired = each.patches[0];
  const code = repaired === undefined ? each.code : each.code.replace(repaired.from, () => repaired.to);
  const { report } = await world.code(
    each.contract,
    textsOf(each, code),
    lockOf([nobody]),
    quickPlan(each.contract),
  );
  const tests = report.ids.collected.map((id) => {
    const clauses = Object.entries(each.covers).filter(
      ([, names]) => names.includes('*') || names.includes(id.name.replace(/\[.*$/u, '')),
    );
    return { id, reached: exportNames(each.contract), clauses: clauses.map(([clause]) => clause) };
  });
  return { ...lockOf(tests), wall: { tier, reasons: [] } };
}

function exportNames(contract: ResolvedContract): string[] {
  return clausesOf(contract.interface).flatMap((clause) =>
    clause.kind === 'export' ? (clause.exportName ?? []) : [],
  );
}

export interface Repair {
  /** Number of the attempt that passed; null when none did. */
  readonly passedAt: number | null;
  readonly patches: readonly string[];
}

/** Submits, reads the fields, patches, submits again. `isTold` says whether counterexamples may be read. */
export async function repair(
  world: GateWorld,
  each: WrongBuilder,
  locked: LockedSuite,
  isTold: boolean,
): Promise<Repair> {
  const attempts: Attempt[] = [];
  const patches: string[] = [];
  let code = each.code;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const { report } = await world.code(each.contract, textsOf(each, code), locked, quickPlan(each.contract));
    if (report.verdict === 'PASS') return { passedAt: attempt, patches };
    const feedback = builderFeedback(report, each.contract, locked);
    attempts.push({ code, feedback: isTold ? feedback : withoutCounterexamples(feedback) });
    const step = nextStep(attempts, each.patches, new Set(patches));
    if (step === null) break;
    patches.push(step.patch.name);
    code = step.code;
  }
  return { passedAt: null, patches };
}

function withoutCounterexamples(feedback: BuilderFeedback): BuilderFeedback {
  return { ...feedback, items: feedback.items.map(({ counterexample: _, ...item }) => item) };
}
