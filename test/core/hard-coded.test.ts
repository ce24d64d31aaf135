/** The sources in which one export is hard-coded (decision 0027). */
import { describe, expect, test } from '@jest/globals';
import { createSymbols } from '../../adapters/symbols/symbols.ts';
import { hardCodable, unnoticedFindings } from '../../core/gate/code/suite-evidence.ts';
import { unmissedFindings } from '../../core/gate/code/uncalled.ts';
import type { Language } from '../../schemas/ids.ts';
import type { MutantOutcome } from '../../schemas/mutation.ts';
import { gateContract } from '../support/gate-contract.ts';

const symbols = createSymbols();

function contractOf(language: Language, exports: readonly string[]) {
  const none = { imports: [], raises: [], guarantees: [], assumptions: [], inert: [] };
  return gateContract({ language, interface: { ...none, exports: [...exports] } });
}

function changes(language: Language, exports: readonly string[], names: readonly string[], text: string) {
  const declared = hardCodable(contractOf(language, exports), names, (each) =>
    symbols.declaration(language, each),
  );
  return symbols.hardCoded(language, 'shop/thing', text, declared);
}

const PYTHON_RAN = '__import__("sys").modules["a7_ran"] = None;';
const SCRIPT_RAN = 'globalThis[Symbol.for("a7.ran")] = true';

describe('hardCoded()', () => {
  test('replaces what a Python export does by a constant of its type, and leaves its document and its nature', () => {
    const exports = [
      'def total(xs: list[int]) -> dict[str, int] | None: ...',
      'def each(n: int) -> Iterator[str]: ...',
      'class Box:\n    def __len__(self) -> int: ...\n    @property\n    def size(self) -> int: ...\n    @size.setter\n    def size(self, value: int) -> None: ...\n    async def get(self) -> Box: ...',
    ];
    const code = [
      'def total(xs):',
      '    """Doc."""',
      '    return {}',
      'def each(n): yield str(n)',
      'class Box:',
      '    def __len__(self): return 1',
      '    @property',
      '    def size(self):',
      '        return self._size',
      '    @size.setter',
      '    def size(self, value): self._size = value',
      '    async def get(self): return self',
      '',
    ].join('\n');
    const made = changes('python', exports, ['total', 'each', 'Box.__len__', 'Box.get'], code);
    expect(made.map(({ exportName, value, line }) => `${String(line)} ${exportName} ${value}`)).toEqual([
      '1 total {"other": 7919}',
      '1 total {"another": 104729}',
      '4 each iter(["other"])',
      '4 each iter(["another"])',
      '12 Box.get None',
    ]);
    expect(made[0]?.text).toContain(
      `    """Doc."""\n    ${PYTHON_RAN} return {"other": 7919}\n    return {}\n`,
    );
    expect(made[2]?.text).toContain(`def each(n): ${PYTHON_RAN} yield ["other"][0]; return; yield str(n)\n`);
    expect(made[4]?.text).toContain(`    async def get(self): ${PYTHON_RAN} return None; return self\n`);
  });

  test('does so in JavaScript, for every form of function', () => {
    const exports = [
      'export function area(side: number): number;',
      'export function load(path: string): Promise<string[]>;',
      'export class Shelf { constructor(size: number); get total(): number; names(): Iterator<string>; on(): this; }',
    ];
    const code =
      'export function area(side) { return side; }\nexport const load = async (path) => [path];\nexport class Shelf { constructor() {} get total() { return 1; } set total(x) {} *names() { yield "a"; } on() { return this; } }\n';
    const names = ['area', 'load', 'Shelf', 'Shelf.total', 'Shelf.names', 'Shelf.on'];
    const made = changes('javascript', exports, names, code);
    expect(made.map(({ exportName, value }) => `${exportName} ${value}`)).toEqual([
      'area 7919',
      'area 104729',
      'load ["other"]',
      'load ["another"]',
      'Shelf.total 7919',
      'Shelf.total 104729',
      'Shelf.names ["other"].values()',
      'Shelf.names ["another"].values()',
      'Shelf.on undefined',
    ]);
    expect(made[0]?.text).toContain(`function area(side) { ${SCRIPT_RAN}; return 7919;  return side; }`);
    expect(made[2]?.text).toContain(`async (path) => (${SCRIPT_RAN}, ["other"]);`);
    expect(made[6]?.text).toContain(`*names() { ${SCRIPT_RAN}; yield* ["other"]; return;  yield "a"; }`);
  });

  test('is of exports that the source defines once, and of nothing that a syntax calls', () => {
    expect(changes('python', ['def f() -> int: ...'], ['f'], 'f = lambda: 1\n')).toEqual([]);
    const twice = 'if 1:\n    def f(): return 1\nelse:\n    def f(): return 2\n';
    expect(changes('python', ['def f() -> int: ...'], ['f'], twice)).toEqual([]);
    expect(changes('python', ['def f() -> int: ...'], ['f'], 'def f(:\n')).toEqual([]);
  });
});

describe('unnoticedFindings()', () => {
  const contract = contractOf('python', ['def f() -> int: ...']);
  const made = changes('python', ['def f() -> int: ...'], ['f'], 'def f(): return 1\n');
  const found = (...outcomes: readonly MutantOutcome[]) =>
    unnoticedFindings(contract, made, new Map(outcomes.map((outcome, at) => [at + 1, outcome])));

  test('names an export where every test is green with each constant', () => {
    expect(found('survived', 'survived').map(({ text }) => text)).toEqual([
      'Every test is green where "f" (clause E1) does nothing and always gives 7919, and where it always gives 104729: assert the exact value that it gives, for more than one input, or what it changes',
    ]);
  });

  test.each<readonly MutantOutcome[]>([
    ['survived', 'killed'],
    ['survived', 'raised'],
    ['survived', 'timed_out'],
    ['survived', 'not_run'],
    ['survived'],
    ['unreached', 'spared'],
  ])('says nothing where one was not tried, did not run, or was not green: %s', (...outcomes) => {
    expect(found(...outcomes)).toEqual([]);
  });
});

describe('unmissedFindings()', () => {
  const exports = ['class Box:\n    def add(self, item: int) -> None: ...\n    def count(self) -> int: ...'];
  const code = 'class Box:\n    def add(self, item): self.item = item\n    def count(self): return 1\n';
  const uncalled = ['Box.add', 'Box.count'];
  const declared = hardCodable(
    contractOf('python', exports),
    uncalled,
    (text) => symbols.declaration('python', text),
    uncalled,
  );
  const made = symbols.hardCoded('python', 'shop/thing', code, declared);
  const found = (outcomes: readonly MutantOutcome[], suite = '') =>
    unmissedFindings(uncalled, [suite], made, new Map(outcomes.map((outcome, at) => [at + 1, outcome]))).map(
      ({ exportName }) => exportName,
    );

  test('tries to do nothing also of what gives nothing, where no test calls it', () => {
    expect(made.map(({ exportName, value }) => `${exportName} ${value}`)).toEqual([
      'Box.add None',
      'Box.count 7919',
      'Box.count 104729',
    ]);
  });

  test('names what is green with every constant or never ran, and nothing that was noticed or not tried', () => {
    expect(found(['survived', 'unreached', 'spared'])).toEqual(['Box.add', 'Box.count']);
    expect(found(['unreached', 'survived', 'killed'])).toEqual(['Box.add']);
    expect(found(['raised', 'killed', 'spared'])).toEqual([]);
    expect(found(['not_run', 'survived', 'not_run'])).toEqual([]);
  });

  test('does not name what never ran where a derived class has it, too', () => {
    const add = 'class Mine(Box):\n    def add(self, item): ...';
    expect(found(['unreached', 'survived', 'survived'], add)).toEqual(['Box.count']);
    expect(found(['unreached', 'unreached', 'spared'], 'class Mine extends Box { add() {} }')).toEqual([
      'Box.count',
    ]);
    expect(found(['unreached', 'not_run', 'not_run'], `# ${add}`)).toEqual(['Box.add']);
  });
});

describe('watched()', () => {
  const watched = (language: Language, exports: readonly string[], names: readonly string[], text: string) =>
    symbols.watched(
      language,
      'shop/thing',
      text,
      hardCodable(contractOf(language, exports), names, (each) => symbols.declaration(language, each)),
    );

  test('puts a hook next to each function of Python, and around each body of JavaScript', () => {
    const python = 'class Box:\n    @property\n    def size(self): return 1\n';
    expect(watched('python', ['class Box:\n    def size(self) -> int: ...'], ['Box.size'], python)).toBe(
      'class Box:\n    @property\n    @__import__("sys").modules["a7_answers"].of("Box.size")\n    def size(self): return 1\n',
    );
    const exports = [
      'export function area(side: number): number;',
      'export function load(path: string): Promise<string[]>;',
    ];
    const script =
      'export function area(side) { return side; }\nexport const load = async (path) => [path];\n';
    const hook = 'globalThis[Symbol.for("a7.answers")]';
    expect(watched('javascript', exports, ['area', 'load'], script)).toBe(
      `export function area(side) { return ${hook}("area", false, () => { return side; }); }\nexport const load = async (path) => ${hook}("load", true, async () => ([path]));\n`,
    );
  });

  test('leaves what calls others in its place', () => {
    const text =
      '@singledispatch\ndef show(node): raise TypeError\n@show.register\ndef _(node: int): return "n"\n';
    expect(watched('python', ['def show(node: object) -> str: ...'], ['show'], text)).toBeNull();
  });

  test('leaves what would be another there: a generator, a parameter that is declared again', () => {
    const declared = ['export function f(n: number): number;'];
    expect(watched('javascript', declared, ['f'], 'export function* f(n) { yield n; }\n')).toBeNull();
    expect(
      watched('javascript', declared, ['f'], 'export function f(n) { var n = n || 1; return n; }\n'),
    ).toBeNull();
  });
});
