import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { documentTools } from '../../adapters/contracts/document-tools.ts';
import { parseVerifyProfile } from '../../adapters/contracts/verify-profile.ts';
import { contractFindings } from '../../core/repository/contract-checks.ts';
import { countTests } from '../../core/repository/count-tests.ts';
import { describePlan } from '../../core/repository/describe-plan.ts';
import { holdsCommand } from '../../core/repository/disallowed-commands.ts';
import {
  lookArgv,
  programFindings,
  programsOf,
  readRuntimes,
  runtimeFindings,
} from '../../core/repository/judge-runtimes.ts';
import { type ResolvedPlan, resolveRepositoryPlan } from '../../core/repository/resolve-plan.ts';
import { followLink, sortEntries } from '../../core/repository/snapshot-rules.ts';
import { exactPins } from '../../core/repository/exact-pins.ts';
import { profileTemplate } from '../../core/repository/template.ts';
import { planFindings, repositoryVerdict } from '../../core/repository/verdict.ts';
import { GatePlan } from '../../schemas/gate-plan.ts';
import { ProfileName, verifyJsonSchema } from '../../schemas/verify-profile.ts';

function planOf(text: string, paths: readonly string[] = ['app.py']): ResolvedPlan {
  const loaded = parseVerifyProfile(text, 'verify.yaml');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return resolveRepositoryPlan(loaded.read, paths);
}

function problemsOf(text: string): string[] {
  const loaded = parseVerifyProfile(text, 'verify.yaml');
  return loaded.ok ? [] : loaded.problems.map((each) => `${String(each.line)}: ${each.message}`);
}

function codes(plan: GatePlan, files: Readonly<Record<string, string>>): string[] {
  const judged = Object.entries(files).map(([path, text]) => ({
    path,
    bytes: new TextEncoder().encode(text),
  }));
  return contractFindings(plan, judged, documentTools).map(
    (found) => `${found.code} ${found.place?.file ?? '-'}`,
  );
}

const L1_PYTEST = 'tests: [{ name: unit, runner: pytest }]';

describe('resolveRepositoryPlan()', () => {
  test('says of each part where it came from, the file before the profile', () => {
    const text = [
      'version: 1',
      'profile: python',
      'contract:',
      '  required_files: [README.md]',
      'environment:',
      "  runtimes: { python: '3.12' }",
      'tests:',
      '  - { name: unit, runner: pytest, paths: [tests] }',
      '  - { name: build, kind: check, run: make }',
      'fixtures:',
      '  - { name: adds, command: [python3, app.py], stdin: "1 2" }',
    ].join('\n');
    const { plan } = planOf(text);
    expect(GatePlan.parse(plan)).toEqual(plan);
    expect(describePlan(plan).map(({ level, what, from }) => [level, what, from])).toEqual([
      ['L0', 'required files', 'verify.yaml:4'],
      ['L0', 'forbidden files', 'python profile'],
      ['L0', 'sizes', 'python profile'],
      ['L1', 'runtime', 'verify.yaml:6'],
      ['L1', 'tests', 'verify.yaml:8'],
      ['L1', 'check', 'verify.yaml:9'],
      ['L2', 'fixture', 'verify.yaml:11'],
    ]);
  });

  test('takes the default of the languages that the paths show, and nothing where none shows', () => {
    const tests = (paths: string[]): string[] =>
      resolveRepositoryPlan(null, paths).plan.steps.flatMap((step) =>
        step.kind === 'test_command' ? [step.name] : [],
      );
    expect(tests(['src/a.py'])).toEqual(['pytest']);
    expect(tests(['package.json', 'pyproject.toml'])).toEqual(['pytest', 'node --test']);
    expect(tests(['go.mod', 'Cargo.toml'])).toEqual(['go test', 'cargo test']);
    expect(resolveRepositoryPlan(null, ['notes.txt']).plan.steps).toEqual([]);
  });

  test.each(ProfileName.options)(
    'the template of profile %s parses, proves that tests run, and fits its schema',
    (profile) => {
      const paths = profile === 'polyglot' ? ['go.mod', 'a.py'] : ['README.md'];
      const text = profileTemplate(profile, paths);
      expect(planFindings(planOf(text, paths).plan)).toEqual([]);
      const parsed = documentTools.read(text);
      const check = new Ajv({ strict: false }).compile(verifyJsonSchema());
      expect(parsed.ok && check(parsed.value)).toBe(true);
    },
  );

  test('the template takes over what the repository pins exactly, and names what it leaves out', () => {
    const pins = exactPins({
      'requirements.txt': '# own\nattrs == 24.2.0  # x\nrequests>=2\npytest==8.0.0\n-r more.txt\n',
      'package.json': '{"dependencies":{"ms":"2.1.3","dayjs":"^1.0.0"},"devDependencies":{"odd\\nname":"*"}}',
      'package-lock.json': '{"packages":{"node_modules/dayjs":{"version":"1.11.13"}}}',
    });
    expect(pins).toEqual({
      python: { pins: ['attrs==24.2.0'], leftOut: ['requests>=2', 'pytest==8.0.0'] },
      node: { pins: ['ms@2.1.3', 'dayjs@1.11.13'], leftOut: ['odd?name@*'] },
    });
    const paths = ['a.py', 'package.json'];
    const text = profileTemplate('polyglot', paths, pins);
    expect(text).toContain('# left out, no exact version or in the image: requests>=2\n');
    const read = documentTools.read(text);
    expect(read.ok && read.value).toMatchObject({
      environment: { dependencies: { python: ['attrs==24.2.0'], node: ['ms@2.1.3', 'dayjs@1.11.13'] } },
    });
    expect(planFindings(planOf(text, paths).plan)).toEqual([]);
    expect(profileTemplate('go', ['go.mod'], pins)).not.toMatch(/attrs==24\.2\.0'\]\n|left out/);
  });

  test('exactPins() takes nothing from files that are no package files', () => {
    const none = { pins: [], leftOut: [] };
    expect(exactPins({ 'package.json': '[1', 'package-lock.json': '7' })).toEqual({
      python: none,
      node: none,
    });
    expect(exactPins({ 'package.json': '{"dependencies":[1]}' })).toEqual({ python: none, node: none });
  });

  test('a test command that is known is counted, also where the file does not say how', () => {
    const counts = (run: string): unknown =>
      planOf(`version: 1\ntests: [{ name: t, run: ${run} }]`).plan.steps.map((step) =>
        step.kind === 'test_command' ? step.count : null,
      );
    expect(counts('python3 -m pytest -q tests')).toEqual([
      { by: 'reporter', runner: 'pytest', paths: ['tests'] },
    ]);
    expect(counts('[node, --test]')).toEqual([{ by: 'reporter', runner: 'node_test', paths: [] }]);
    expect(counts('pytest -k fast')).toEqual([{ by: 'nothing_said' }]);
  });

  test('a fault of the file is told with its line and the nearest name', () => {
    expect(problemsOf('version: 1\ntest: []\n')).toEqual([
      '2: Cannot use the gate plan: "test" is not a known field',
    ]);
    expect(problemsOf('version: 1\ntests: [{ name: unit }]')).toEqual([
      '2: Cannot use the gate plan: "tests[0]" must have one of "runner" and "run", current value is {"name":"unit"}',
    ]);
    expect(problemsOf("version: 1\nenvironment: { runtimes: { python: 'latest' } }")).toHaveLength(1);
  });
});

describe('planFindings()', () => {
  test.each([
    ['version: 1', 'plan_empty'],
    ['version: 1\nprofile: python\ntests: []', 'plan_empty'],
    ['version: 1\ntests: [{ name: build, kind: check, run: make }]', 'plan_empty'],
    ['version: 1\ntests: [{ name: unit, run: make test }]', 'proof_missing'],
    [`version: 1\n${L1_PYTEST}\npolicy: { network: 'on' }`, 'plan_refused'],
    [`version: 1\n${L1_PYTEST}\ncontract: { forbidden_globs: ['a[b]'] }`, 'plan_refused'],
    ["version: 1\nfixtures: [{ name: f, command: [cat], files: { '../x': '' } }]", 'plan_refused'],
  ])('%j is no plan that judges: %s', (text, code) => {
    const findings = planFindings(planOf(text).plan);
    expect(findings.map((found) => found.code)).toEqual([code]);
    expect(repositoryVerdict(findings)).toEqual({ verdict: 'INVALID', fault: 'manager' });
  });

  test('a fixture alone is a plan', () => {
    expect(planFindings(planOf('version: 1\nfixtures: [{ name: f, command: [cat] }]').plan)).toEqual([]);
  });
});

describe('contractFindings()', () => {
  const contract = (rules: string): GatePlan => planOf(`version: 1\n${L1_PYTEST}\ncontract: ${rules}`).plan;

  test('names what is required, forbidden, misnamed, too large or not as its schema says', () => {
    expect(codes(contract("{ required_files: ['src/**', README.md] }"), { 'src/a.py': '' })).toEqual([
      'required_missing -',
    ]);
    expect(codes(contract("{ forbidden_globs: ['**/*.pem'] }"), { 'keys/a.pem': '' })).toEqual([
      'forbidden_file keys/a.pem',
    ]);
    expect(
      codes(contract("{ naming: [{ files: ['src/**'], style: snake_case }] }"), {
        'src/ok_1.py': '',
        'src/BadName.py': '',
      }),
    ).toEqual(['naming src/BadName.py']);
    expect(
      codes(contract("{ naming: [{ files: ['docs/**'], names: ['*.md'] }] }"), { 'docs/a.txt': '' }),
    ).toEqual(['naming docs/a.txt']);
    const sizes = contract("{ max_binary_bytes: 3, binaries_allowed: ['ok.bin'] }");
    expect(codes(sizes, { 'a.bin': 'a\0bcd', 'ok.bin': 'a\0bcd', 'long.txt': 'abcdefgh' })).toEqual([
      'binary_too_large a.bin',
    ]);
    const schemas = contract(
      "{ schemas: [{ files: ['*.json'], schema: { type: object, required: [id] } }] }",
    );
    expect(codes(schemas, { 'a.json': '{"id":1}', 'b.json': '{}', 'c.json': '{' })).toEqual([
      'schema_violated b.json',
      'schema_violated c.json',
    ]);
    expect(
      codes(contract("{ schemas: [{ files: ['*.json'], schema: s.json }] }"), { 'a.json': '{}' }),
    ).toEqual(['schema_unusable -']);
  });

  test('finds disallowed commands in the plan, package scripts, Makefiles and shell scripts, not in prose', () => {
    const { plan } = planOf(
      `version: 1\ntests:\n  - { name: unit, run: 'curl x | sh', proof: tap }\npolicy: { disallowed_commands: [curl, 'npm publish'] }`,
    );
    const files = {
      'package.json': '{"scripts":{"ship":"npm  publish"},"dependencies":{"curl":"1.0.0"}}',
      Makefile: 'all:\n\t/usr/bin/curl -s\n# curl\n',
      'tool.sh': 'echo curly; lib/curl.c\n',
      'README.md': 'use curl here',
    };
    expect(codes(plan, files)).toEqual([
      'command_disallowed verify.yaml',
      'command_disallowed package.json',
      'command_disallowed Makefile',
    ]);
  });

  test.each([
    ['x|curl -s', true],
    ['$(curl x)', true],
    ['curlew', false],
    ['my-curl x', false],
    ['curl', true],
  ])('holdsCommand(%j) is %j', (text, expected) => {
    expect(holdsCommand(text, 'curl')).toBe(expected);
  });
});

describe('countTests()', () => {
  test.each([
    [
      { by: 'format', format: 'go_json' },
      '{"Action":"pass","Test":"TestA"}\n{"Action":"pass"}\n{"Action":"skip","Test":"B"}\n{"Action":"fail","Test":"C"}\n',
      { passed: 1, failed: 1, skipped: 1 },
    ],
    [
      { by: 'format', format: 'libtest' },
      'running 2 tests\ntest a::b ... ok\ntest c ... ignored\ntest result: ok. 900 passed; 0 failed\n',
      { passed: 1, failed: 0, skipped: 1 },
    ],
    [
      { by: 'format', format: 'tap' },
      'TAP version 13\nok 1 - a\n    ok 1 - inner\nnot ok 2 - b\nok 3 # SKIP no\n',
      { passed: 1, failed: 1, skipped: 1 },
    ],
    [{ by: 'line', line: '{count} passing' }, '  12 passing (3s)\n', { passed: 12, failed: 0, skipped: 0 }],
    [{ by: 'line', line: 'Tests: {count} ok' }, 'nothing here\n', { passed: 0, failed: 0, skipped: 0 }],
  ] as const)('%j of %j', (count, output, expected) => {
    expect(countTests(count, output, '')).toEqual(expected);
  });
});

describe('toolchains', () => {
  const debianOf = (plan: GatePlan): string[] =>
    plan.steps.flatMap((step) => (step.kind === 'dependencies' ? step.debian : []));

  test('a plan for Go or Rust brings the compiler as a layer, without a file and with one', () => {
    const go = resolveRepositoryPlan(null, ['go.mod', 'a.go']).plan;
    expect([debianOf(go), go.environment.variables['GOPROXY']]).toEqual([['golang-go'], 'off']);
    const both = planOf('version: 1\nprofile: polyglot', ['go.mod', 'Cargo.toml', 'a.py']).plan;
    expect(debianOf(both).toSorted()).toEqual(['cargo-web', 'gcc', 'golang-go', 'libc6-dev', 'rustc-web']);
    expect(both.environment.variables).toMatchObject({
      CARGO_INCREMENTAL: '0',
      CARGO_PROFILE_DEV_DEBUG: '1',
    });
    expect(describePlan(go)).toContainEqual(
      expect.objectContaining({ what: 'dependencies', detail: 'golang-go', from: 'go profile, detected' }),
    );
    expect(debianOf(resolveRepositoryPlan(null, ['a.py']).plan)).toEqual([]);
  });

  test('a compiler that the plan names itself stays the only one, and its variables go first', () => {
    const text = `version: 1
profile: go
environment: { dependencies: { debian: [golang-1.19-go] }, variables: { GOPROXY: direct } }`;
    const { plan } = planOf(text, ['go.mod']);
    expect([debianOf(plan), plan.environment.variables['GOPROXY']]).toEqual([['golang-1.19-go'], 'direct']);
  });

  test('pinned modules are a proxy on disk, and a pinned compiler stands for the package', () => {
    const text = `version: 1
profile: go
environment: { dependencies: { go: [example.org/a@v1.0.0, golang.org/toolchain@v0.0.1-go1.22.12.linux-amd64] } }`;
    const { plan } = planOf(text, ['go.mod']);
    expect(debianOf(plan)).toEqual([]);
    expect(plan.environment.variables).toMatchObject({
      GOPROXY: 'file:///usr/local/share/go-modules',
      GOSUMDB: 'off',
    });
    expect(describePlan(plan)).toContainEqual(
      expect.objectContaining({
        what: 'dependencies',
        detail: expect.stringContaining('example.org/a@v1.0.0'),
      }),
    );
  });

  test('programs that the plan starts are looked for, those of shell lines are not', () => {
    const { plan } = planOf(
      'version: 1\ntests: [{ name: a, run: [make, test], proof: tap }, { name: b, run: ninja x, proof: tap }]',
    );
    expect(programsOf(plan)).toEqual(['make']);
    expect(lookArgv([], ['make']).slice(1)).toEqual(['sh', 'make']);
    const [found] = programFindings('go \nmissing-program make\n', 'img');
    expect([found?.code, found?.text]).toEqual([
      'runtime_missing',
      'The plan starts "make", which is not in image img',
    ]);
  });
});

describe('runtimeFindings()', () => {
  const versions = readRuntimes('python Python 3.11.2\nnode v20.20.2\ngo \n');
  test.each([
    ["python: '3.11'", []],
    ["python: '3'", []],
    ["python: '>=3.10'", []],
    ["node: '>=20.20.3'", ['runtime_missing']],
    ["go: '1.22'", ['runtime_missing']],
  ])('{ %s } gives %j', (wanted, expected) => {
    const { plan } = planOf(`version: 1\nenvironment: { runtimes: { ${wanted} } }`);
    expect(runtimeFindings(plan, versions, 'image').map((found) => found.code)).toEqual(expected);
  });

  test('both versions are named', () => {
    const { plan } = planOf("version: 1\nenvironment: { runtimes: { python: '3.12' } }");
    const [found] = runtimeFindings(plan, versions, 'img:1');
    expect(found).toMatchObject({ expected: 'python 3.12', actual: 'python 3.11.2' });
    expect(repositoryVerdict([found!])).toEqual({ verdict: 'INVALID', fault: 'platform' });
  });
});

describe('what of a repository can be judged', () => {
  test('sortEntries() refuses what is no file of the repository, unless the plan leaves it out', () => {
    const entries = [
      { path: 'a.py', kind: 'file' },
      { path: 'lib', kind: 'submodule' },
      { path: 'other', kind: 'nested' },
      { path: 'm.py', kind: 'unmerged' },
      { path: 'A.py', kind: 'file' },
      { path: 'what?.py', kind: 'file' },
    ] as const;
    expect(sortEntries(entries, []).refused.map((each) => `${each.reason} ${each.path}`)).toEqual([
      'submodule lib',
      'nested_repository other',
      'unmerged m.py',
      'path what?.py',
      'collision A.py',
    ]);
    const left = sortEntries(entries.slice(0, 3), ['lib/**', 'other']);
    expect([left.refused, left.leftOut]).toEqual([[], 2]);
  });

  test('followLink() ends at files of the snapshot only', () => {
    const targets = new Map([
      ['docs/a.md', '../b.md'],
      ['b.md', 'c.md'],
      ['out', '../x'],
      ['abs', '/etc/passwd'],
      ['loop', 'loop'],
      ['dir', 'docs'],
    ]);
    const files = new Set(['c.md', 'docs/z.md']);
    expect(followLink('docs/a.md', targets, files)).toEqual({ file: 'c.md' });
    for (const path of ['out', 'abs', 'loop', 'dir'])
      expect(followLink(path, targets, files)).toHaveProperty('rule');
  });
});
