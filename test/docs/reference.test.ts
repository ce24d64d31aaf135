/** The pages for looking things up have a row for all that the schemas have, and tell the same of it as the code. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { contractDifference } from '../../core/contract/evidence.ts';
import { ENVIRONMENT_FIELDS } from '../../core/config/layer.ts';
import { CONFIG_DEFAULTS } from '../../core/config/resolve.ts';
import { finding } from '../../core/gate/finding.ts';
import { decidingRow } from '../../core/gate/verdict-table.ts';
import { repositoryFinding } from '../../core/repository/finding.ts';
import { repositoryVerdict } from '../../core/repository/verdict.ts';
import { ConfigFile, ModelEntry } from '../../schemas/config.ts';
import {
  ContractInterface,
  ContractNode,
  Contracts,
  GateEnvironment,
  Project,
  type ResolvedContract,
  StageSpec,
} from '../../schemas/contract.ts';
import { FindingCode } from '../../schemas/finding-code.ts';
import { RepositoryFindingCode } from '../../schemas/repository-report.ts';
import { gateContract } from '../support/gate-contract.ts';

type Rows = ReadonlyMap<string, readonly string[]>;

/** Rows of the tables below a heading, by the names in backquotes of their first cell. */
function rowsOf(page: string, heading: string): Rows {
  const text = readFileSync(`docs/${page}`, 'utf8');
  const level = heading.indexOf(' ');
  const from = text.indexOf(`\n${heading}\n`);
  const end = new RegExp(`^#{1,${String(level)}} `, 'mu').exec(text.slice(from + heading.length + 2));
  const part = text.slice(from, end === null ? undefined : from + heading.length + 2 + end.index);
  const rows = part.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.flatMap((line) => {
      const [names = '', ...cells] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [...names.matchAll(/`([^`]+)`/gu)].map(([, name = '']) => [name, cells] as const);
    }),
  );
}

function namesOf(rows: Rows): string[] {
  return [...rows.keys()].sort();
}

function fieldsOf(schema: { readonly shape: object }): string[] {
  return Object.keys(schema.shape).sort();
}

describe('docs/contracts.md', () => {
  test.each([
    ['## The file', Contracts],
    ['## `project`', Project],
    ['## `stages`', StageSpec],
    ['## A node', ContractNode],
    ['## `interface`', ContractInterface],
    ['## `environment`', GateEnvironment],
  ])('%s has each field and no other', (heading, schema) => {
    expect(namesOf(rowsOf('contracts.md', heading))).toEqual(fieldsOf(schema));
  });

  const CHANGED: Partial<ResolvedContract> = {
    description: 'another one',
    stage: 'other',
    type: 'glue',
    structural_deps: ['a.b'],
    assumption_deps: ['a.b'],
    examples: [{ call: 'f(8)', returns: 8 }],
    files: ['other.py'],
    tests: ['other/**'],
    requires: ['attrs==24.2.0'],
    wall: 'required',
    isolation: 'hardened',
    max_retries: 9,
    min_mutation_score: 0.5,
    require_review: true,
  };
  const before = gateContract();

  test.each(Object.entries(CHANGED))('tells what a change of %s voids', (field, value) => {
    const told = rowsOf('contracts.md', '## A node').get(field)?.at(-1);
    expect(contractDifference(before, { ...before, [field]: value })?.voids).toBe(told);
  });

  test('tells what a change below interface voids', () => {
    const face = before.interface;
    for (const [field, cells] of rowsOf('contracts.md', '## `interface`')) {
      const after = { ...before, interface: { ...face, [field]: ['changed'] } };
      expect([field, contractDifference(before, after)?.voids]).toEqual([field, cells.at(-1)]);
    }
  });
});

describe('docs/settings.md', () => {
  const settings = rowsOf('settings.md', '## `config.toml`');

  test('has each setting and each field of a model, and no other', () => {
    expect(namesOf(settings)).toEqual(fieldsOf(ConfigFile));
    expect(namesOf(rowsOf('settings.md', '## `models.toml`'))).toEqual(fieldsOf(ModelEntry));
  });

  test('tells what is built in', () => {
    for (const [name, value] of Object.entries(CONFIG_DEFAULTS)) {
      expect(`${name}: ${settings.get(name)?.[1] ?? ''}`).toContain(`${name}: \`${String(value)}\``);
    }
  });

  test('tells the variables', () => {
    const told = [...settings].flatMap(([name, cells]) =>
      [...(cells[3] ?? '').matchAll(/`(A7_\w+)`/gu)].map(([, variable = '']) => `${variable} ${name}`),
    );
    const real = Object.entries(ENVIRONMENT_FIELDS).flatMap(([variable, names]) =>
      names.map((name) => `${variable} ${name}`),
    );
    expect(told.sort()).toEqual(real.sort());
  });
});

describe('docs/findings.md', () => {
  test('has each finding on a node, with what it decides of code and of a suite', () => {
    const rows = rowsOf('findings.md', '## Findings on a node');
    expect(namesOf(rows)).toEqual([...FindingCode.options].sort());
    for (const code of FindingCode.options) {
      expect([code, ...(rows.get(code) ?? []).slice(0, 2)]).toEqual([
        code,
        decided(code, 'code'),
        decided(code, 'suite'),
      ]);
    }
  });

  test('has each finding on a repository, with what it decides', () => {
    const rows = rowsOf('findings.md', '## Findings on a repository');
    expect(namesOf(rows)).toEqual([...RepositoryFindingCode.options].sort());
    for (const code of RepositoryFindingCode.options) {
      const { verdict, fault } = repositoryVerdict([repositoryFinding(code, 'L0', 'x')]);
      expect([code, rows.get(code)?.[0]]).toEqual([code, `${verdict} ${String(fault)}`]);
    }
  });
});

describe('docs/README.md', () => {
  test('leads to every page', () => {
    const index = readFileSync('docs/README.md', 'utf8');
    const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'README.md');
    const left = pages.filter((name) => !index.includes(`(${name})`));
    expect(left).toEqual([]);
  });
});

describe('docs/rules.md', () => {
  test('has each part that a comment cites', () => {
    const folders = [
      'schemas',
      'core',
      'workflows',
      'activities',
      'adapters',
      'workers',
      'client',
      'sandbox',
      'test',
    ];
    const texts = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.(?:ts|mjs|py|sh)$/u.test(path))
        .map((path) => readFileSync(join(folder, path), 'utf8')),
    );
    const page = readFileSync('docs/rules.md', 'utf8');
    const missing = (name: string, cited: RegExp): string[] => {
      const [, rows = ''] = page.split(`\n## \`${name}\`\n`);
      const told = new Set(
        [...(rows.split('\n## ')[0] ?? '').matchAll(/^\| (\d+) \|/gmu)].map(([, number]) => number),
      );
      const parts = texts.flatMap((text) =>
        [...text.matchAll(cited)].flatMap(([whole]) => whole.match(/\d+/gu) ?? []),
      );
      expect(parts.length).toBeGreaterThan(10);
      return parts.filter((part) => !told.has(part));
    };
    expect(missing('gate.md', /gate\.md,? parts? \d+(?:(?:,| and| to) \d+)*/gu)).toEqual([]);
    expect(missing('design', /\bdesign,? parts? \d+(?:(?:,| and| to) \d+)*/gu)).toEqual([]);
    expect(missing('seed', /\bseed 00\d/gu)).toEqual([]);
  });
});

function decided(code: FindingCode, judged: 'code' | 'suite'): string {
  try {
    const row = decidingRow([finding(code, 'L0', 'x')], judged);
    return row === null ? '–' : `${row.verdict} ${row.fault}`;
  } catch {
    return '–';
  }
}
