/** Sessions of the audit tests: each is built once, and every test edits a copy of its own. */
import { afterAll, afterEach } from '@jest/globals';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditResult } from '../support/audit.ts';
import { type FakeNode, type FakeSession, makeSession } from './fake-session.ts';
export const MONEY: FakeNode = {
  id: 'shop.money',
  exports: ['def cents(text: str) -> int: ...'],
  code: 'def cents(text):\n    return int(text) * 100\n',
  suite: 'from shop.money import cents\n\n\ndef test_whole():\n    assert cents("3") == 300\n',
  ran: ['test_whole'],
};
export const TOTAL: FakeNode = {
  id: 'shop.total',
  needs: ['shop.money'],
  exports: ['def total(texts: list[str]) -> int: ...'],
  code: 'from shop.money import cents\n\n\ndef total(texts):\n    return sum(cents(text) for text in texts)\n',
  suite:
    'import pytest\nfrom shop.total import total\n\n\n@pytest.mark.parametrize("n", [1, 2])\ndef test_sum(n):\n' +
    '    assert total(["1"] * n) == n * 100\n\n\nclass TestEdges:\n    def test_none(self):\n        assert total([]) == 0\n',
  ran: ['test_sum', 'test_sum', 'TestEdges::test_none'],
};

const originals = new Map<string, Promise<FakeSession>>();
const copies: string[] = [];

afterEach(async () => {
  await Promise.all(copies.splice(0).map((dir) => rm(dir, { recursive: true, force: true })));
});

afterAll(async () => {
  await Promise.all([...originals.values()].map(async (session) => (await session).remove()));
});

/** A copy of its own of the session with these nodes; each session is built once. */
export async function made(...nodes: FakeNode[]): Promise<string> {
  const key = JSON.stringify(nodes);
  const original = originals.get(key) ?? makeSession(nodes);
  originals.set(key, original);
  const dir = await mkdtemp(join(tmpdir(), 'a7-audit-copy-'));
  copies.push(dir);
  await cp((await original).dir, dir, { recursive: true });
  return dir;
}

/** Messages under one check, with what they are about. */
export function found(result: AuditResult, check: string): string[] {
  return result.findings
    .filter((each) => each.check === check)
    .map((each) => `${each.subject} ${each.message}`);
}

export async function edit(path: string, change: (text: string) => string): Promise<void> {
  const before = await readFile(path, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`The edit of ${path} changed nothing`);
  await writeFile(path, after);
}
