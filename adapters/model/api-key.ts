/** Reads the API key at the moment of a call; nothing else of the system ever holds it (design part 4). */
import { readFile } from 'node:fs/promises';
import type { ModelTarget } from '../../core/ports/model.ts';

/** The key, or null when neither the variable nor the file has one. */
export async function readApiKey(
  source: ModelTarget['apiKey'],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const fromEnv = env[source.envName]?.trim() ?? '';
  if (fromEnv !== '') return fromEnv;
  if (source.filePath === null) return null;
  const text = await readFile(source.filePath, 'utf8').catch(() => '');
  const firstLine = text.split('\n')[0]?.trim() ?? '';
  return firstLine === '' ? null : firstLine;
}
