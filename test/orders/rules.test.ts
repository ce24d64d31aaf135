import { describe, expect, test } from '@jest/globals';
import { decideOrder } from '../../core/order/decide.ts';
import { foldOrder } from '../../core/order/fold.ts';
import { ignoreTest } from '../../core/order/ignore.ts';
import { gateFileTest, refusedViolations, violationsOf } from '../../core/order/policy.ts';
import { steeringPart } from '../../core/order/steering.ts';
import { readToml } from '../../adapters/system/toml.ts';
import { countOfChanges, namedChanges } from '../../core/order/changed-paths.ts';
import { lostTests } from '../../core/repository/lost-tests.ts';
import { takeWork } from '../../core/order/take-tree.ts';
import type { OrderCommand, OrderInput, OrderState } from '../../core/order/types.ts';
import { doorBody } from '../../core/model/door-body.ts';
import { doorPath } from '../../core/model/door-rules.ts';
import { resolveRepositoryPlan } from '../../core/repository/resolve-plan.ts';
import type { WorkOrder } from '../../schemas/order.ts';
import type { VerifiedResult } from '../../schemas/order-io.ts';

const OID = 'a'.repeat(40);
const REF = `sha256:${'0'.repeat(64)}`;
const order: WorkOrder = {
  version: 1,
  id: '20261123-044501-1f2e3d',
  createdAt: '2026-11-23T04:45:01.000Z',
  task: 'Add a flag',
  source: { kind: 'path', at: '/repo', branch: 'main', commit: OID, tree: null },
  workspace: 'repo-1',
  agent: { name: 'command', model: null, baseUrl: null, command: 'true', files: null },
  gate: { from: 'auto', text: null, file: null },
  limits: {
    iterationsMax: 4,
    timeMs: 60_000,
    agentMs: 30_000,
    costMicroUsd: 100,
    tokensMax: 1000,
    requestsMax: 5,
  },
  policy: { paths: [], forbid: [], gateEdits: [], networkHosts: [] },
  retryOf: null,
};
const usage = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
const base = {
  commit: OID,
  tree: OID,
  replayCommit: OID,
  planDigest: REF,
  planFrom: 'verify.yaml',
  image: 'i',
  files: 3,
};

/** Feeds inputs; answers each step's command with what `verify` says of the iteration. */
function drive(
  verify: (iteration: number) => Partial<VerifiedResult>,
  costMicroUsd = 0,
  buildMs = 10,
): OrderState {
  let state = foldOrder([{ type: 'order_submitted', data: { order } }]);
  const events = [...[{ type: 'order_submitted' as const, data: { order } }]] as Parameters<
    typeof foldOrder
  >[0][number][];
  const inbox: OrderInput[] = [{ kind: 'opened', run: 1, owner: 'w' }];
  for (let input = inbox.shift(); input !== undefined; input = inbox.shift()) {
    const decision = decideOrder(state, input);
    state = decision.state;
    events.push(...decision.events);
    for (const command of decision.commands) inbox.push(...answer(command, verify, costMicroUsd, buildMs));
  }
  expect(foldOrder(events)).toEqual(state);
  return state;
}

function answer(
  command: OrderCommand,
  verify: (iteration: number) => Partial<VerifiedResult>,
  costMicroUsd: number,
  durationMs: number,
): OrderInput[] {
  switch (command.kind) {
    case 'take_lease':
      return [{ kind: 'lease_taken', tookOverFrom: null }];
    case 'prepare':
      return [{ kind: 'prepared', result: { kind: 'ready', base } }];
    case 'build': {
      const end = { kind: 'ok' as const, exitCode: 0, detail: '' };
      return [
        {
          kind: 'built',
          iteration: command.iteration,
          result: { end, usage: { ...usage, costMicroUsd }, durationMs, tree: OID },
        },
      ];
    }
    case 'snapshot':
      return [
        {
          kind: 'snapshotted',
          iteration: command.iteration,
          result: { tree: OID, commit: OID, changed: 1, violations: 0 },
        },
      ];
    case 'verify': {
      const result: VerifiedResult = {
        verdict: 'FAIL',
        level: 'L1',
        fault: 'builder',
        digest: REF,
        signature: `sha256:${String(command.iteration).padStart(64, '0')}`,
        durationMs: 5,
        headline: 'red',
        ...verify(command.iteration),
      };
      return [{ kind: 'verified', iteration: command.iteration, result }];
    }
    case 'feedback':
      return [{ kind: 'fed_back', iteration: command.iteration, digest: REF }];
    case 'stop_work':
      return [{ kind: 'stopped' }];
    case 'close':
      return [];
  }
}

describe('decideOrder()', () => {
  const pass = { verdict: 'PASS', fault: null, level: null, signature: null } as const;

  test('ends as SUCCEEDED with the first PASS, and keeps both verdicts', () => {
    const state = drive((iteration) => (iteration === 2 ? pass : {}));
    expect([state.status, state.end?.code, state.iterations.map(({ verdict }) => verdict)]).toEqual([
      'SUCCEEDED',
      'pass',
      ['FAIL', 'PASS'],
    ]);
  });

  test.each([
    ['iterations', 'budget_iterations', drive(() => ({})), 4],
    ['the same failure', 'same_failure', drive(() => ({ signature: REF })), 3],
    ['time', 'budget_time', drive(() => ({}), 0, 60_000), 1],
    ['cost', 'budget_cost', drive(() => ({}), 60), 2],
    ['a platform that cannot judge', 'platform', drive(() => ({ verdict: 'INVALID', fault: 'platform' })), 1],
    ['a plan without a verdict', 'plan', drive(() => ({ verdict: 'INVALID', fault: 'manager' })), 1],
  ])('ends as FAILED by %s', (_name, code, state, iterations) => {
    expect([state.status, state.end?.code, state.iterations.length]).toEqual(['FAILED', code, iterations]);
  });

  test('ends as CANCELED from every open state, once, and takes nothing afterwards', () => {
    let state = foldOrder([{ type: 'order_submitted', data: { order } }]);
    const step = (input: OrderInput): void => void (state = decideOrder(state, input).state);
    step({ kind: 'opened', run: 1, owner: 'w' });
    step({ kind: 'lease_taken', tookOverFrom: null });
    step({ kind: 'prepared', result: { kind: 'ready', base } });
    const cancel = { kind: 'message', message: { kind: 'cancel', by: 'p', reason: 'enough' } } as const;
    expect(decideOrder(state, cancel).commands).toEqual([{ kind: 'stop_work' }]);
    step(cancel);
    const end = { kind: 'ok' as const, exitCode: 0, detail: '' };
    // The agent ended in the same moment: recorded, and nothing follows.
    const late = decideOrder(state, {
      kind: 'built',
      iteration: 1,
      result: { end, usage, durationMs: 1, tree: OID },
    });
    expect([late.state.status, late.commands.map(({ kind }) => kind)]).toEqual(['CANCELED', ['close']]);
    expect(decideOrder(late.state, { kind: 'stopped' })).toEqual({
      state: late.state,
      events: [],
      commands: [],
    });
  });
});

describe('the policy of an order', () => {
  const { plan } = resolveRepositoryPlan(null, ['pyproject.toml', 'a.py', 'tests/test_a.py']);
  const basePaths = new Set(['verify.yaml', 'check.sh', 'a.py', 'tests/test_a.py', 'tests/conftest.py']);
  const scripted = {
    ...plan,
    steps: plan.steps.map((step) =>
      step.kind === 'test_command' ? { ...step, argv: ['sh', '-c', './check.sh && pytest'] } : step,
    ),
  };

  test('calls the profile, runner settings and scripts that the plan names the gate, and code not', () => {
    const isGate = gateFileTest(scripted, basePaths);
    expect(
      [
        'verify.yaml',
        '.a7/x',
        'tests/conftest.py',
        'sub/pytest.ini',
        'check.sh',
        'a.py',
        'tests/test_a.py',
      ].map(isGate),
    ).toEqual([true, true, true, true, true, false, false]);
  });

  test('names gate edits, deleted tests, forbidden and outside paths, refused entries; allows gate files by name', () => {
    const found = violationsOf({
      changed: [
        { path: 'verify.yaml', kind: 'changed' },
        { path: 'check.sh', kind: 'changed' },
        { path: 'tests/test_a.py', kind: 'deleted' },
        { path: 'secret.pem', kind: 'added' },
        { path: 'b.py', kind: 'added' },
        { path: 'src/ok.py', kind: 'added' },
        { path: 'src/__pycache__/ok.cpython-311.pyc', kind: 'added' },
        { path: 'src/ok.so', kind: 'deleted' },
      ],
      basePaths,
      plan: scripted,
      policy: { paths: ['src/**'], forbid: ['**/*.pem'], gateEdits: ['check.sh'], networkHosts: [] },
      entries: refusedViolations([{ path: 'out\n\u001b[31m', reason: 'symlink' }]),
    });
    expect(found[0]?.text).toMatch(/^"out\\n\\u001b\[31m" is a symbolic link/u);
    expect(found.map(({ kind, path }) => `${kind} ${path ?? ''}`)).toEqual([
      'refused_entry out\n\u001b[31m',
      'gate_file verify.yaml',
      'tests_removed tests/test_a.py',
      'forbidden secret.pem',
      'outside_paths b.py',
      'compiled src/__pycache__/ok.cpython-311.pyc',
    ]);
    const none = violationsOf({ changed: [], basePaths, plan, policy: order.policy, entries: [] });
    expect(none.map(({ kind }) => kind)).toEqual(['no_change']);
  });

  test('takeWork() takes changes, deletes what is gone, keeps links and hidden files, and takes nothing of what was cut', () => {
    const bytes = new Uint8Array();
    const before = [
      { path: 'a', kind: 'blob' as const, oid: OID },
      { path: 'gone', kind: 'blob' as const, oid: OID },
      { path: 'verify.yaml', kind: 'blob' as const, oid: OID },
      { path: 'link', kind: 'symlink' as const, oid: OID },
    ];
    const rules = {
      isHidden: (path: string) => path === 'verify.yaml',
      isIgnored: ignoreTest([{ folder: '', text: 'dist/\n*.log' }]),
      links: new Map([['link', 'a']]),
    };
    const refused = [
      { path: 'link', reason: 'symlink' as const, target: 'a' },
      { path: 'evil', reason: 'symlink' as const, target: '/etc/passwd' },
      { path: 'node_modules/.bin/x', reason: 'symlink' as const, target: '../x' },
      { path: '.git/x', reason: 'git' as const },
    ];
    const files = [
      { path: 'new', bytes },
      { path: 'dist/x', bytes },
      { path: 'x.log', bytes },
    ];
    expect(takeWork(before, { files, kept: ['a'], refused }, rules)).toEqual({
      changes: [
        { kind: 'delete', path: 'gone' },
        { kind: 'write', path: 'new', bytes, executable: false },
      ],
      refused: [{ path: 'evil', reason: 'symlink' }],
    });
    const cut = takeWork(before, { files, kept: [], refused: [{ path: 'z', reason: 'too_many' }] }, rules);
    expect(cut.changes).toBeNull();
  });
});

describe('the rules of the door', () => {
  const model = { id: 'm', maxOutputTokens: 100 };

  test('passes three paths to one endpoint and nothing else', () => {
    const at = (method: string, target: string): string => doorPath(method, target, 'chat').kind;
    expect(at('POST', '/v1/chat/completions')).toBe('call');
    const targets = [
      '/v1/files',
      '/v1/chat/completions/../files',
      '/v1/chat/completions?x=1',
      '//evil/v1/chat/completions',
      'http://evil/v1/chat/completions',
      '/v1/messages',
      '/v1/chat%2fcompletions',
      '/latest/meta-data',
    ];
    expect(targets.map((target) => at('POST', target))).toEqual(targets.map(() => 'refused'));
    expect([at('GET', '/v1/chat/completions'), at('CONNECT', 'evil:443'), at('GET', '/v1/models')]).toEqual([
      'refused',
      'refused',
      'models',
    ]);
  });

  test('puts in the model and the bound, whatever was asked', () => {
    expect(
      doorBody({ model: 'dear', max_tokens: 9999, stream: true, messages: [] }, 'chat', model),
    ).toMatchObject({
      body: { model: 'm', max_tokens: 100, stream_options: { include_usage: true } },
    });
    expect(doorBody({ store: true, input: [] }, 'responses', model)).toMatchObject({
      body: { store: false, max_output_tokens: 100 },
    });
  });

  test.each([
    ['a hosted tool', 'anthropic', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
    ['a hosted tool', 'responses', { tools: [{ type: 'code_interpreter' }] }],
    ['servers to call', 'anthropic', { mcp_servers: [{ url: 'https://evil' }] }],
    ['servers to call', 'responses', { tools: [{ type: 'mcp', server_url: 'https://evil' }] }],
    [
      'a picture by address',
      'chat',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://evil/?secret' } }] },
        ],
      },
    ],
    [
      'a picture by address',
      'responses',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://evil/?s' }] }] },
    ],
    [
      'a document by address',
      'anthropic',
      {
        messages: [
          { role: 'user', content: [{ type: 'document', source: { type: 'url', url: 'https://evil' } }] },
        ],
      },
    ],
    ['a stored file', 'responses', { input: [{ content: [{ type: 'input_file', file_id: 'f' }] }] }],
  ] as const)('refuses %s (%s)', (_what, protocol, body) => {
    expect(doorBody(body, protocol, model).kind).toBe('refused');
  });
});

describe('what steers a run from inside the tree', () => {
  const toml = (text: string): string => steeringPart('pyproject.toml', text, readToml);
  const json = (text: string): string => steeringPart('a/package.json', text, readToml);

  test('is read, however it is written', () => {
    const spelled = [
      '[tool.pytest.ini_options]\naddopts = "-x"\n',
      '[ tool . pytest.ini_options ]\naddopts = "-x"\n',
      '["tool"."pytest"."ini_options"]\naddopts = "-x"\n',
      'tool.pytest.ini_options.addopts = "-x"\n',
      'tool = { pytest = { ini_options = { addopts = "-x" } } }\n',
    ];
    expect(new Set(spelled.map(toml)).size).toBe(1);
    expect(toml(spelled[0] ?? '')).not.toBe(toml(''));
    expect(toml('[project.entry-points.pytest11]\nx = "y"\n')).not.toBe(toml(''));
    expect(toml('[tool.ruff]\nline-length = 9\n[project]\nname = "x"\n')).toBe(toml(''));
    expect(toml('not [ toml')).toBe('not [ toml');
    expect(json('{"name": "x"}')).toBe(json(''));
    expect(json('{"scripts": {"test": "true"}}')).not.toBe(json(''));
  });

  test('belongs to the gate', () => {
    const gate = gateFileTest(resolveRepositoryPlan(null, ['a.py'], null).plan, new Set(['a.py']));
    const steering = [
      'a/pytest.toml',
      '.pytest.ini',
      'conftest.pyc',
      'x/sitecustomize/__init__.py',
      'evil-1.dist-info/entry_points.txt',
    ].concat([
      '.mocharc.json',
      'jest.config.ts',
      'vitest.workspace.ts',
      '.npmrc',
      '.cargo/config.toml',
      'go.work',
      'b/.gitattributes',
    ]);
    expect(steering.filter((path) => !gate(path))).toEqual([]);
    expect(['src/jest/index.ts', 'a/pytest_helpers.py', 'README.md', '.gitignore'].filter(gate)).toEqual([]);
  });
});

test('namedChanges() names the first of very many paths, and counts all', () => {
  const paths = Array.from({ length: 5_001 }, (_, at) => String(at));
  expect([namedChanges(paths).changed.length, countOfChanges(namedChanges(paths))]).toEqual([5_000, 5_001]);
  expect(namedChanges(['a'])).toEqual({ changed: ['a'] });
});

describe('tests that ran before a change', () => {
  const ran = (...names: string[]) => [{ step: 'unit', names, count: names.length }];

  test('have to run after it, under whatever parameters', () => {
    const before = ran('t.py::a[1]', 't.py::a[2]', 't.py::b#1', 'pkg::TestX/row');
    expect(lostTests(before, ran('t.py::a[3]', 't.py::b', 'pkg::TestX', 't.py::new'), 'unit')).toEqual([]);
    expect(lostTests(before, ran('t.py::a[1]', 'pkg::TestX'), 'unit')).toMatchObject([
      {
        code: 'tests_removed',
        level: 'L1',
        text: 'A test that ran before the change does not run any more: "t.py::b"',
      },
    ]);
    const counted = [{ step: 'unit', names: null, count: 3 }];
    expect(lostTests(before, counted, 'unit')).toHaveLength(1);
    expect(lostTests(counted, ran('a', 'b', 'c'), 'unit')).toEqual([]);
  });
});
