/** The audit script as a program, and on honest sessions of every language. */
import { describe, expect, test } from '@jest/globals';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { readToolchain } from '../../adapters/toolchain/index.ts';
import { AUDIT_PROGRAM, auditSession } from '../support/audit.ts';
import { MONEY, TOTAL, edit, found, made } from './audit-help.ts';
import type { FakeNode } from './fake-session.ts';

/** The fake sessions are of before signatures: that is said, and refuses nothing. */
const UNSIGNED = {
  check: 'signatures',
  subject: 'ledger',
  message: 'no line is signed: it is older than signatures, or somebody took them away',
};

describe('an honest session', () => {
  test('audit-session finds nothing, runs every suite and sees it red on stubs', async () => {
    const result = await auditSession(await made(MONEY, TOTAL));
    expect(result.findings).toEqual([]);
    expect(result).toMatchObject({ exitCode: 0, ok: true, notes: [UNSIGNED] });
    expect(result.commits).toEqual([
      expect.objectContaining({ node: 'shop.money', tests: 1, green: true, red: { empty: 1, hollow: 1 } }),
      expect.objectContaining({ node: 'shop.total', tests: 3, green: true, red: { empty: 1, hollow: 3 } }),
    ]);
    expect(result.facts).toMatchObject({
      nodes: { 'shop.money': 'grounded', 'shop.total': 'grounded' },
      sealed: ['core'],
    });
  });

  test('audit-session runs node:test suites as well', async () => {
    const node: FakeNode = {
      id: 'shop.sum',
      language: 'javascript',
      exports: ['export function sum(values: number[]): number;'],
      code: 'export function sum(values) {\n  return values.reduce((a, b) => a + b, 0);\n}\n',
      suite:
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n" +
        "import { sum } from '../../shop/sum.js';\n\ntest('adds', () => assert.equal(sum([1, 2]), 3));\n",
      ran: ['adds'],
    };
    const result = await auditSession(await made(node));
    expect(result.findings).toEqual([]);
    expect(result.commits).toEqual([
      expect.objectContaining({ tests: 1, green: true, red: { empty: 1, hollow: 1 } }),
    ]);
    const { rootfs } = (await readToolchain()).image;
    const inside = rootfs === null ? [] : ['--rootfs', rootfs];
    expect((await auditSession(await made(node), inside)).findings).toEqual([]);
  });

  test('audit-session runs suites in TypeScript, also with what cannot be erased in place', async () => {
    const node: FakeNode = {
      id: 'shop.box',
      language: 'typescript',
      exports: ['export class Box { constructor(size: number); get size(): number; }'],
      code: 'export class Box {\n  constructor(private readonly wide: number) {}\n  get size(): number { return this.wide; }\n}\n',
      suite:
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n" +
        "import { Box } from '../../shop/box.ts';\n\ntest('keeps', () => { const box: Box = new Box(3); assert.equal(box.size, 3); });\n",
      ran: ['keeps'],
    };
    const lying = {
      ...node,
      suite: node.suite.replace('const box: Box = new Box(3); assert.equal(box.size, 3);', ''),
    };
    const [honest, lie] = [await auditSession(await made(node)), await auditSession(await made(lying))];
    expect(honest.findings).toEqual([]);
    expect(honest.commits).toEqual([
      expect.objectContaining({ tests: 1, green: true, red: { empty: 1, hollow: 1 } }),
    ]);
    expect(found(lie, 'suites')).toEqual([
      expect.stringContaining('green on empty files'),
      expect.stringContaining('every function returns nothing'),
    ]);
  });

  test('audit-session leaves a torn last line alone and says so', async () => {
    const dir = await made(MONEY);
    await edit(join(dir, 'events.jsonl'), (text) => `${text}{"seq":99`);
    const result = await auditSession(dir, ['--no-suites']);
    expect(result.findings).toEqual([]);
    expect(result.notes).toEqual([expect.objectContaining({ subject: 'tail' }), UNSIGNED]);
  });

  test('audit-session takes a data class for tested when only the wrong stub is red', async () => {
    const node: FakeNode = {
      id: 'shop.item',
      exports: ['@dataclass\nclass Item:\n    name: str'],
      code: 'from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Item:\n    name: str\n',
      suite: 'from shop.item import Item\n\n\ndef test_name():\n    assert Item("a").name == "a"\n',
      ran: ['test_name'],
    };
    const result = await auditSession(await made(node));
    expect(result.findings).toEqual([]);
  });
});

describe('audit-session as a program', () => {
  test('it imports nothing but Node builtins, its own folder and the package that erases types', async () => {
    const files = [
      'scripts/audit-session.mjs',
      ...(await readdir('scripts/audit')).map((name) => `scripts/audit/${name}`),
    ];
    for (const file of files.filter((name) => name.endsWith('.mjs'))) {
      const text = await readFile(file, 'utf8');
      const sources = [...text.matchAll(/(?:from|import\() ?'([^']+)'/g)].map((match) => match[1] ?? '');
      const own = file.startsWith('scripts/audit/')
        ? /^(node:|\.\/[a-z-]+\.mjs$|@swc\/wasm-typescript$)/
        : /^(node:|\.\/audit\/[a-z-]+\.mjs$)/;
      expect(sources.filter((source) => !own.test(source))).toEqual([]);
    }
  });

  test('it exits with 2 for a folder that is no session', async () => {
    const result = await execa(AUDIT_PROGRAM, ['test'], { reject: false });
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('must be a session folder');
  });

  test('it exits with 4 and says what to install when there is no pytest', async () => {
    const dir = await made(MONEY);
    const result = await execa(AUDIT_PROGRAM, [dir, '--python', '/nonexistent/python3'], {
      reject: false,
    });
    expect(result.exitCode).toBe(4);
    expect(result.stderr).toContain('Install pytest, or give --python PATH or --rootfs DIR');
  });

  test('it prints a table that names every commit', async () => {
    const dir = await made(MONEY);
    const { stdout, exitCode } = await execa(AUDIT_PROGRAM, [dir, '--no-suites'], {
      reject: false,
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('All checks hold; the suites were left out.');
  });
});
