/** docs/wall-messages.md has every message of the JavaScript wall. */
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const WALL = 'sandbox/runner/javascript/wall';
const PAGE = readFileSync('docs/wall-messages.md', 'utf8').replaceAll(/\s+/g, ' ');
/** A message up to what is filled in. */
const MESSAGE =
  /(?:\bfault|new CannotCross|\bdead =[\s\S]{0,60}?[?:])\(?\s*(?:'([^']+)'|"([^"]+)"|`([^`$"]+))/g;

test('every message of the JavaScript wall is explained', () => {
  const files = readdirSync(WALL, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.mjs'),
  );
  const messages = files.flatMap((path) =>
    [...readFileSync(join(WALL, path), 'utf8').matchAll(MESSAGE)].map(([, single, double, template]) =>
      (single ?? double ?? template ?? '').replace(/[: ]+$/, ''),
    ),
  );
  expect(messages.length).toBeGreaterThan(25);
  expect([...new Set(messages)].filter((message) => !PAGE.includes(message))).toEqual([]);
});
