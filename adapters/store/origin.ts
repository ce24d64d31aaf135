/** Where a session began, when it began as a repository: `.a7/from.json`, written once by `init --from`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../core/text/error-text.ts';
import { writeDurably } from '../system/files.ts';

export const Origin = z.strictObject({
  version: z.literal(1),
  kind: z.enum(['path', 'url']),
  /** Absolute folder, or URL without a password. */
  at: z.string().min(1),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  /** Branch that was checked out or named; null for none. */
  branch: z.string().nullable(),
  /** First commit of the session's own branch. */
  root: z.string().regex(/^[0-9a-f]{40}$/),
});
export type Origin = z.infer<typeof Origin>;

/** Path of the file in the session at `dir`. */
export function originPath(dir: string): string {
  return join(dir, '.a7', 'from.json');
}

export async function writeOrigin(dir: string, origin: Origin): Promise<void> {
  await writeDurably(originPath(dir), `${JSON.stringify(origin, null, 2)}\n`);
}

/** Null: the session began empty. @throws {SyntaxError | z.ZodError} for a file that was changed */
export async function readOrigin(dir: string): Promise<Origin | null> {
  const text = await readFile(originPath(dir), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : Origin.parse(JSON.parse(text));
}
