/** docs/python-wall.md names every request and every fault of the Python wall. */
import { expect, test } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'sandbox/runner/python/wall';
const PAGE = readFileSync('docs/python-wall.md', 'utf8');
const SOURCES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.py'))
  .map((name) => readFileSync(join(FOLDER, name), 'utf8'));

const found = (pattern: RegExp): string[] => [
  ...new Set(SOURCES.flatMap((text) => [...text.matchAll(pattern)].map(([, part = '']) => part))),
];

test('every verb that a side asks with is told of', () => {
  const verbs = found(/verb == "(\w+)"/gu);
  expect(verbs.length).toBeGreaterThan(15);
  expect(verbs.filter((verb) => !PAGE.includes(`\`${verb}\``))).toEqual([]);
});

test('every fault is told of', () => {
  const texts = found(/(?:\bfault\(|self\.dead = )f?"([^"\n]*)"/gu);
  const told = [...PAGE.matchAll(/^\| `\w+` +\| ([^|]*) \|/gmu)].flatMap(([, each = '']) =>
    each.trim().split(', '),
  );
  expect(texts.length).toBeGreaterThan(12);
  expect(texts.filter((text) => !text.startsWith('{') && !told.some((each) => text.includes(each)))).toEqual(
    [],
  );
});
