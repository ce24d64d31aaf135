/** Golden files: a text is compared as a whole with a file; `UPDATE_GOLDEN=1` writes the file instead. */
import { expect } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const GOLDEN_FOLDER = join(import.meta.dirname, '..', 'golden');

/** Path of a file below `test/golden`. */
export function goldenPath(name: string): string {
  return join(GOLDEN_FOLDER, name);
}

/** Fails unless `text` is, byte for byte, what `test/golden/<name>` holds. */
export function expectGolden(name: string, text: string): void {
  const path = goldenPath(name);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return;
  }
  if (!existsSync(path))
    throw new Error(`Cannot compare with golden file "${name}": it does not exist; run with UPDATE_GOLDEN=1`);
  expect(text).toBe(readFileSync(path, 'utf8'));
}
