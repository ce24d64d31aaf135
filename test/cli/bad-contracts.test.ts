import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { removeHome, tempHome } from '../support/server.ts';
import { SUM_CONTRACTS, type TestSession, makeSession } from '../support/session.ts';

let home = '';
let session: TestSession;
beforeAll(async () => {
  home = await tempHome();
  session = await makeSession({ home, seed: false });
});
afterAll(async () => {
  await session.remove();
  await removeHome(home);
});

/** Runs `act` with a file changed, and puts it back. */
async function withFile<T>(name: string, text: string | null, act: () => Promise<T>): Promise<T> {
  const path = session.path(name);
  const before = readFileSync(path);
  if (text === null) rmSync(path);
  else writeFileSync(path, text);
  try {
    return await act();
  } finally {
    writeFileSync(path, before);
  }
}

describe('contracts that are wrong', () => {
  const node = (text: string): string => SUM_CONTRACTS.replace(/ {2}- id: sum.add[\s\S]*$/, text);
  test.each([
    ['not YAML', 'nodes: [', /^error sums\/contracts\.yaml:\d+:\d+ .+\n/],
    [
      'a duplicate id',
      `${SUM_CONTRACTS}${SUM_CONTRACTS.slice(SUM_CONTRACTS.indexOf('  - id'))}`,
      /^error sums\/contracts\.yaml:12:\d+ Cannot use node "sum.add": ids must be unique, nodes\[0] has it too\n +12 \| .+\n +\^\n/,
    ],
    [
      'an unknown dependency',
      `${SUM_CONTRACTS}    structural_deps: [zz.top]\n`,
      /contracts\.yaml:12:\d+ Cannot use node "sum.add": dependency "zz.top" does not exist\n/,
    ],
    [
      'a cycle',
      node(
        ['a.x', 'b.y']
          .map(
            (id, index) =>
              `  - { id: ${id}, stage: core, description: 'f(x) -> int: one more', structural_deps: [${index === 0 ? 'b.y' : 'a.x'}] }\n`,
          )
          .join(''),
      ),
      /cycle/i,
    ],
    [
      'an export that does not parse',
      SUM_CONTRACTS.replace('def add(a: int, b: int) -> int: ...', 'def add(:'),
      /contracts\.yaml:9:\d+ .*def add\(:/,
    ],
    [
      'an export that does not import',
      SUM_CONTRACTS.replace('b: int) -> int', 'b: Money) -> int'),
      /contracts\.yaml:9:\d+ .*Money/,
    ],
  ])('%s is said with its line, and nothing is seeded', async (_what, contracts, pattern) => {
    const ledger = readFileSync(session.path('events.jsonl'), 'utf8');
    const result = await withFile('contracts.yaml', contracts, () => session.at(['seed']));
    expect([result.code, result.out]).toEqual([2, '']);
    expect(result.err).toMatch(pattern);
    expect(result.err).toMatch(/\nnext {2}edit sums\/contracts\.yaml$/);
    expect(readFileSync(session.path('events.jsonl'), 'utf8')).toBe(ledger);
  });

  test('missing ones are said as such', async () => {
    const result = await withFile('contracts.yaml', null, () => session.at(['seed']));
    expect(result.code).toBe(2);
    expect(result.err).toContain('there is no such file');
  });
});
