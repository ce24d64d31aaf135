import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadContracts, parseContracts } from '../../adapters/contracts/load.ts';
import { formatProblems } from '../../core/text/located-problem.ts';
import { contractsJsonSchema } from '../../schemas/contracts-json-schema.ts';
import { expectGolden, goldenPath } from '../support/golden.ts';

const inputs = readdirSync(goldenPath('contracts')).filter((name) => name.includes('.in.'));

describe('loadContracts() says what is wrong and where', () => {
  test.each(inputs)('%s', async (name) => {
    const loaded = await loadContracts(goldenPath(`contracts/${name}`));
    expect(loaded.ok).toBe(false);
    if (loaded.ok) return;
    const file = name.replace('.in.', '.');
    expectGolden(
      `contracts/${name.replace(/\.in\..*$/, '.out.txt')}`,
      `${formatProblems(file, loaded.problems)}\n`,
    );
  });

  test('when there is no file', async () => {
    const loaded = await loadContracts('/nowhere/contracts.yaml');
    expect(loaded).toEqual({
      ok: false,
      problems: [
        {
          line: 1,
          column: 1,
          path: '',
          message: 'Cannot read "/nowhere/contracts.yaml": there is no such file',
        },
      ],
    });
  });
});

describe('parseContracts()', () => {
  const yaml = [
    'version: 1',
    'project: {name: shop}',
    'stages: [{id: core}]',
    'nodes:',
    '  - id: price.money',
    '    stage: core',
    '    description: Cents of a text',
    '    interface:',
    '      exports:',
    '        - "def parse_money(text: str) -> int: ..."',
    '        - "class PriceError(ValueError): ..."',
  ].join('\n');

  test('locates an export of the file as written', () => {
    const loaded = parseContracts(yaml, 'x');
    expect(loaded.ok && loaded.locate(['nodes', 0, 'interface', 'exports', 1])).toEqual({
      line: 11,
      column: 11,
    });
    expect(loaded.ok && loaded.locate(['nodes', 0, 'interface'])).toEqual({ line: 8, column: 5 });
    expect(loaded.ok && loaded.locate(['nodes', 0, 'examples', 3])).toEqual({ line: 5, column: 5 });
  });

  test('resolves what it read', () => {
    const loaded = parseContracts(yaml, 'x');
    expect(loaded.ok && loaded.resolved[0]).toMatchObject({
      id: 'price.money',
      mode: 'A',
      files: ['price/money.py', 'price/money/**'],
      tests: ['tests/price_money/**'],
      importLine: 'from price.money import parse_money, PriceError',
    });
  });

  test('reads the flat form of the seed: maps by id, run fields left out, stages in order of appearance', () => {
    const flat = {
      nodes: {
        'app.main': {
          node_id: 'app.main',
          stage_id: 'stage-2',
          status: 'near',
          type: 'glue',
          description: 'Starts it',
          interface: { exports: ['def build_app() -> object: ...'], raises: null, assumptions: [] },
          structural_deps: ['store'],
          assumption_deps: [],
          suspension_reason: null,
          max_retries: 5,
          created_at: '2026-01-01',
          metadata: {},
        },
        store: { node_id: 'store', stage_id: 'stage-1', description: 'get(key) -> value' },
      },
      stages: {
        'stage-1': { stage_id: 'stage-1', name: 'First', status: 'active', node_ids: [] },
        'stage-2': {},
      },
    };
    const loaded = parseContracts(JSON.stringify(flat, null, 2), 'my-folder');
    expect(loaded.ok ? [] : loaded.problems).toEqual([]);
    if (!loaded.ok) return;
    expect(loaded.contracts.project.name).toBe('my-folder');
    expect(loaded.contracts.stages.map((stage) => [stage.id, stage.name])).toEqual([
      ['stage-1', 'First'],
      ['stage-2', undefined],
    ]);
    expect(loaded.contracts.nodes.map((node) => [node.id, node.stage, node.max_retries])).toEqual([
      ['app.main', 'stage-2', 5],
      ['store', 'stage-1', 3],
    ]);
    expect(loaded.locate(['nodes', 1, 'description']).line).toBe(28);
  });

  test('reads a bare list of nodes', () => {
    const list = [{ node_id: 'store', stage_id: 'stage-1', description: 'get(key) -> value' }];
    const loaded = parseContracts(JSON.stringify(list), 'x');
    expect(loaded.ok && loaded.contracts.stages).toEqual([{ id: 'stage-1', kind: 'io' }]);
    expect(loaded.ok && loaded.locate(['nodes', 0, 'stage']).column).toBe(21);
  });

  test('reads 10,000 nodes within five seconds of processor time', () => {
    const nodes = Array.from({ length: 10_000 }, (_, i) => ({
      id: `pkg.n${i}`,
      stage: 'core',
      description: 'get(key) -> value',
      structural_deps: i === 0 ? [] : [`pkg.n${i - 1}`],
    }));
    const text = JSON.stringify({ version: 1, project: { name: 'x' }, stages: [{ id: 'core' }], nodes });
    const start = process.cpuUsage();
    expect(parseContracts(text, 'x').ok).toBe(true);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000);
  });

  test('refuses a file of references that would grow without bound', () => {
    const bomb = [
      'a: &a [1,1,1,1,1,1,1,1,1,1]',
      ...'bcdefgh'
        .split('')
        .map((name, i) => `${name}: &${name} [${Array(10).fill(`*${'abcdefgh'[i]}`).join(',')}]`),
    ].join('\n');
    const loaded = parseContracts(bomb, 'x');
    expect(loaded.ok ? [] : loaded.problems.map((problem) => problem.message)).toEqual([
      'Cannot read the document: Excessive alias count indicates a resource exhaustion attack',
    ]);
  });
});

describe('parseContracts() of anything', () => {
  const template = readFileSync(
    join(import.meta.dirname, '../../examples/templates/init/contracts.yaml'),
    'utf8',
  );

  function problemsAreClear(text: string): void {
    const loaded = parseContracts(text, 'x');
    for (const problem of loaded.ok ? [] : loaded.problems) {
      expect(problem.message).toMatch(/^Cannot /);
      expect(problem.line).toBeGreaterThan(0);
      expect(problem.line).toBeLessThanOrEqual(text.split('\n').length);
    }
  }

  test('is a value or problems with a line, never a throw', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), problemsAreClear), { numRuns: 300 });
  });

  test('stays so for contracts with a piece cut out or put in', () => {
    const place = fc.nat(template.length);
    fc.assert(
      fc.property(
        place,
        fc.nat(40),
        fc.constantFrom('', '\n', ': ', '[', '}', '"', '- ', '&a ', '*a', '!x '),
        (at, cut, put) => {
          problemsAreClear(template.slice(0, at) + put + template.slice(at + cut));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the template of init', () => {
  test('passes', async () => {
    const loaded = await loadContracts(
      join(import.meta.dirname, '../../examples/templates/init/contracts.yaml'),
    );
    expect(loaded.ok ? [] : loaded.problems).toEqual([]);
    expect(loaded.ok && loaded.resolved.map(({ id, mode, importLine }) => [id, mode, importLine])).toEqual([
      ['text.slug', 'A', 'from text.slug import slugify'],
      ['text.catalog', 'B', 'from text.catalog import ...'],
    ]);
  });

  test('fits the published JSON schema, which refuses what the loader refuses', () => {
    const schema = contractsJsonSchema();
    const validate = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true }).compile(schema);
    const path = join(import.meta.dirname, '../../examples/templates/init/contracts.yaml');
    const document: unknown = parse(readFileSync(path, 'utf8'));
    expect(validate(document)).toBe(true);
    expect(validate({ ...(document as object), nods: [] })).toBe(false);
  });
});
