import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { z } from 'zod';
import { ModelScript } from '../../schemas/model-script.ts';

const ROOT = join(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const schema = JSON.parse(text('docs/model-script.schema.json')) as Record<string, unknown>;

describe('docs/model-script.schema.json', () => {
  test('is the schema that the server reads scripts by', () => {
    const { $schema, ...own } = z.toJSONSchema(ModelScript, { target: 'draft-7', io: 'input' });
    expect(schema).toEqual({ $schema, title: 'Script of a7-rt model-server', ...own });
  });

  test("accepts the sample's script and the one in the documentation, and refuses another role", () => {
    const accepts = new Ajv({ strict: false }).compile(schema);
    const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(text('docs/model-script.md')) ?? [];
    const sample = parse(text('examples/water-bill/script.yaml')) as object;
    expect([accepts(sample), accepts(parse(example))]).toEqual([true, true]);
    expect(accepts({ version: 1, rules: [{ role: 'bilder', answer: {} }] })).toBe(false);
  });
});
