/** docs/rooms.md tells of every program of a room, and of none that is gone. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, parse } from 'node:path';

const PAGE = readFileSync('docs/rooms.md', 'utf8');
const FILES = readdirSync('sandbox/runner', { recursive: true, encoding: 'utf8' }).filter((path) =>
  /\.(?:py|mjs|sh)$/.test(path),
);
const PYTHON = FILES.filter((path) => path.endsWith('.py')).map((path) => basename(path));
const SCRIPT = FILES.filter((path) => !path.endsWith('.py'));

/** Names in backquotes that mean a Python program: `wall_wire`, `stub_*`, `pytest_runner.py`. */
const TOLD = [...PAGE.replaceAll(/^\| `javascript\/.*$/gm, '').matchAll(/`([a-z0-9_]+\*?)(?:\.py)?`/g)]
  .map((found) => found[1] ?? '')
  .filter((name) => name.includes('_'));

function isMeant(told: string, file: string): boolean {
  const name = parse(file).name;
  return told.endsWith('*') ? name.startsWith(told.slice(0, -1)) : name === told;
}

/** Rows of the table of folders: each folder with the names in its last cell. */
const FOLDERS = [...PAGE.matchAll(/^\| `(javascript\/[\w/]+)\/` \|.*\| ([^|]+) \|$/gm)].map(
  ([, folder = '', names = '']) => [folder, [...names.matchAll(/`(\w+)`/g)].map((name) => name[1])] as const,
);

describe('docs/rooms.md', () => {
  test('every Python program of sandbox/runner is told of', () => {
    expect(PYTHON.length).toBeGreaterThan(30);
    expect(PYTHON.filter((file) => !TOLD.some((told) => isMeant(told, file)))).toEqual([]);
  });

  test('nothing is told of that is not there', () => {
    expect(
      TOLD.filter((told) => told !== 'in_process' && !PYTHON.some((file) => isMeant(told, file))),
    ).toEqual([]);
  });

  test('each folder of JavaScript programs has a row with its files', () => {
    const folders = [...new Set(SCRIPT.map((path) => dirname(path)))];
    expect(FOLDERS.map(([folder]) => folder).sort()).toEqual(folders.sort());
    for (const [folder, names] of FOLDERS) {
      const files = SCRIPT.filter((path) => dirname(path) === folder).map((path) => parse(path).name);
      expect([folder, [...names].sort()]).toEqual([folder, files.sort()]);
    }
  });
});
