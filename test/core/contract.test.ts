import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkContracts } from '../../core/contract/check.ts';
import { isVague } from '../../core/contract/concreteness.ts';
import { callProblem, declaredName } from '../../core/contract/declaration.ts';
import { isConftest, isReservedPath } from '../../core/contract/reserved-paths.ts';
import { parsePin } from '../../core/contract/pins.ts';
import { contractView, dependencyView } from '../../core/views/contract-view.ts';
import { importLineOf, resolveContracts } from '../../core/contract/resolve.ts';
import { scaffoldFiles } from '../../core/contract/scaffold.ts';
import { ROOT_CONFTEST } from '../../core/contract/scaffold-conftest.ts';
import { toNormalForm } from '../../core/contract/flat-form.ts';
import { Contracts } from '../../schemas/contract.ts';
import { StoredBook } from '../../schemas/stored-book.ts';
import type { Language } from '../../schemas/ids.ts';

function contractsOf(language: Language, nodes: object[], project: object = {}): Contracts {
  const full = nodes.map((node) => ({ stage: 'core', description: 'run(x) -> y', ...node }));
  const head = { version: 1, project: { name: 'My Shop', language, ...project }, stages: [{ id: 'core' }] };
  return Contracts.parse({ ...head, nodes: full });
}

const exportsOf = (...exports: string[]) => ({ interface: { exports } });

describe('resolveContracts()', () => {
  test.each([
    ['python', ['auth/jwt.py', 'auth/jwt/**'], 'auth/jwt.py', 'from auth.jwt import ...'],
    ['javascript', ['auth/jwt.js', 'auth/jwt/**'], 'auth/jwt.js', "import { ... } from '../../auth/jwt.js';"],
    ['typescript', ['auth/jwt.ts', 'auth/jwt/**'], 'auth/jwt.ts', "import { ... } from '../../auth/jwt.ts';"],
    ['go', ['auth/jwt/**'], 'auth/jwt/jwt.go', 'import "project/auth/jwt"'],
    ['rust', ['src/auth/jwt.rs', 'src/auth/jwt/**'], 'src/auth/jwt.rs', 'use project::auth::jwt::{...};'],
  ] as const)('gives %s its default places', (language, files, contentFile, importLine) => {
    const [contract] = resolveContracts(contractsOf(language, [{ id: 'auth.jwt' }]));
    expect(contract).toMatchObject({ language, mode: 'B', files, contentFile, importLine });
    expect(contract?.tests[0]).toBe('tests/auth_jwt/**');
  });

  test('names the exports of Mode A in the import line', () => {
    const node = {
      id: 'm',
      ...exportsOf('def f(a: int) -> int: ...', '@dataclass\nclass C:\n  x: int', 'LIMIT: int'),
    };
    const [contract] = resolveContracts(contractsOf('python', [node]));
    expect(contract).toMatchObject({ mode: 'A', importLine: 'from m import f, C, LIMIT' });
  });

  test.each([
    [['lib/money.py', 'lib/more/**'], 'lib/money.py', 'from lib.money import ...'],
    [['lib/**'], 'lib/money.py', 'from lib.money import ...'],
    [['price/**'], 'price/money.py', 'from price.money import ...'],
    [['lib/__init__.py', 'lib/**'], 'lib/__init__.py', 'from lib import ...'],
    [['price/money/**'], 'price/money/__init__.py', 'from price.money import ...'],
    [['src/money/*.py'], 'src/money/__init__.py', 'from src.money import ...'],
    [['hardmoney/**'], 'hardmoney/money.py', 'from hardmoney.money import ...'],
  ])('takes the main file from files %j', (files, contentFile, importLine) => {
    const [contract] = resolveContracts(contractsOf('python', [{ id: 'price.money', files }]));
    expect(contract).toMatchObject({ files, contentFile, importLine });
  });
});

test('importLineOf() is relative to the folder that imports', () => {
  const line = (from: string) => importLineOf('javascript', 'auth/jwt.js', ['function f(): void'], from);
  expect(['', 'auth', 'auth/jwt', 'app', 'tests/auth_jwt'].map(line)).toEqual([
    "import { f } from './auth/jwt.js';",
    "import { f } from './jwt.js';",
    "import { f } from '../jwt.js';",
    "import { f } from '../auth/jwt.js';",
    "import { f } from '../../auth/jwt.js';",
  ]);
});

test('importLineOf() takes a default export without braces', () => {
  const line = (...exports: string[]) => importLineOf('typescript', 'a/b.ts', exports, 'tests/a_b');
  expect([
    line('export default class Lru<K> { get(key: K): number; }', 'export const MAX: number;'),
    line('export default function parse(text: string): number;'),
    line('export default function (text: string): number;', 'export type T = number;'),
  ]).toEqual([
    "import Lru, { MAX } from '../../a/b.ts';",
    "import parse from '../../a/b.ts';",
    "import it from '../../a/b.ts';",
  ]);
});

describe('scaffoldFiles()', () => {
  test('makes every package folder of Python importable and leaves a node its own', () => {
    const nodes = [{ id: 'shop.price.money' }, { id: 'own.lib', files: ['own/**'] }, { id: 'single' }];
    const contracts = contractsOf('python', nodes, { requires: ['b==1', 'a==2'] });
    expect(scaffoldFiles(contracts.project, resolveContracts(contracts))).toEqual([
      { path: '.gitignore', text: '__pycache__/\n*.pyc\n.pytest_cache/\n' },
      { path: 'conftest.py', text: ROOT_CONFTEST },
      {
        path: 'pytest.ini',
        text: '[pytest]\npythonpath = .\ntestpaths = tests\naddopts = --import-mode=importlib\n',
      },
      { path: 'requirements.txt', text: 'a==2\nb==1\n' },
      { path: 'shop/__init__.py', text: '' },
      { path: 'shop/price/__init__.py', text: '' },
    ]);
  });

  test('makes modules of JavaScript and pins packages in package.json', () => {
    const contracts = contractsOf('javascript', [{ id: 'a', requires: ['@x/y@1.2.3'] }]);
    const files = scaffoldFiles(contracts.project, resolveContracts(contracts));
    expect(files.map((file) => file.path)).toEqual(['.gitignore', 'package.json']);
    expect(JSON.parse(files[1]?.text ?? '')).toEqual({
      name: 'my-shop',
      version: '0.0.0',
      private: true,
      type: 'module',
      scripts: { test: 'node --test' },
      dependencies: { '@x/y': '1.2.3' },
    });
  });
});

test('names of before are read in files and stored sessions, and both spellings at once are refused', () => {
  const node = (expect: object) => ({
    ...{ id: 'a', stage: 'core', description: 'run(x) -> y' },
    environment: { timeZone: 'UTC', wallMs: 5, memoryMb: 6 },
    fixtures: [{ name: 'f', command: ['true'], expect }],
  });
  const document = { version: 1, project: { name: 'p' }, stages: [{ id: 'core' }] };
  const older = { ...document, nodes: [node({ exitCode: 3, stdoutContains: ['x'] })] };
  const contracts = Contracts.parse(toNormalForm(older, 'p').value);
  expect(contracts.nodes[0]).toMatchObject({
    environment: { time_zone: 'UTC', wall_ms: 5, memory_mb: 6 },
    fixtures: [{ expect: { exit_code: 3, stdout_contains: ['x'] } }],
  });
  const [present] = resolveContracts(contracts);
  const resolved = [{ ...present, ...node({ exitCode: 3 }) }];
  expect(StoredBook.parse({ contracts: older, resolved }).resolved[0]?.fixtures[0]?.expect.exit_code).toBe(3);
  const both = { ...document, nodes: [node({ exitCode: 3, exit_code: 3 })] };
  expect(Contracts.safeParse(toNormalForm(both, 'p').value).success).toBe(false);
});

describe('isReservedPath()', () => {
  test.each([
    'pytest.ini',
    'PyProject.toml',
    'conftest.py',
    'requirements-dev.txt',
    'a/requirements.txt',
    '.gitattributes',
    'a/.gitmodules',
    'auth/jwt/.git/config',
    'auth/jwt/sitecustomize.py',
    'auth/jwt/x.pth',
    'a/.npmrc',
    'a/node_modules/b/index.js',
    'Cargo.toml',
  ])('isReservedPath() holds for %s', (path) => {
    expect(isReservedPath(path)).toBe(true);
  });

  test.each(['auth/jwt.py', 'auth/jwt/__init__.py', 'tests/auth_jwt/conftest.py', 'a/go.mod', 'a/setup.pyi'])(
    'isReservedPath() does not hold for %s',
    (path) => {
      expect(isReservedPath(path)).toBe(false);
    },
  );

  test('isConftest() holds in any folder and spelling', () => {
    expect(['conftest.py', 'a/Conftest.py', 'a/conftest.pyi', 'a/myconftest.py'].map(isConftest)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('declaredName()', () => {
  test.each([
    ['python', 'def f(a: int) -> int: ...', 'f', 'function'],
    ['python', 'async def f() -> None', 'f', 'function'],
    ['python', '@dataclass(frozen=True)\nclass Money(Base):\n    cents: int', 'Money', 'class'],
    ['python', 'LIMIT: int', 'LIMIT', 'value'],
    ['javascript', 'export function f(a: string): number;', 'f', 'function'],
    ['javascript', 'declare async function f(): Promise<void>', 'f', 'function'],
    ['javascript', 'const f: (a: string) => number', 'f', 'function'],
    ['typescript', 'export abstract class A {}', 'A', 'class'],
    ['typescript', 'export const LIMIT: number', 'LIMIT', 'value'],
    ['go', 'func (m *Money) Add(n int) int', 'Add', 'function'],
    ['rust', 'pub async fn f<T>(a: T) -> T', 'f', 'function'],
  ] as const)('of %s %j is %s, a %s', (language, text, name, kind) => {
    expect(declaredName(language, text)).toEqual({ name, kind });
  });

  test('is null where nothing is bound at run time', () => {
    expect(declaredName('typescript', 'export interface A { b: string }')).toBeNull();
    expect(declaredName('python', '42')).toBeNull();
  });
});

describe('callProblem()', () => {
  test.each([
    'f()',
    "m.f(1, 'a)b', [2], {'k': (3,)})",
    'Money(1).add(2)',
    "new A('x').b",
    'await f(x => { return x; })',
    'f("it\\"s")',
    'f(1)[0]',
  ])('accepts %s', (call) => {
    expect(callProblem(call)).toBeNull();
  });

  test.each([
    ['f', 'must begin with a name and "("'],
    ['f(1', 'has a "(" that is not closed'],
    ['f(1))', 'has a ")" that closes nothing'],
    ["f('1)", "has a text that ' does not close"],
    ['f(1); g(2)', 'must be one expression, without ";"'],
    ['f(1)\ng(2)', 'must be on one line'],
    ['f(1) +', 'must end with ")"'],
    ['import os', 'must begin with a name and "("'],
  ])('of %j says that it %s', (call, problem) => {
    expect(callProblem(call)).toBe(problem);
  });
});

describe('isVague()', () => {
  const nothing = { exports: [], imports: [], raises: [], guarantees: [], assumptions: [], inert: [] };
  const vague = (description: string) => isVague({ description, interface: nothing, examples: [] });

  test.each([
    'JWT authentication module',
    'The payment service.',
    'Auth',
    'A module that handles user login',
    'Utility helpers for strings',
  ])('refuses the label %j', (description) => {
    expect(vague(description)).toBe(true);
  });

  test.each([
    'verify_token(token: str) -> dict per RFC 7519',
    'Take a percentage off an amount in cents, half to even',
    'First matching rule wins and the rest is skipped',
    'A module that reads lines of a CSV file and returns one dict a row, keyed by the first line',
  ])('accepts %j', (description) => {
    expect(vague(description)).toBe(false);
  });

  test('accepts a label beside a guarantee', () => {
    expect(
      isVague({
        description: 'JWT module',
        interface: { ...nothing, guarantees: ['Expired tokens are refused'] },
        examples: [],
      }),
    ).toBe(false);
  });
});

test('parsePin() takes exact versions only', () => {
  const python = ['a==1', 'Foo_Bar[x,y]==2.0.1rc1', 'a>=1', 'a', 'a==1.*', 'a == 1', 'a==1,<2'];
  expect(python.map((pin) => parsePin(pin, 'python')?.name ?? null)).toEqual([
    'a',
    'foo-bar',
    null,
    null,
    null,
    null,
    null,
  ]);
  const script = ['a@1.2.3', '@s/a@1.0.0-rc.1', 'a@^1.0.0', 'a@latest', 'a'];
  expect(script.map((pin) => parsePin(pin, 'javascript')?.version ?? null)).toEqual([
    '1.2.3',
    '1.0.0-rc.1',
    null,
    null,
    null,
  ]);
});

test('checkContracts() names a cycle without the way to it, and takes a chain of 3,000 nodes', () => {
  const nodes = (edges: Readonly<Record<string, string>>) =>
    Object.entries(edges).map(([id, to]) => ({ id, structural_deps: to === '' ? [] : [to] }));
  const looped = checkContracts(contractsOf('python', nodes({ a: 'b', b: 'c', c: 'b' })));
  expect(looped.map((problem) => problem.message)).toEqual([
    'Cannot order the nodes: dependencies must not form a cycle, current cycle is b -> c -> b',
  ]);
  const chain = Object.fromEntries(
    Array.from({ length: 3000 }, (_, at): [string, string] => [`n${at}`, at === 0 ? '' : `n${at - 1}`]),
  );
  expect(checkContracts(contractsOf('python', nodes(chain)))).toEqual([]);
});

describe('checkContracts() over random graphs', () => {
  const graph = fc
    .integer({ min: 2, max: 12 })
    .chain((count) =>
      fc.tuple(
        fc.constant(count),
        fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 30 }),
      ),
    );

  test('finds a cycle exactly when there is one', () => {
    fc.assert(
      fc.property(graph, ([count, edges]) => {
        const deps = (i: number) => [
          ...new Set(edges.filter(([a, b]) => a === i && b !== i).map(([, b]) => `n${b}`)),
        ];
        const nodes = Array.from({ length: count }, (_, i) => ({ id: `n${i}`, structural_deps: deps(i) }));
        const messages = checkContracts(contractsOf('python', nodes)).map((problem) => problem.message);
        expect(messages.some((message) => message.includes('cycle'))).toBe(!canOrder(nodes));
        expect(messages.every((message) => message.includes('cycle'))).toBe(true);
      }),
    );
  });
});

/** Kahn's way, to compare with. */
function canOrder(nodes: readonly { id: string; structural_deps: string[] }[]): boolean {
  let left = nodes;
  for (;;) {
    const ids = new Set(left.map((node) => node.id));
    const next = left.filter((node) => node.structural_deps.some((id) => ids.has(id)));
    if (next.length === 0) return true;
    if (next.length === left.length) return false;
    left = next;
  }
}

test('agents see the errors of a node in its import line, and those of a dependency in that of the dependency', () => {
  const node = (id: string, exports: string, raises: string[], deps: string[]): object => ({
    ...{ id, structural_deps: deps, interface: { exports: [exports], raises } },
  });
  const lineOf = (language: Language, f: string, g: string): (string | undefined)[] => {
    const [low, high] = resolveContracts(
      contractsOf(language, [
        node('shop.low', f, ['LowError', 'TypeError'], []),
        node('shop.high', g, ['LowError', 'HighError(LowError)'], ['shop.low']),
      ]),
    );
    return [dependencyView(low!, [low!]), contractView(high!, [low!])].map(
      (text) => /(?:Import|imports it so): (.*)/u.exec(text)?.[1],
    );
  };
  expect(lineOf('python', 'def f() -> int: ...', 'def g() -> int: ...')).toEqual([
    'from shop.low import f, LowError',
    'from shop.high import g, HighError',
  ]);
  expect(
    lineOf('javascript', 'export function f(): number;', 'export default function g(): number;'),
  ).toEqual([
    "import { f, LowError } from '../../shop/low.js';",
    "import g, { HighError } from '../../shop/high.js';",
  ]);
});
