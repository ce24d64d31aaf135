/** The rows of calls as files: exclusive, whole, on disk when written (design part 4). */
import { readFileSync, readdirSync } from 'node:fs';
import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keyFolders } from '../../core/model/call-key.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { CallRow } from '../../schemas/model-call.ts';
import { type PreparedFile, createExclusively, prepareFile } from '../system/files.ts';

const ROW = /^(reserved|(sent|returned|failed|unknown|received)-\d+)\.json$/;
const SPOOL = /^answer-(\d+)\.json$/;

/** Folder of a call: `<session>/calls/<key>`. */
export function callFolder(sessionDir: string, key: string): string {
  return join(sessionDir, 'calls', ...keyFolders(key));
}

/** All rows of a call; empty when it was never reserved. @throws when a row does not parse, naming the file. */
export async function readRows(folder: string): Promise<readonly CallRow[]> {
  const names = listNames(folder).filter((name) => ROW.test(name));
  return names.map((name) => readRow(join(folder, name)));
}

/** Writes a row; false when another writer was first, and then its row stands. */
export async function addRow(folder: string, row: CallRow): Promise<boolean> {
  return createExclusively(rowPath(folder, row), rowText(row));
}

/** A row whose bytes are on disk; it counts once it is placed. */
export async function prepareRow(folder: string, row: CallRow): Promise<PreparedFile> {
  return prepareFile(rowPath(folder, row), rowText(row));
}

/** Keeps an answer beside its rows until the object and the `received` row exist. */
export async function spoolAnswer(folder: string, attempt: number, text: string): Promise<void> {
  await createExclusively(join(folder, `answer-${String(attempt)}.json`), text);
}

/** The answer of an attempt that was spooled and not finished; null when there is none. */
export async function readSpool(
  folder: string,
): Promise<{ readonly attempt: number; readonly text: string } | null> {
  for (const name of listNames(folder)) {
    const attempt = SPOOL.exec(name)?.[1];
    if (attempt === undefined) continue;
    const text = await readFile(join(folder, name), 'utf8').catch(ignoreMissing);
    if (text !== null) return { attempt: Number(attempt), text };
  }
  return null;
}

export async function dropSpool(folder: string, attempt: number): Promise<void> {
  await rm(join(folder, `answer-${String(attempt)}.json`), { force: true });
}

/** Folders of all calls below `root`, which need not exist. */
export async function listCallFolders(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(ignoreMissing);
  if (entries === null) return [];
  const own = entries.some((entry) => entry.name === 'reserved.json') ? [root] : [];
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  const below = await Promise.all(folders.map((entry) => listCallFolders(join(root, entry.name))));
  return [...own, ...below.flat()].sort();
}

function rowPath(folder: string, row: CallRow): string {
  const name = row.kind === 'reserved' ? 'reserved.json' : `${row.kind}-${String(row.attempt)}.json`;
  return join(folder, name);
}

function rowText(row: CallRow): string {
  return `${JSON.stringify(CallRow.parse(row))}\n`;
}

function readRow(path: string): CallRow {
  try {
    return CallRow.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new Error(`Cannot read call row "${path}": it is damaged; restore it or move the folder away`, {
      cause,
    });
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function ignoreMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
