/**
 * Results of steps by key, `<session>/calls/<key>/<name>.json` (design part 4): written before the step returns, by
 * exclusive create, so that the first result of a key is the only one and a retry finds it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { StepResults } from '../../core/ports/session.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { createExclusively, writeDurably } from '../system/files.ts';

/** Step results below `callsDir`. */
export function createStepResults(callsDir: string): StepResults {
  const pathOf = (key: string, name: string): string =>
    join(callsDir, ...key.split('/').map(encodeSegment), `${name}.json`);
  return {
    async get<T>(key: string, name: string, schema: z.ZodType<T>): Promise<T | null> {
      try {
        return schema.parse(JSON.parse(readFileSync(pathOf(key, name), 'utf8')));
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null;
        throw error;
      }
    },
    async putFirst<T>(key: string, name: string, schema: z.ZodType<T>, value: T): Promise<T> {
      const path = pathOf(key, name);
      if (await createExclusively(path, `${JSON.stringify(schema.parse(value))}\n`)) return value;
      return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
    },
  };
}

/** Puts `value` in the place of a result whose own is of no use any more. */
export async function replaceResult<T>(
  callsDir: string,
  at: { readonly key: string; readonly name: string },
  schema: z.ZodType<T>,
  value: T,
): Promise<void> {
  const text = `${JSON.stringify(schema.parse(value))}\n`;
  await writeDurably(join(callsDir, ...at.key.split('/').map(encodeSegment), `${at.name}.json`), text);
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'));
}
