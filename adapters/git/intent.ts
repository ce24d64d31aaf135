/** The intent of a commit: on disk before anything visible changes, gone when everything has. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ObjectId } from '../../schemas/ids.ts';
import type { ContentContext } from './content-context.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { syncFolder, writeDurably } from '../system/files.ts';
import { strictJson } from '../../core/text/strict-json.ts';

/** Where the branch moves from and to, and with it the work tree. */
export const MoveIntent = z.strictObject({
  version: z.literal(1),
  old: ObjectId.nullable(),
  new: ObjectId,
  oldTree: ObjectId,
  newTree: ObjectId,
});
export type MoveIntent = z.infer<typeof MoveIntent>;

/** Our own folder inside the repository: the intent, and files on their way into the work tree. */
export function privateFolder(context: ContentContext): string {
  return join(context.gitDir, 'a7');
}

export async function writeIntent(context: ContentContext, intent: MoveIntent): Promise<void> {
  await writeDurably(intentPath(context), `${JSON.stringify(intent)}\n`);
}

/** The unfinished commit, or null. @throws {RangeError} for a file that is no intent: it is never guessed at. */
export async function readIntent(context: ContentContext): Promise<MoveIntent | null> {
  let text: string;
  try {
    text = await readFile(intentPath(context), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  const parsed = MoveIntent.safeParse(strictJson(text));
  if (parsed.success) return parsed.data;
  throw new RangeError(
    `Cannot read the commit intent "${intentPath(context)}": ${z.prettifyError(parsed.error)}`,
  );
}

export async function clearIntent(context: ContentContext): Promise<void> {
  await rm(intentPath(context), { force: true });
  await syncFolder(privateFolder(context));
}

function intentPath(context: ContentContext): string {
  return join(privateFolder(context), 'intent.json');
}
