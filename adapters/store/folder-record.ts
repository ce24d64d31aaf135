/** `files.json` of a folder of artifacts: hashes of what lies there, signed, so that nobody edits evidence unnoticed. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Signer } from '../../core/ports/signing.ts';
import { recordText } from '../../core/record/dsse.ts';
import { FolderRecord } from '../../schemas/artifacts.ts';

export const FILES_RECORD = 'files.json';

/** `path` below `runs/`, with `/`: the signature holds there and nowhere else. */
export function signedRecord(
  path: string,
  files: Readonly<Record<string, string>>,
  signer: Signer | null,
): FolderRecord {
  const record = { version: 1 as const, files: { ...files } };
  return signer === null ? record : { ...record, signature: signer.sign(recordText(path, record)) };
}

/** The record of a folder; null when there is none that can be read. */
export async function readFolderRecord(folder: string): Promise<FolderRecord | null> {
  try {
    return FolderRecord.parse(JSON.parse(await readFile(join(folder, FILES_RECORD), 'utf8')));
  } catch {
    return null;
  }
}
