/** Suites of node:test whose tests are played through on stubs: whatever they are made of, they can still be loaded (gate.md part 12). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { createSymbols } from '../../adapters/symbols/symbols.ts';

const symbols = createSymbols();
const played = (text: string): string => symbols.playedThrough('javascript', 'it.test.mjs', text);

/** Throws where the text has a syntax error; imports and `await` at the top are those of a module. */
function load(text: string): Script {
  const body = text.replace(/^import\b[^;]*;/gmu, '').replace(/^export /gmu, '');
  return new Script(`(async () => {${body}\n})`);
}

function suites(): (readonly [string, string])[] {
  const folder = 'test/wall/honest-script';
  const own = readdirSync(folder).map((file): [string, string] => [
    file,
    readFileSync(join(folder, file), 'utf8').split('--- suite\n')[1] ?? '',
  ]);
  const shapes = readFileSync('test/gate/suites/honest-javascript.txt', 'utf8').split(/^=== .*$/mu);
  return [
    ...own.filter(([file]) => !file.startsWith('type')),
    ...shapes.map((text, at) => [`shape ${String(at)}`, text] as const),
  ];
}

describe('playedThrough()', () => {
  test('lets each statement of a function fail alone, in its line', () => {
    expect(
      played(
        "test('x', async () => {\n  const a = f();let { b } = a;\n  if (b) throw new Error('no');\n  await g(b);\n  return a;\n});",
      ),
    ).toBe(
      "test('x', async () => {\n  try { var a = f(); } catch {}try { var { b } = a; } catch {}\n  try { if (b) throw new Error('no'); } catch {}\n  try { await g(b); } catch {}\n  return a;\n});",
    );
  });

  test.each([
    ['a name of its loop', 'function f(xs) { for (const x of xs) { const x = 1; use(x); } }'],
    ['a name of its handler', 'function f() { try { g(); } catch (e) { { const e = 1; use(e); } } }'],
    ['a class in its block', 'function f() { if (a) { class B {} { const B = 1; use(B); } } }'],
    [
      'a name of an outer function',
      'function f(x) { const g = () => { const x = 1; return x; }; return g(); }',
    ],
    [
      'a name in two blocks',
      'function f() { const x = 1; if (x) { const x = 2; use(x); } else { let x; use(x); } }',
    ],
    ['statements without semicolons', 'function f() {\n  const a = 1\n  g(a)\n  ;[a].map(h)\n  return a\n}'],
  ])('makes no syntax error of %s', (_name, text) => {
    expect(() => load(text)).not.toThrow();
    expect(() => load(played(text))).not.toThrow();
  });

  test.each([
    ['a generator', 'function* f() { const x = 1; yield x; }'],
    ['a method that is one', 'class A { *f() { g(); } async *h() { g(); } }'],
    ['a constructor', 'class A extends B { constructor() { super(); this.a = 1; } }'],
    ['a loop that waits', 'function f(q) { while (q.size > 0) { q.pop(); } }'],
    ['what does not parse', 'function f( { const x = 1; }'],
  ])('leaves %s as it is', (_name, text) => {
    expect(played(text)).toBe(text);
  });

  test.each(suites())('can be loaded: %s', (_name, text) => {
    expect(() => load(text)).not.toThrow();
    expect(() => load(played(text))).not.toThrow();
  });
});
