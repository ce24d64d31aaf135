/** The budget index of a scope as a file, changed only under its lock (design part 10). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCall, rebuildIndex, settleEnded, settledOf } from '../../core/model/budget-index.ts';
import { keyFolders } from '../../core/model/call-key.ts';
import { type CallCharge, type CallState, callState } from '../../core/model/call-state.ts';
import { BudgetIndex } from '../../schemas/model-call.ts';
import { writeDurably } from '../system/files.ts';
import { callFolder, listCallFolders, readRows } from './call-files.ts';

/** Where the index of a scope lies. No call folder begins with a dot. */
export function budgetPath(sessionDir: string, scope: string): string {
  return join(sessionDir, 'calls', '.budget', `${keyFolders(scope).join('~')}.json`);
}

/** What is spent and under way in a scope, everything that ended counted. Call it under the scope's lock. */
export async function loadBudget(
  sessionDir: string,
  scope: string,
): Promise<{ readonly index: BudgetIndex; readonly spent: CallCharge; readonly reserved: CallCharge }> {
  const found = readIndex(budgetPath(sessionDir, scope), scope);
  const base = found ?? rebuildIndex(scope, await scopeStates(sessionDir, scope));
  const { index, reserved } = settleEnded(base, await openStates(sessionDir, base));
  return { index, spent: settledOf(index), reserved };
}

/** Marks a call as about to be sent and writes the index to disk. Call it under the scope's lock. */
export async function saveOpened(
  sessionDir: string,
  index: BudgetIndex,
  key: string,
  state: CallState,
): Promise<void> {
  await writeDurably(budgetPath(sessionDir, index.scope), JSON.stringify(openCall(index, key, state)));
}

/** Null where it is missing or damaged: then it is made again from the rows. */
function readIndex(path: string, scope: string): BudgetIndex | null {
  try {
    const parsed = BudgetIndex.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success && parsed.data.scope === scope ? parsed.data : null;
  } catch {
    return null;
  }
}

async function openStates(sessionDir: string, index: BudgetIndex): Promise<Map<string, CallState>> {
  const keys = Object.keys(index.open);
  const states = await Promise.all(
    keys.map(async (key) => callState(await readRows(callFolder(sessionDir, key)))),
  );
  return new Map(keys.map((key, position) => [key, states[position] ?? { kind: 'none' }]));
}

async function scopeStates(sessionDir: string, scope: string): Promise<Map<string, CallState>> {
  const states = new Map<string, CallState>();
  for (const folder of await listCallFolders(callFolder(sessionDir, scope))) {
    const rows = await readRows(folder);
    const reserved = rows.find((row) => row.kind === 'reserved');
    if (reserved !== undefined) states.set(reserved.key, callState(rows));
  }
  return states;
}
