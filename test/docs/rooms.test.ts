/** docs/rooms.md tells of every program of a room, and of none that is gone. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, parse } from 'node:path';

const PAGE = readFileSync('docs/rooms.md', 'utf8');
const FILES = readdirSync('sandbox/runner', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:py|mjs|sh)$/.test(name))
  .map((name) => basename(name));

/** Names in backquotes that mean a program: `wall_wire`, `repo_*`, `pytest_runner.py`. */
const TOLD = [...PAGE.matchAll(/`([a-z0-9_]+\*?)(?:\.py|\.mjs|\.sh)?`/g)]
  .map((found) => found[1] ?? '')
  .filter((name) => name.includes('_'));

function isMeant(told: string, file: string): boolean {
  const name = parse(file).name;
  return told.endsWith('*') ? name.startsWith(told.slice(0, -1)) : name === told;
}

describe('docs/rooms.md', () => {
  test('every program of sandbox/runner is told of', () => {
    expect(FILES.length).toBeGreaterThan(50);
    expect(FILES.filter((file) => !TOLD.some((told) => isMeant(told, file)))).toEqual([]);
  });

  test('nothing is told of that is not there', () => {
    expect(
      TOLD.filter((told) => told !== 'in_process' && !FILES.some((file) => isMeant(told, file))),
    ).toEqual([]);
  });
});
