/** From where cargo takes the crates of a test, by its own word, held against the folders of the tree's packages. */
import { describe, expect, test } from '@jest/globals';
import {
  canBeAnotherCrate,
  cargoArgv,
  cargoFindings,
  rustTestWords,
} from '../../core/repository/judge-rust.ts';
import { judgeCommand, judgeReported } from '../../core/repository/judge-tests.ts';
import type { RunnerRun } from '../../core/gate/runner-reading.ts';
import type { SandboxResult } from '../../core/ports/sandbox.ts';
import { ownCode } from '../../core/repository/own-code.ts';
import { resolveRepositoryPlan } from '../../core/repository/resolve-plan.ts';
import { treeModules } from '../../core/repository/tree-modules.ts';

const REGISTRY = 'registry+https://example.org/index';
const TREE = {
  'Cargo.toml':
    '[workspace]\nmembers = ["shop-core"]\n\n[package] # the shop\nversion = "2.0.0"\nname = "shop"\n',
  'shop-core/Cargo.toml': '[package]\nname = "shop-core"\n[lib]\nname = "x"\n',
  'old/Cargo.toml': '[package]\nname = "shop"\n',
  'vendor/shop-tax/Cargo.toml': '[package]\nname = "shop-tax"\n',
};
const { rustPackages } = ownCode(
  Object.entries(TREE).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) })),
);

/** A crate that "shop" uses. */
interface Used {
  readonly name: string;
  /** Null: of the registry. */
  readonly at: string | null;
  readonly as?: string;
  readonly kind?: string | null;
  readonly isMember?: boolean;
  readonly by?: string;
}

/** What cargo prints of a workspace of "shop" and "bench", of which it tests the first by itself. */
function metadata(used: readonly Used[], isResolved = true): string {
  const crate = (name: string, at: string | null, dependencies: readonly unknown[] = []): object => ({
    ...{ id: `${name} ${at ?? ''}`, name, source: at === null ? REGISTRY : null, dependencies },
    manifest_path: `${at ?? `/tmp/${name}`}/Cargo.toml`,
  });
  const of = (by: string): readonly Used[] => used.filter((each) => (each.by ?? 'shop') === by);
  const declared = (by: string): unknown[] =>
    of(by).map(({ name, at, as, kind = 'dev' }) => ({
      ...{ name, source: at === null ? REGISTRY : null, kind, rename: as ?? null },
      ...(at === null ? {} : { path: at }),
    }));
  const node = (by: string, id: string): object => ({
    id,
    deps: of(by).map(({ name, at, as, kind = 'dev' }) => ({
      ...{
        name: as ?? name.replaceAll('-', '_'),
        pkg: `${name} ${at ?? ''}`,
        dep_kinds: [{ kind, target: null }],
      },
    })),
  });
  const [shop, bench] = ['shop /work', 'bench /work/bench'];
  const others = isResolved ? used.map(({ name, at }) => crate(name, at)) : [];
  return JSON.stringify({
    packages: [
      crate('shop', '/work', declared('shop')),
      crate('bench', '/work/bench', declared('bench')),
      ...others,
    ],
    workspace_members: [
      shop,
      bench,
      ...used.flatMap(({ name, at, isMember }) => (isMember ? [`${name} ${at ?? ''}`] : [])),
    ],
    workspace_default_members: [shop],
    resolve: isResolved ? { nodes: [node('shop', shop), node('bench', bench)] } : null,
  });
}

function found(
  listing: string | null,
  argv: readonly string[] = ['cargo', 'test', '--offline'],
  tests: ReadonlySet<string> = new Set(['shop']),
): string[] {
  return cargoFindings({ name: 'rust', argv }, listing, rustPackages, tests).map(
    ({ code, text }) => `${code}: ${text}`,
  );
}

const HONEST: readonly Used[] = [
  { name: 'shop-core', at: '/work/shop-core', isMember: true },
  { name: 'criterion', at: null },
  { name: 'shop-tax', at: null },
  { name: 'shop', at: null, kind: 'build' },
];

describe('cargoFindings()', () => {
  test('packages of the tree from their own folders are the tree, whatever else they need', () => {
    expect([...rustPackages]).toEqual([
      ['shop', '.'],
      ['shop-core', 'shop-core'],
    ]);
    expect([found(metadata(HONEST)), found(metadata(HONEST, false))]).toEqual([[], []]);
    // A member that is not tested compares with a release.
    expect(found(metadata([{ name: 'shop', at: null, by: 'bench' }]))).toEqual([]);
  });

  test.each<[string, Used, string]>([
    [
      'a release under another name',
      { name: 'shop', at: null, as: 'before' },
      '"shop" (as "before") from "the registry"',
    ],
    ['a copy in a folder', { name: 'shop', at: '/work/old' }, 'from "old"'],
    [
      'a release of another package of the tree',
      { name: 'shop-core', at: null, kind: null },
      'takes "shop-core" from',
    ],
    [
      'another crate under the name of one',
      { name: 'fork', at: '/work/fork', as: 'shop_core' },
      '"fork" (as "shop_core")',
    ],
  ])('%s is named', (_what, used, says) => {
    for (const isResolved of [true, false])
      expect(found(metadata([...HONEST, used], isResolved))).toEqual([
        expect.stringMatching(new RegExp(`^foreign_module: .*${says.replaceAll(/[()]/gu, '\\$&')}`, 'u')),
      ]);
  });

  test("a release of the package itself is its library's part, unless a test names it or only tests need it", () => {
    const own: Used = { name: 'shop', at: null, as: 'before', kind: null };
    for (const isResolved of [true, false]) {
      const said = metadata([own], isResolved);
      expect(found(said)).toEqual([]);
      expect(found(said, undefined, new Set(['shop', 'before']))).toHaveLength(1);
    }
    expect(found(metadata([{ ...own, as: 'shop' }]))).toHaveLength(1);
    expect(found(metadata([{ ...own, at: '/work/old' }]))).toHaveLength(1);
    expect(found(metadata([{ ...own, kind: 'dev' }]))).toHaveLength(1);
    const file = (path: string, text: string) => ({ path, bytes: new TextEncoder().encode(text) });
    const words = rustTestWords([
      file('src/lib.rs', 'pub use before::price;\n/// ```\n/// shop::price();\n'),
      file('tests/one.rs', 'use old::price;'),
    ]);
    expect([words.has('before'), words.has('shop'), words.has('old')]).toEqual([false, true, true]);
  });

  test('all members are tested where the command says so, or is a script', () => {
    const listing = metadata([{ name: 'shop', at: null, by: 'bench' }]);
    for (const argv of [
      ['cargo', 'test', '--workspace'],
      ['cargo', 'test', '-p', 'bench'],
      ['cargo', 'test', '--manifest-path', 'bench/Cargo.toml'],
      ['sh', '-c', 'cargo test'],
    ])
      expect(found(listing, argv)).toHaveLength(1);
  });

  test.each([null, '', '{"packages":1}\n', 'no\n'])('what says nothing (%j) shows nothing', (listing) => {
    expect(found(listing)).toEqual([expect.stringMatching(/^tree_not_judged: /u)]);
  });
});

test('cargo is asked where something else could stand for the tree, with what chooses its crates', () => {
  const one = [{ path: 'Cargo.toml' }, { path: 'src/lib.rs' }];
  expect(canBeAnotherCrate(rustPackages, one, false)).toBe(false);
  expect([canBeAnotherCrate(rustPackages, one, true), canBeAnotherCrate(new Map(), one, true)]).toEqual([
    true,
    false,
  ]);
  expect(canBeAnotherCrate(rustPackages, [...one, { path: 'old/Cargo.toml' }], false)).toBe(true);
  const argv = [
    'cargo',
    'test',
    '--features',
    'a b',
    '--release',
    '--all-features',
    '--manifest-path=x/Cargo.toml',
  ];
  const asked = cargoArgv(rustPackages, argv, '/out');
  expect(asked.slice(3)).toEqual([
    'sh',
    '--features',
    'a b',
    '--all-features',
    '--manifest-path=x/Cargo.toml',
  ]);
  expect(asked[2]).toContain("for folder in '.';");
  expect(cargoArgv(rustPackages, ['make', 'test'], '/out')[2]).toContain("in '.' 'shop-core';");
});

describe('a command that found no space on its disk', () => {
  const linker = 'collect2: fatal error: ld: final link failed: No space left on device\n';
  const step = resolveRepositoryPlan(null, ['Cargo.toml']).plan.steps.find(
    (each) => each.kind === 'test_command',
  );
  if (step === undefined) throw new Error('The plan has no test command');
  const tree = { modules: treeModules([]), paths: new Set<string>(), hashOf: () => null, hasPackages: false };

  function ended(exitCode: number, said: string): SandboxResult {
    const output = (text: string) => ({ text, bytes: text.length, truncated: false });
    const ends = { outcome: { kind: 'exited', exitCode }, refused: [], limitsHit: [] } as const;
    const rest = { durationMs: 1, cpuMs: 1, files: {} };
    return { ...ends, ...rest, stdout: output('test a ... ok\n'), stderr: output(said) };
  }

  test('hit a limit where it is red, whatever of it is left', () => {
    const codes = (exitCode: number, said: string): string[] =>
      judgeCommand(step, ended(exitCode, said), { loaded: undefined, tree }).findings.map(({ code }) => code);
    expect([codes(101, linker), codes(0, linker), codes(101, 'error: no')]).toEqual([
      ['disk_limit'],
      [],
      ['command_failed'],
    ]);
  });

  test("or no program is nobody's fault where the plan names that program, and the tree's where the tree does", () => {
    const codes = (script: string, said: string): string[] =>
      judgeCommand({ ...step, argv: ['sh', '-e', '-c', script], count: { by: 'none' } }, ended(127, said), {
        loaded: undefined,
        tree,
      }).findings.map(({ code, nextStep }) => `${code} ${String(nextStep?.includes('debian'))}`);
    const missing = 'bash: line 1: make: command not found\n';
    expect(codes('cd app && make lint', missing)).toEqual(['plan_refused true']);
    expect(codes('./check.sh', './check.sh: line 3: jq: command not found\n')).toEqual([
      'command_failed true',
    ]);
    expect(codes('./make && ./check.sh', missing)).toEqual(['command_failed true']);
  });

  test('could not begin because a change broke what conftest.py imports: it is told why', () => {
    const said =
      "ImportError while loading conftest '/work/tests/conftest.py'.\ntests/conftest.py:5: in <module>\n    import shop\nE   NameError: name 'x' is not defined\n";
    const judged = (stderr: string): string[] =>
      judgeReported(
        step,
        ended(4, stderr),
        { kind: 'broken', reason: 'missing', detail: 'no end' },
        tree,
      ).findings.map(({ code, text, place }) => `${code} ${text} ${place?.file ?? ''}`);
    expect(judged(said)).toEqual([
      "collection_error Cannot load tests/conftest.py: NameError: name 'x' is not defined tests/conftest.py",
    ]);
    expect(judged('usage: pytest\n')).toEqual(['report_missing The run ended early: no end ']);
  });

  test('did so too where a red test says it, and not where one says it that may fail', () => {
    const codes = (outcome: 'failed' | 'xfailed'): string[] => {
      const id = { file: 'a.test.js', nesting: [], name: 'large', ordinal: 0 };
      const message = 'ENOSPC: no space left on device, write';
      const failure = { exceptionType: 'Error', message, assertion: false, frames: [] };
      const line = { id, outcome, failure, reached: [], durationMs: 1 };
      const tests: RunnerRun['tests'] = [{ kind: 'test', phase: 'call', ...line }];
      const run: RunnerRun = { collected: [id], collectErrors: [], tests, lateErrors: [] };
      const one = { ...step, maxSkipped: 1 };
      const judged = judgeReported(one, ended(1, ''), { kind: 'complete', run }, tree);
      return judged.findings.map(({ code }) => code);
    };
    expect(codes('failed')).toEqual(['disk_limit', 'test_failed']);
    expect(codes('xfailed')).not.toContain('disk_limit');
  });
});
