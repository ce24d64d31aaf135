/** Contracts of a session that began as a repository: where its modules lie, and which of its files can be imported. */
import { describe, expect, test } from '@jest/globals';
import { checkContracts } from '../../core/contract/check.ts';
import { chosenPlace } from '../../core/contract/from-repository.ts';
import { commonJsNodes } from '../../core/contract/module-kind.ts';
import { resolveContracts } from '../../core/contract/resolve.ts';
import { scaffoldFiles } from '../../core/contract/scaffold.ts';
import { Contracts } from '../../schemas/contract.ts';
import type { Language } from '../../schemas/ids.ts';

function contractsOf(language: Language, nodes: object[], project: object = {}): Contracts {
  const full = nodes.map((node) => ({ stage: 'core', description: 'run(x) -> y', ...node }));
  const head = { version: 1, project: { name: 'shop', language, ...project }, stages: [{ id: 'core' }] };
  return Contracts.parse({ ...head, nodes: full });
}

describe('a source root', () => {
  const rooted = { source_root: 'src', scaffold: 'repository' };

  test('is where modules of Python lie, and no part of their names', () => {
    const nodes = [
      { id: 'shop.price.money' },
      { id: 'tool', files: ['scripts/tool.py'] },
      { id: 'whole', files: ['src/shop/__init__.py'] },
    ];
    const contracts = contractsOf('python', nodes, rooted);
    expect(checkContracts(contracts)).toEqual([]);
    const resolved = resolveContracts(contracts);
    expect(resolved.map(({ contentFile, importLine }) => [contentFile, importLine])).toEqual([
      ['src/shop/price/money.py', 'from shop.price.money import ...'],
      ['scripts/tool.py', 'from scripts.tool import ...'],
      ['src/shop/__init__.py', 'from shop import ...'],
    ]);
    expect(resolved[0]?.files).toEqual(['src/shop/price/money.py', 'src/shop/price/money/**']);
    expect(scaffoldFiles(contracts.project, resolved).map(({ path }) => path)).toEqual([
      'scripts/__init__.py',
      'src/shop/price/__init__.py',
    ]);
  });

  test('is refused for scripts, which are imported by their paths', () => {
    const [problem] = checkContracts(contractsOf('javascript', [{ id: 'shop.money' }], rooted));
    expect(problem?.message).toContain('it says from where Python imports');
  });

  test.each([
    [['src/shop/__init__.py', 'src/shop/money.py', 'tests/test_shop.py'], 'src', 'shop'],
    [['shop/__init__.py', 'shop/money.py', 'lib/x.py'], null, 'shop'],
    [['src/__init__.py', 'src/money.py'], null, 'src'],
    [['money.py'], null, 'app'],
  ])('is seen in a repository of %j', (paths, sourceRoot, folder) => {
    expect(chosenPlace('python', paths)).toEqual({ sourceRoot, folder });
  });
});

test('commonJsNodes() finds whose package takes it for CommonJS, by the nearest manifest', () => {
  const nodes = ['lib/a.js', 'lib/b.mjs', 'web/c.js', 'web/old/d.js'].map((file, at) => ({
    id: `n${String(at)}`,
    files: [file],
  }));
  const manifests = new Map([
    ['package.json', '{"type": "commonjs"}'],
    ['web/package.json', '{"type":"module"}'],
    ['web/old/package.json', '{"name": "old"}'],
  ]);
  expect(commonJsNodes(resolveContracts(contractsOf('javascript', nodes)), manifests)).toEqual([
    { nodeId: 'n0', file: 'lib/a.js', manifest: 'package.json' },
  ]);
});
