/** The README's second picture is made from the corpus: whoever adds an attack writes the table anew. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { ATTACKS } from '../attacks/corpus/index.ts';
import { familyTable } from '../attacks/render.ts';

test('README.md shows the families of the attack suite as they are', () => {
  expect(readFileSync('README.md', 'utf8')).toContain(`\n${familyTable(ATTACKS)}\n`);
});
