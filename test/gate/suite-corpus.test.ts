/** Suites of many shapes through the whole gate with code that does what its contract says: no lie grounds it, each honest one does. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { lockedSuiteOf } from '../../core/gate/suite/locked-suite.ts';
import { SUITE_PATH, thingContract } from '../wall/wall-world.ts';
import { openGateWorld, type GateWorld, type Texts } from './gate-world.ts';

type Speech = 'python' | 'javascript';

const FOLDER = 'test/gate/suites';
/** By language and name: its declaration, and code. */
const Kit = z.record(z.string(), z.record(z.string(), z.tuple([z.string(), z.string()])));
const KIT = Kit.parse(JSON.parse(readFileSync(`${FOLDER}/kit.json`, 'utf8')));
const IMPORTS = [
  'from datetime import date',
  'from decimal import Decimal',
  'from fractions import Fraction',
  'from abc import ABC, abstractmethod',
  'from collections.abc import Callable, Iterator',
  'from contextlib import contextmanager',
];
const SCRIPT_PATH = 'tests/shop_thing/it.test.mjs';

interface Shape {
  readonly name: string;
  readonly uses: readonly string[];
  readonly body: string;
}

/** Sections `=== name (exports)`, then the tests. */
function shapes(file: string): readonly (readonly [string, Shape])[] {
  const parts = readFileSync(`${FOLDER}/${file}.txt`, 'utf8').split(/^=== /mu).slice(1);
  return parts.map((part) => {
    const [, name = '', uses = '', body = ''] = /^(.*) \(([^)]*)\)\n([\s\S]*)$/u.exec(part) ?? [];
    return [name, { name, uses: uses.split(', '), body }] as const;
  });
}

function asked(language: Speech, { uses, body }: Shape) {
  const parts = uses.map((name): [string, string] => KIT[language]?.[name] ?? ['', '']);
  const isPython = language === 'python';
  const declared = {
    exports: parts.map(([declaration]) => declaration),
    imports: isPython ? IMPORTS : [],
    raises: uses.includes('parse') ? [isPython ? 'ValueError' : 'RangeError'] : [],
  };
  const python = `import pytest\nfrom shop.thing import ${uses.join(', ')}\n${body}`;
  const script = `import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { ${uses.join(', ')} } from '../../shop/thing.mjs';\n${body}`;
  const contract = thingContract(
    declared,
    isPython
      ? { wall: 'default' }
      : {
          wall: 'default',
          language,
          files: ['shop/thing.mjs'],
          contentFile: 'shop/thing.mjs',
          importLine: "import {} from '../../shop/thing.mjs'",
          tests: [SCRIPT_PATH],
        },
  );
  const texts: Texts = isPython
    ? { 'shop/__init__.py': '', [SUITE_PATH]: python }
    : { 'package.json': '{"type":"module"}', [SCRIPT_PATH]: script };
  return { contract, texts, code: { [contract.contentFile]: parts.map(([, code]) => code).join('') } };
}

let world: GateWorld;

beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

/** How far a suite comes, and the codes of what stopped it. */
async function judged(language: Speech, shape: Shape) {
  const { contract, texts, code } = asked(language, shape);
  const suite = await world.suite(contract, texts, contract.interface.raises.length > 0 ? { R1: ['*'] } : {});
  const told = (report: typeof suite.report) => [
    report.verdict,
    report.fault,
    ...new Set(report.levels.flatMap(({ findings }) => findings.map((each) => `${each.code} ${each.text}`))),
  ];
  if (suite.report.verdict !== 'PASS') return ['suite', ...told(suite.report)];
  const locked = lockedSuiteOf(suite.report);
  const { report } = await world.verify({
    contract,
    kind: 'code',
    locked,
    texts: { ...texts, ...code },
    mutationMs: 8_000,
    needsEvidence: true,
  });
  return ['code', ...told(report)];
}

describe.each<Speech>(['python', 'javascript'])('a suite in %s', (language) => {
  test.each(shapes(`lies-${language}`))('that lies is sent back: %s', async (_name, shape) => {
    const [stage, verdict, fault] = await judged(language, shape);
    expect(`${String(stage)} ${String(verdict)} ${String(fault)}`).toMatch(
      /^(?:suite (?:FAIL|INVALID)|code INVALID) author$/u,
    );
  });

  test.each(shapes(`honest-${language}`))('that is honest passes: %s', async (_name, shape) => {
    expect(await judged(language, shape)).toEqual(['code', 'PASS', null]);
  });
});
