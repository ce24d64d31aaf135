/** Usage of a session or of a part of it, read from the call rows alone. */
import { join } from 'node:path';
import { type UsageReport, callUsage, sumCalls } from '../../core/model/usage-sum.ts';
import { callFolder, listCallFolders, readRows } from './call-files.ts';

/** Sums every call under `scope` (leading segments of keys); without a scope, the whole session. */
export async function sumUsage(sessionDir: string, scope?: string): Promise<UsageReport> {
  const root = scope === undefined ? join(sessionDir, 'calls') : callFolder(sessionDir, scope);
  const calls = [];
  for (const folder of await listCallFolders(root)) calls.push(callUsage(await readRows(folder)));
  return sumCalls(calls);
}
